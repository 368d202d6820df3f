import { describe, expect, it } from "vitest";
import { parseCheckpoint } from "../../src/anchors/checkpoint.js";
import { cosignatureMessage, formatCosignature, parseCosignature } from "../../src/anchors/cosignature.js";
import { formatNote, parseNote } from "../../src/anchors/note.js";
import { checkNoteSignature, openNote } from "../../src/anchors/note-signature.js";
import { parseVerifierKey, type VerifierKey } from "../../src/anchors/verifier-key.js";
import { decodeBase64 } from "../../src/encoding/base64.js";
import { decodeUtf8, encodeUtf8 } from "../../src/encoding/utf8.js";
import * as LIMITS from "../../src/limits.js";
import {
  haveVectors,
  LOG_SEED,
  logKey,
  logLine,
  present,
  vectorText,
  W1_SEED,
  witnessKey,
  witnessLine,
} from "./support.js";

const TEXT = "This is an example message.\n";
const LINE =
  "\u2014 example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n";
const NOTE = `${TEXT}\n${LINE}`;
const KEY = present(
  parseVerifierKey("example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"),
);

describe("parseNote", () => {
  it("splits the example and writes it back", () => {
    const note = present(parseNote(NOTE));
    expect(note.text).toBe(TEXT);
    expect(note.signatures.map(({ name, keyId }) => `${name} ${keyId}`)).toEqual([
      "example.com/foo 530d903a",
    ]);
    expect(formatNote(note.text, note.signatures)).toBe(NOTE);
    expect(openNote(NOTE, [KEY])?.text).toBe(TEXT);
  });

  it("splits at the last blank line", () => {
    const text = "one\n\ntwo\n";
    const note = formatNote(text, [logLine("log", LOG_SEED, text)]);
    expect(parseNote(note)?.text).toBe(text);
    expect(openNote(note, [logKey("log", LOG_SEED)])?.text).toBe(text);
  });

  it.each([
    ["no blank line", `${TEXT}${LINE}`],
    ["no signature line", `${TEXT}\n`],
    ["no text", `\n${LINE}`],
    ["no final line end", NOTE.slice(0, -1)],
    ["another character for the final line end", `${NOTE.slice(0, -1)}x`],
    ["a line end too many", `${NOTE}\n`],
    ["a carriage return", NOTE.replace("\n", "\r\n")],
    ["a tab", NOTE.replace("This is", "This\tis")],
    ["a hyphen for the dash", NOTE.replace("\u2014", "-")],
    ["no dash", NOTE.replace("\u2014 ", "")],
    ["two spaces", NOTE.replace("foo Uw", "foo  Uw")],
    ["a fourth field", NOTE.replace("AQM=", "AQM= x").replace("yaQM=", "yaQM= x")],
    ["a name with +", NOTE.replace("example.com/foo", "example.com+foo")],
    ["an empty name", NOTE.replace("example.com/foo", "")],
    ["a no-break space in the name", NOTE.replace("example.com/foo", "example\u00a0foo")],
    ["base64 without padding", NOTE.replace("QM=", "QM")],
    ["base64 with unused bits set", NOTE.replace("QM=", "QN=")],
    ["URL-safe base64", NOTE.replace("Uw2Q", "Uw-Q")],
    ["a lone surrogate", NOTE.replace("This", "Th\ud800s")],
    ["a signature of no bytes", `${TEXT}\n\u2014 example.com/foo Uw2QOg==\n`],
    ["one line twice", `${NOTE}${LINE}`],
    ["another signature of the same name and key id", `${NOTE}${LINE.replace("Uw2QOk", "Uw2QOl")}`],
  ])("refuses %s", (_, note) => {
    expect(parseNote(note)).toBeNull();
    expect(parseNote(NOTE)).not.toBeNull();
  });

  it("takes the pinned number of signature lines and not one more", () => {
    const lines = (count: number): string => {
      const signatures = Array.from({ length: count }, (_, i) => logLine(`log${i}`, LOG_SEED, TEXT));
      return formatNote(TEXT, signatures);
    };
    expect(parseNote(lines(LIMITS.maxNoteSignatures))?.signatures.length).toBe(LIMITS.maxNoteSignatures);
    expect(parseNote(lines(LIMITS.maxNoteSignatures + 1))).toBeNull();
  });
});

describe("the length of a note", () => {
  it("is read up to the bound of a proof, in characters, and not one more", () => {
    const long = (length: number): string => {
      const line = NOTE.slice(TEXT.length);
      return `${"x".repeat(length - line.length - 1)}\n${line}`;
    };
    expect(long(LIMITS.maxTlogProofBytes).length).toBe(LIMITS.maxTlogProofBytes);
    expect(parseNote(long(LIMITS.maxTlogProofBytes))).not.toBeNull();
    expect(parseNote(long(LIMITS.maxTlogProofBytes + 1))).toBeNull();
  });
});

describe("openNote", () => {
  const other = logKey("other", W1_SEED);

  it("ignores lines of keys it was not given, and needs one it was", () => {
    const two = formatNote(TEXT, [...present(parseNote(NOTE)).signatures, logLine("other", W1_SEED, TEXT)]);
    expect(openNote(two, [KEY])?.verified.map(({ key }) => key.name)).toEqual(["example.com/foo"]);
    expect(openNote(two, [KEY, other])?.verified.length).toBe(2);
    expect(openNote(two, [])).toBeNull();
    expect(openNote(NOTE, [other])).toBeNull();
  });

  it("ignores a line where only the name or only the key id fits", () => {
    const renamed = NOTE.replace("example.com/foo", "example.com/bar");
    expect(openNote(renamed, [KEY])).toBeNull();
    const sameName = logKey("example.com/foo", W1_SEED);
    expect(checkNoteSignature(present(parseNote(NOTE)), sameName)).toEqual({ kind: "absent" });
    const ownId = formatNote(TEXT, [
      ...present(parseNote(renamed)).signatures,
      logLine("other", W1_SEED, TEXT),
    ]);
    expect(openNote(ownId, [KEY, other])?.verified.length).toBe(1);
  });

  it("refuses the whole note when one known line does not verify", () => {
    const good = logLine("other", W1_SEED, TEXT);
    const wrong = { ...good, signature: good.signature.slice().reverse() };
    const first = present(parseNote(NOTE)).signatures;
    expect(openNote(formatNote(TEXT, [...first, good]), [KEY, other])).not.toBeNull();
    expect(openNote(formatNote(TEXT, [...first, wrong]), [KEY, other])).toBeNull();
    expect(openNote(formatNote(TEXT, [...first, wrong]), [KEY])).not.toBeNull();
  });

  it("refuses the whole note when a known line has no blob of a cosignature", () => {
    const text = "log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n";
    const [first, second] = [witnessLine("w", W1_SEED, text, 7), logLine("other", W1_SEED, text)];
    const short = { ...first, signature: first.signature.slice(1) };
    const keys = [witnessKey("w", W1_SEED), other];
    expect(openNote(formatNote(text, [first, second]), keys)?.verified.length).toBe(2);
    expect(openNote(formatNote(text, [short, second]), keys)).toBeNull();
    expect(checkNoteSignature(present(parseNote(formatNote(text, [short]))), present(keys[0]))).toEqual({
      kind: "wrong",
    });
  });

  it("does not read a cosignature as a log signature, or the other way round", () => {
    const text = "log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n";
    const asLog = logKey("w", W1_SEED);
    const asWitness = witnessKey("w", W1_SEED);
    const cosignature = witnessLine("w", W1_SEED, text, 7);
    expect(openNote(formatNote(text, [cosignature]), [asWitness])?.verified[0]?.time).toBe(7);
    expect(openNote(formatNote(text, [{ ...cosignature, keyId: asLog.keyId }]), [asLog])).toBeNull();
    const plain = logLine("w", W1_SEED, text);
    expect(openNote(formatNote(text, [{ ...plain, keyId: asWitness.keyId }]), [asWitness])).toBeNull();
  });
});

describe("cosignature", () => {
  it("verifies a real checkpoint with three real witnesses", () => {
    const note = `log2025-alpha3.rekor.sigstage.dev
4026479
5iaX4xK6PMnp4ZFTP4iywMcwLgaTjzgRTkrTOUFIrfY=

\u2014 log2025-alpha3.rekor.sigstage.dev 09OnDHwVrKeXjBYQ4NJ5EoENdtpBwZcV3X8n+cAZFIk+8LBPKEpZcKqoN2CfjGw0zlQwt+U2pLt5UyYEFv+STPHPmQg=
\u2014 witness.stagemole.eu Z/euoAAAAABqBM+21mV7JbHwWmLP20ZSpNWneHMkITOPopt+Vj1MoJSILqOIPpx93pbRfA0U+Eq5IiJjEUhG1JwGhPCJEUT5yDcFDg==
\u2014 staging.witness.transparency.goog/ring-any-bells LhqNyQAAAABqBM+2Ob9EtpF9h6IUMXc/LTRkkXiNAgbbohBxHekby1oASdDtPLkgZLmBHH73DF25f2L8xGgp/qVwoZK5thKXc6XnCw==
\u2014 witness.navigli.sunlight.geomys.org o+AP4gAAAABqBM+2NoYlK4g3lkC5QltDB6f2F9U8yF6+8kXKjLKHAYvSDJ3u5dZufSU3bz+AtJMdOoMixoFJBkQ397WY/mE0i9tlCg==
`;
    const keys = [
      "log2025-alpha3.rekor.sigstage.dev+d3d3a70c+AZQ93VXPMmj9uZj7U/7CefQ9yy8RgYFv6mKzOseipjqp",
      "witness.stagemole.eu+67f7aea0+BEqSG3yu9YrmcM3BHvQYTxwFj3uSWakQepafafpUqklv",
      "staging.witness.transparency.goog/ring-any-bells+2e1a8dc9+BG5JTpLc3FJtwzgh1Uv+Qelz9qeOH2bfWjS1s0s+y4rL",
      "witness.navigli.sunlight.geomys.org+a3e00fe2+BNy/co4C1Hn1p+INwJrfUlgz7W55dSZReusH/GhUhJ/G",
    ].map((vkey) => present(parseVerifierKey(vkey)));
    const times = openNote(note, keys)?.verified.map(({ time }) => time);
    expect(times).toEqual([null, 1778700214, 1778700214, 1778700214]);
    expect(openNote(note.replace("4026479", "4026478"), keys)).toBeNull();
  });

  it("signs a text that begins with its time and holds the whole checkpoint", () => {
    expect(decodeUtf8(cosignatureMessage("log\n1\nroot\nextension\n", 12))).toBe(
      "cosignature/v1\ntime 12\nlog\n1\nroot\nextension\n",
    );
  });

  it("takes a blob of exactly 72 bytes dated up to the end of the year 9999", () => {
    const signature = new Uint8Array(64).fill(3);
    const blob = formatCosignature({ time: 253_402_300_799, signature });
    expect(parseCosignature(blob)).toEqual({ time: 253_402_300_799, signature });
    expect(parseCosignature(formatCosignature({ time: 253_402_300_800, signature }))).toBeNull();
    expect(parseCosignature(blob.subarray(1))).toBeNull();
    expect(parseCosignature(new Uint8Array([...blob, 0]))).toBeNull();
  });
});

interface NoteVector {
  readonly id: string;
  readonly note?: string;
  readonly noteBase64?: string;
  readonly keys?: readonly string[];
  readonly origin?: string;
  readonly expect: "accept" | "reject";
  readonly verifies?: readonly { readonly name: string; readonly kind: string; readonly time?: number }[];
}

const vectors: readonly NoteVector[] = haveVectors ? JSON.parse(vectorText("notes.json")) : [];

describe.skipIf(!haveVectors)("public notes", () => {
  it("has all of them", () => {
    expect(vectors.length).toBeGreaterThanOrEqual(38);
  });

  it.each(vectors.map((vector) => [vector.id, vector] as const))("%s", (_, vector) => {
    const raw = vector.note === undefined ? decodeBase64(vector.noteBase64 ?? "") : encodeUtf8(vector.note);
    const note = decodeUtf8(present(raw));
    const keys = (vector.keys ?? []).map(parseVerifierKey).filter((key): key is VerifierKey => key !== null);
    const opened = note === null ? null : openNote(note, keys);
    const named = vector.origin;
    const accepted =
      opened !== null && (named === undefined || parseCheckpoint(opened.text)?.origin === named);
    // Type 0x05 is not read here, so its line is one of an unknown key.
    const expected = (vector.verifies ?? []).filter(({ kind }) => kind !== "rfc6962");
    expect(accepted).toBe(vector.expect === "accept" && expected.length > 0);
    if (!accepted) return;
    expect(opened.verified.map(({ key, time }) => ({ name: key.name, time }))).toEqual(
      expected.map(({ name, time }) => ({ name, time: time ?? null })),
    );
  });
});
