/** The passphrase of a workspace: from a file descriptor, the environment or a prompt, and from nowhere else. */
import { scrypt } from "node:crypto";
import { closeSync, readSync } from "node:fs";
import { decodeHex } from "../encoding/hex.js";
import { decodeUtf8, encodeUtf8 } from "../encoding/utf8.js";
import { OsaProofError } from "../errors.js";
import type { CommandContext } from "./command.js";

/** Name of the environment variable that may hold the passphrase. */
export const PASSPHRASE_VARIABLE = "OSA_PROOF_PASSPHRASE";
const MAX_PASSPHRASE_BYTES = 1_024;
const WAYS = `give it with --passphrase-fd N or in ${PASSPHRASE_VARIABLE}, or run the command at a terminal`;

type Source = Pick<CommandContext, "env" | "askSecret">;

/** Asks at most once in a run and remembers the answer in memory only. No message ever quotes it. */
export class Passphrase {
  readonly #source: Source;
  readonly #descriptor: number | undefined;
  #known: string | undefined;
  readonly #derived = new Map<string, Promise<Uint8Array>>();

  constructor(source: Source, descriptor: number | undefined) {
    this.#source = source;
    this.#descriptor = descriptor;
  }

  /** The passphrase that opens existing keys. @throws OsaProofError KEY_LOCKED when there is no way to get one */
  async existing(): Promise<string> {
    this.#known ??= this.#given() ?? (await this.#ask("Passphrase of this workspace: "));
    return this.#known;
  }

  /** A new passphrase; typed twice when it is typed. @throws OsaProofError KEY_LOCKED */
  async fresh(): Promise<string> {
    const given = this.#given();
    if (given !== undefined) {
      this.#known = given;
      return given;
    }
    const typed = await this.#ask("New passphrase for the private keys: ");
    if ((await this.#ask("The same passphrase again: ")) !== typed) {
      throw new OsaProofError("KEY_LOCKED", "the two passphrases differ; nothing was made, start again");
    }
    this.#known = typed;
    return typed;
  }

  /** 32 bytes by scrypt (RFC 7914) over the passphrase's UTF-8; each result is computed once in a run. */
  async derive({ salt, n, r, p }: ScryptParameters): Promise<Uint8Array> {
    const name = `${n} ${r} ${p} ${salt}`;
    const derived =
      this.#derived.get(name) ?? this.existing().then((text) => stretch(text, { salt, n, r, p }));
    this.#derived.set(name, derived);
    return derived;
  }

  #given(): string | undefined {
    if (this.#descriptor !== undefined) return checked(readDescriptor(this.#descriptor));
    const text = this.#source.env[PASSPHRASE_VARIABLE];
    return text === undefined ? undefined : checked(text);
  }

  async #ask(question: string): Promise<string> {
    const ask = this.#source.askSecret;
    if (ask === undefined) {
      throw new OsaProofError("KEY_LOCKED", `the private keys need a passphrase and none was given; ${WAYS}`);
    }
    return checked(await ask(question));
  }
}

export interface ScryptParameters {
  /** `0x` hex. */
  readonly salt: string;
  readonly n: number;
  readonly r: number;
  readonly p: number;
}

const KEY_BYTES = 32;

function stretch(passphrase: string, { salt, n, r, p }: ScryptParameters): Promise<Uint8Array> {
  // Twice what the parameters need: Node refuses to reach the bound itself.
  const options = { N: n, r, p, maxmem: 256 * n * r };
  const saltBytes = decodeHex(salt) ?? new Uint8Array();
  return new Promise((resolve, reject) => {
    scrypt(encodeUtf8(passphrase), saltBytes, KEY_BYTES, options, (error, key) => {
      if (error === null) resolve(new Uint8Array(key));
      else
        reject(new OsaProofError("KEY_LOCKED", "scrypt could not stretch the passphrase on this computer"));
    });
  });
}

function checked(text: string): string {
  if (text !== "") return text;
  throw new OsaProofError("KEY_LOCKED", `the passphrase is empty; ${WAYS}`);
}

/** All bytes of a descriptor as text, without one line end behind them. */
function readDescriptor(descriptor: number): string {
  const buffer = new Uint8Array(MAX_PASSPHRASE_BYTES + 1);
  let length = 0;
  try {
    for (;;) {
      const count = readSync(descriptor, buffer, length, buffer.length - length, null);
      if (count === 0 || length + count === buffer.length) {
        length += count;
        break;
      }
      length += count;
    }
    if (descriptor > 2) closeSync(descriptor);
  } catch (cause) {
    const reason = cause instanceof Error && "code" in cause ? String(cause.code) : "unknown";
    throw new OsaProofError(
      "KEY_LOCKED",
      `--passphrase-fd ${descriptor} cannot be read (${reason}); expected an open file descriptor`,
    );
  }
  if (length > MAX_PASSPHRASE_BYTES) {
    throw new OsaProofError("KEY_LOCKED", `a passphrase is at most ${MAX_PASSPHRASE_BYTES} bytes`);
  }
  const text = decodeUtf8(buffer.subarray(0, length));
  buffer.fill(0);
  if (text === null) throw new OsaProofError("KEY_LOCKED", "the passphrase is not UTF-8 text");
  return text.replace(/\r?\n$/, "");
}

/** Reads one line from the terminal without echo. Ends the process's wait with KEY_LOCKED on Ctrl-C. */
export async function askAtTerminal(question: string): Promise<string> {
  const { stdin, stderr } = process;
  // Before the question: what is typed as soon as it stands there must not be echoed either.
  stdin.setRawMode(true);
  stdin.resume();
  stdin.setEncoding("utf8");
  stderr.write(question);
  try {
    return await new Promise<string>((resolve, reject) => {
      let typed: string[] = [];
      const onData = (chunk: string): void => {
        for (const key of chunk) {
          if (key === "\r" || key === "\n" || key === "\u0004") {
            stdin.off("data", onData);
            resolve(typed.join(""));
            return;
          }
          if (key === "\u0003") {
            stdin.off("data", onData);
            reject(new OsaProofError("KEY_LOCKED", "the passphrase was not given"));
            return;
          }
          if (key === "\u007f" || key === "\b") typed.pop();
          else if (key === "\u0015") typed = [];
          else typed.push(key);
        }
      };
      stdin.on("data", onData);
    });
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write("\n");
  }
}
