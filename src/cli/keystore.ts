/**
 * Private keys in files (docs/SPEC.md, "Key files").
 *
 * One JSON object a key. Encrypted: AES-256-GCM under scrypt of the passphrase (RFC 7914), and everything else in the
 * file is authenticated with it, so that no key can be passed off as another. Not encrypted only where the
 * workspace's owner said so in as many words. The files are for their owner alone.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeFileDurably } from "../collect/files.js";
import type { SigningAlgorithm } from "../crypto/keys.js";
import type { Signer } from "../crypto/signer.js";
import { concatBytes, equalBytes } from "../encoding/bytes.js";
import { decodeHex, encodeHex } from "../encoding/hex.js";
import { parseJson } from "../encoding/json.js";
import { encodeUtf8 } from "../encoding/utf8.js";
import { OsaProofError } from "../errors.js";
import { createNodeSigner } from "../runtime/node-signer.js";
import { generatePrivateKey } from "../runtime/private-key.js";
import { canonicalText } from "../statements/canonical.js";
import * as fields from "../statements/fields.js";
import { Faults, integer, object, oneOf, optional, type Schema, version } from "../statements/schema.js";
import type { Passphrase } from "./passphrase.js";

export type KeyRole = "root" | "agent" | "runtime" | "log" | "witness";

interface Encryption {
  readonly kdf: "scrypt";
  readonly n: number;
  readonly r: number;
  readonly p: number;
  readonly salt: string;
  readonly cipher: "AES-256-GCM";
  readonly nonce: string;
}

/** Exactly one of `private_key` and, with `encryption`, `ciphertext` (32 key bytes and the 16-byte tag). */
interface KeyFile {
  readonly format: "osa-proof-key-1";
  readonly key_id: string;
  readonly role: KeyRole;
  readonly algorithm: SigningAlgorithm;
  readonly public_key: string;
  readonly encryption?: Encryption;
  readonly ciphertext?: string;
  readonly private_key?: string;
}

/** Bounds of the cost read from a file: a hostile one must not take all memory. 2^20 needs 1 GiB. */
const [MIN_COST, MAX_COST] = [2 ** 10, 2 ** 20];
const [BLOCK_SIZE, PARALLELISM] = [8, 1];
const [SALT_BYTES, NONCE_BYTES, TAG_BYTES, KEY_BYTES] = [16, 12, 16, 32];
const MAX_FILE_BYTES = 8_192;

const keyFile: Schema<KeyFile> = object<KeyFile>({
  format: version("osa-proof-key-1"),
  key_id: fields.identifier,
  role: oneOf("root", "agent", "runtime", "log", "witness"),
  algorithm: fields.signingAlgorithm,
  public_key: fields.publicKey,
  encryption: optional(
    object<Encryption>({
      kdf: oneOf("scrypt"),
      n: integer(MIN_COST, MAX_COST),
      r: integer(BLOCK_SIZE, BLOCK_SIZE),
      p: integer(PARALLELISM, PARALLELISM),
      salt: fields.hexBytes,
      cipher: oneOf("AES-256-GCM"),
      nonce: fields.hexBytes,
    }),
  ),
  ciphertext: optional(fields.hexBytes),
  private_key: optional(fields.hexBytes),
});

/** How new key files are protected. */
export type Protection =
  | { readonly kind: "none" }
  | { readonly kind: "passphrase"; readonly cost: number; readonly salt: Uint8Array };

/** Fresh protection under a passphrase; one salt serves all keys of a workspace, so that one derivation opens them. */
export function passphraseProtection(cost: number): Protection {
  return { kind: "passphrase", cost, salt: new Uint8Array(randomBytes(SALT_BYTES)) };
}

/** The keys of one workspace. Unlocked keys and signers are remembered for the run. */
export class KeyStore {
  readonly #directory: string;
  readonly #passphrase: Passphrase;
  readonly #signers = new Map<string, Promise<Signer>>();

  constructor(directory: string, passphrase: Passphrase) {
    this.#directory = directory;
    this.#passphrase = passphrase;
  }

  /** Makes the directory, for its owner alone. */
  async initialize(): Promise<void> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    // Keys do not belong into a version control system, whoever holds the workspace there.
    await writeFileDurably(join(this.#directory, ".gitignore"), encodeUtf8("*\n"), 0o600);
  }

  /** Makes a key, stores it and gives its signer. */
  async create(
    keyId: string,
    role: KeyRole,
    algorithm: SigningAlgorithm,
    protection: Protection,
  ): Promise<Signer> {
    const privateKey = generatePrivateKey(algorithm);
    try {
      const signer = createNodeSigner({ keyId, algorithm, privateKey });
      const header = {
        format: "osa-proof-key-1",
        key_id: keyId,
        role,
        algorithm,
        public_key: encodeHex(signer.publicKey),
      } as const;
      const file: KeyFile =
        protection.kind === "none"
          ? { ...header, private_key: encodeHex(privateKey) }
          : await this.#encrypted(header, privateKey, protection);
      await writeFileDurably(this.#path(keyId), encodeUtf8(`${JSON.stringify(file, null, 2)}\n`), 0o600);
      this.#signers.set(keyId, Promise.resolve(signer));
      return signer;
    } finally {
      privateKey.fill(0);
    }
  }

  /**
   * The signer of a stored key. Fails closed: a file that is missing, unreadable, readable to others or wrong in
   * any way is an error. @throws OsaProofError KEY_INVALID, KEY_LOCKED
   */
  async signer(keyId: string, role: KeyRole): Promise<Signer> {
    let known = this.#signers.get(keyId);
    if (known === undefined) {
      known = this.#unlock(keyId, role);
      this.#signers.set(keyId, known);
    }
    return known;
  }

  /** How the key is protected, for new keys beside it. */
  async protectionOf(keyId: string): Promise<Protection> {
    const { encryption } = await this.#read(keyId);
    if (encryption === undefined) return { kind: "none" };
    const salt = decodeHex(encryption.salt) ?? new Uint8Array();
    return { kind: "passphrase", cost: Math.log2(encryption.n), salt };
  }

  /** Removes a private key that will sign no more. */
  async discard(keyId: string): Promise<void> {
    this.#signers.delete(keyId);
    await rm(this.#path(keyId), { force: true });
  }

  #path(keyId: string): string {
    return join(this.#directory, `${encodeURIComponent(keyId)}.json`);
  }

  async #encrypted(
    header: Omit<KeyFile, "encryption" | "ciphertext" | "private_key">,
    privateKey: Uint8Array,
    { cost, salt }: Extract<Protection, { kind: "passphrase" }>,
  ): Promise<KeyFile> {
    const nonce = new Uint8Array(randomBytes(NONCE_BYTES));
    const encryption: Encryption = {
      kdf: "scrypt",
      n: 2 ** cost,
      r: BLOCK_SIZE,
      p: PARALLELISM,
      salt: encodeHex(salt),
      cipher: "AES-256-GCM",
      nonce: encodeHex(nonce),
    };
    const file = { ...header, encryption };
    const cipher = createCipheriv("aes-256-gcm", await this.#passphrase.derive(encryption), nonce);
    cipher.setAAD(encodeUtf8(canonicalText(file)));
    const sealed = concatBytes(cipher.update(privateKey), cipher.final(), cipher.getAuthTag());
    return { ...file, ciphertext: encodeHex(sealed) };
  }

  async #unlock(keyId: string, role: KeyRole): Promise<Signer> {
    const file = await this.#read(keyId);
    if (file.role !== role)
      throw this.#invalid(keyId, `expected the key of a ${role}, found one of a ${file.role}`);
    const privateKey = file.encryption
      ? await this.#decrypt(file, file.encryption)
      : (decodeHex(file.private_key ?? "") ?? new Uint8Array());
    try {
      const signer = createNodeSigner({ keyId, algorithm: file.algorithm, privateKey });
      if (equalBytes(signer.publicKey, decodeHex(file.public_key) ?? new Uint8Array())) return signer;
      throw this.#invalid(keyId, "its public key is not that of its private key");
    } finally {
      privateKey.fill(0);
    }
  }

  async #decrypt(file: KeyFile, encryption: Encryption): Promise<Uint8Array> {
    const { ciphertext, ...header } = file;
    const sealed = decodeHex(ciphertext ?? "") ?? new Uint8Array();
    const nonce = decodeHex(encryption.nonce) ?? new Uint8Array();
    const decipher = createDecipheriv("aes-256-gcm", await this.#passphrase.derive(encryption), nonce);
    decipher.setAAD(encodeUtf8(canonicalText(header)));
    decipher.setAuthTag(sealed.subarray(KEY_BYTES));
    try {
      return concatBytes(decipher.update(sealed.subarray(0, KEY_BYTES)), decipher.final());
    } catch {
      // One answer for both: nobody without the passphrase can tell them apart.
      throw new OsaProofError(
        "KEY_LOCKED",
        `key ${file.key_id} does not open: the passphrase is wrong, or ${this.#path(file.key_id)} was changed`,
      );
    }
  }

  async #read(keyId: string): Promise<KeyFile> {
    const bytes = await this.#readPrivate(keyId);
    const parsed = parseJson(bytes, { maxBytes: MAX_FILE_BYTES, maxDepth: 4 });
    bytes.fill(0);
    const into = new Faults();
    const file =
      parsed.value === undefined || parsed.faults.length > 0
        ? undefined
        : keyFile.decode(parsed.value, "", into);
    if (file === undefined || file.key_id !== keyId || !isWhole(file)) {
      throw this.#invalid(keyId, "it is not a key file of format osa-proof-key-1 for this key");
    }
    return file;
  }

  /** Opened once, so that what is checked is what is read. */
  async #readPrivate(keyId: string): Promise<Uint8Array> {
    const handle = await open(this.#path(keyId), "r").catch((cause: unknown) => {
      const reason = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
      throw this.#invalid(keyId, `it cannot be read (${reason}), and nothing is signed without it`);
    });
    try {
      const { mode, size } = await handle.stat();
      if (process.platform !== "win32" && (mode & 0o077) !== 0) {
        const found = (mode & 0o777).toString(8).padStart(4, "0");
        throw this.#invalid(
          keyId,
          `others may use it: expected mode 0600, found ${found}; run chmod 600 on it`,
        );
      }
      if (size > MAX_FILE_BYTES) throw this.#invalid(keyId, "it is too large for a key file");
      return new Uint8Array(await handle.readFile());
    } finally {
      await handle.close();
    }
  }

  #invalid(keyId: string, fault: string): OsaProofError {
    return new OsaProofError("KEY_INVALID", `key file ${this.#path(keyId)}: ${fault}`);
  }
}

/** The two forms of a key file, and nothing between them. */
function isWhole(file: KeyFile): boolean {
  const { encryption, ciphertext, private_key: plain } = file;
  if (encryption === undefined) return ciphertext === undefined && bytesOf(plain) === KEY_BYTES;
  return (
    plain === undefined &&
    bytesOf(ciphertext) === KEY_BYTES + TAG_BYTES &&
    bytesOf(encryption.salt) === SALT_BYTES &&
    bytesOf(encryption.nonce) === NONCE_BYTES &&
    Number.isInteger(Math.log2(encryption.n))
  );
}

function bytesOf(hex: string | undefined): number {
  return hex === undefined ? -1 : (hex.length - 2) / 2;
}
