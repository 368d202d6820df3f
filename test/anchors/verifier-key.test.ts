import { describe, expect, it } from "vitest";
import {
  COSIGNATURE_ED25519,
  isKeyName,
  makeVerifierKey,
  NOTE_ECDSA,
  NOTE_ED25519,
  parseVerifierKey,
} from "../../src/anchors/verifier-key.js";
import { sha256 } from "../../src/crypto/digest.js";
import { encodeBase64 } from "../../src/encoding/base64.js";
import { concatBytes } from "../../src/encoding/bytes.js";
import { encodeHex } from "../../src/encoding/hex.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import {
  haveVectors,
  LOG_SEED,
  logKey,
  present,
  SAMPLE_LOG_VKEY,
  SAMPLE_W1_VKEY,
  SAMPLE_W2_VKEY,
  spkiOf,
  vectorText,
  W1_SEED,
  W2_SEED,
  witnessKey,
} from "./support.js";

const PETER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";

describe("parseVerifierKey", () => {
  it.each([
    ["example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k", NOTE_ED25519],
    ["sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8", NOTE_ED25519],
    [PETER, NOTE_ED25519],
    ["remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2", COSIGNATURE_ED25519],
    ["witness.stagemole.eu+67f7aea0+BEqSG3yu9YrmcM3BHvQYTxwFj3uSWakQepafafpUqklv", COSIGNATURE_ED25519],
    [
      "rekor.sigstore.dev+c0d23d6a+AjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNhtmPtrWm3U1eQXBogSMdGvXwBcK5AW5i0hrZLOC96l+smGNM7nwZ4QvFK/4sueRoVj//QP22Ni4Qt9DPfkWLc=",
      NOTE_ECDSA,
    ],
  ])("reads %s", (vkey, type) => {
    const key = present(parseVerifierKey(vkey));
    expect(key.type).toBe(type);
    expect(`${key.name}+${key.keyId}+`).toBe(vkey.slice(0, key.name.length + 10));
    expect(key.vkey).toBe(vkey);
  });

  it("takes U+FEFF in a name, which is neither white space nor a control character, beside U+0080, which is", () => {
    expect(isKeyName("a\ufeffb")).toBe(true);
    for (const refused of [
      "",
      "a b",
      "a+b",
      "a\u2028b",
      "a\u0080b",
      "a\u009fb",
      "a\u007fb",
      "a\u0000b",
      "a\ud800",
    ]) {
      expect(isKeyName(refused), JSON.stringify(refused)).toBe(false);
    }
  });

  it("derives the names and ids of the sample keys from their seeds", () => {
    expect(logKey("example.com/log", LOG_SEED).vkey).toBe(SAMPLE_LOG_VKEY);
    expect(witnessKey("w1.example", W1_SEED).vkey).toBe(SAMPLE_W1_VKEY);
    expect(witnessKey("w2.example", W2_SEED).vkey).toBe(SAMPLE_W2_VKEY);
  });

  it("keeps a log key and a witness key of equal bytes apart", () => {
    const log = logKey("one.example", W1_SEED);
    const witness = witnessKey("one.example", W1_SEED);
    expect(log.keyId).not.toBe(witness.keyId);
    expect(log.key.thumbprint).toBe(witness.key.thumbprint);
  });

  it("refuses every proper prefix and suffix, and every byte raised by one", () => {
    for (let cut = 1; cut <= PETER.length; cut++) {
      expect(parseVerifierKey(PETER.slice(0, -cut))).toBeNull();
      expect(parseVerifierKey(PETER.slice(cut))).toBeNull();
    }
    for (let at = 0; at < PETER.length; at++) {
      const raised = String.fromCharCode(PETER.charCodeAt(at) + 1);
      expect(parseVerifierKey(PETER.slice(0, at) + raised + PETER.slice(at + 1))).toBeNull();
    }
  });

  it.each([
    ["an upper-case key id", PETER.replace("c74f20a3", "C74F20A3")],
    ["another key id", PETER.replace("c74f20a3", "00000000")],
    ["a name with a space", `Peter Neumann${PETER.slice(12)}`],
    ["a name with a no-break space", `Peter\u00a0Neumann${PETER.slice(12)}`],
    ["a name with U+007F", `Peter\u007fNeumann${PETER.slice(12)}`],
    ["a name with U+0080", `Peter\u0080Neumann${PETER.slice(12)}`],
    ["a name with U+0085", `Peter\u0085Neumann${PETER.slice(12)}`],
    ["no name", PETER.slice(12)],
    ["a trailing line end", `${PETER}\n`],
    ["base64 without padding", `${SAMPLE_W1_VKEY.slice(0, -1)}`],
    ["an unassigned type", "rekor.sigstore.dev+12345678+AwEB"],
    ["no base64", "rekor.sigstore.dev+12345678+THIS_IS_NOT_BASE64!"],
    ["two fields", "bananas.sigstore.dev+12344556"],
    [
      "a type this package does not know",
      "rome.ct.filippo.io/2024h1+78f4abae+BTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABAFzPC3fap+uINc1RQ4eRbYMUt84+bKkA8GDLN8KwVdzAgYhYSv4kS8XSheGLAHCWhIJTJbuC3sL88bNMTtrsBM=",
    ],
  ])("refuses %s", (_, vkey) => {
    expect(parseVerifierKey(vkey)).toBeNull();
    expect(parseVerifierKey(PETER)).not.toBeNull();
  });

  it("reads no key of an unknown type or length, whatever else is right", () => {
    const made = (type: number, key: Uint8Array): string => {
      const typed = concatBytes(Uint8Array.of(type), key);
      const id = encodeHex(sha256(concatBytes(encodeUtf8("one.example\n"), typed)).subarray(0, 4)).slice(2);
      return `one.example+${id}+${encodeBase64(typed)}`;
    };
    const key = spkiOf(W1_SEED).slice(-32);
    for (const type of [NOTE_ED25519, COSIGNATURE_ED25519]) {
      expect(parseVerifierKey(made(type, key))?.type).toBe(type);
      expect(parseVerifierKey(made(type, key.slice(1)))).toBeNull();
      expect(parseVerifierKey(made(type, concatBytes(key, Uint8Array.of(0))))).toBeNull();
    }
    for (const type of [0x00, 0x03, 0x05, 0xff]) expect(parseVerifierKey(made(type, key))).toBeNull();
  });

  it("reads a vkey of up to 1,024 characters", () => {
    const long = (length: number): string => {
      const rest = logKey("x", W1_SEED).vkey.length - 1;
      return logKey("x".repeat(length - rest), W1_SEED).vkey;
    };
    expect(parseVerifierKey(long(1024))?.vkey.length).toBe(1024);
    expect(parseVerifierKey(long(1025))).toBeNull();
  });

  it("makes no key of a type that does not fit the algorithm", () => {
    expect(makeVerifierKey("a", NOTE_ED25519, spkiOf(W1_SEED))).not.toBeNull();
    expect(makeVerifierKey("a", NOTE_ECDSA, spkiOf(W1_SEED))).toBeNull();
    expect(makeVerifierKey("a b", NOTE_ED25519, spkiOf(W1_SEED))).toBeNull();
  });
});

describe.skipIf(!haveVectors)("public verifier keys", () => {
  // A first byte of 0x05 (a TreeHeadSignature, which signs no note text) begins with these two base64 digits.
  const readable = (vkey: string): boolean => !/^[^+]+\+[0-9a-f]{8}\+B[Q-Za-f]/.test(vkey);

  it("reads the good ones of a known type and refuses the bad ones", () => {
    const vectors: { good: string[]; bad: { vkey: string; why: string }[] } = JSON.parse(
      vectorText("vkeys.json"),
    );
    expect(vectors.good.length).toBeGreaterThan(10);
    for (const vkey of vectors.good) expect(parseVerifierKey(vkey) !== null, vkey).toBe(readable(vkey));
    for (const { vkey, why } of vectors.bad) expect(parseVerifierKey(vkey), why).toBeNull();
  });

  it("reads every key of the public lists of logs and witnesses", () => {
    const list =
      vectorText("log-keys/omniwitness-logs.yaml") + vectorText("log-keys/armored-witness-prod.yaml");
    const vkeys = [...list.matchAll(/^ +(?:PublicKey: |- )([^ +]+\+[0-9a-f]{8}\+\S+)$/gm)].map((match) =>
      present(match[1]),
    );
    expect(vkeys.length).toBeGreaterThan(25);
    for (const vkey of vkeys) expect(parseVerifierKey(vkey), vkey).not.toBeNull();
  });
});
