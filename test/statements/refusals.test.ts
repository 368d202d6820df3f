/** Makers refuse what every verifier would reject, and share nothing with whoever calls them. */
import { describe, expect, it } from "vitest";
import { withholdDisclosures } from "../../src/bundle/assemble.js";
import { decodeBundle } from "../../src/bundle/decode.js";
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import { sha256Hex } from "../../src/crypto/digest.js";
import type { SigningAlgorithm } from "../../src/crypto/keys.js";
import type { Signer } from "../../src/crypto/signer.js";
import { encodeHex } from "../../src/encoding/hex.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { createLocalSigner } from "../../src/runtime/local-signer.js";
import {
  commit,
  createAgentKeyCertificate,
  createDelegation,
  createIdentityRecord,
  createRevocationList,
  createRootRotation,
  createRuntimeKeyCertificate,
  createSessionClose,
  openCommitment,
  statementDigest,
} from "../../src/statements/index.js";

const T1 = "2026-01-01T00:00:00Z";
const T2 = "2026-01-02T00:00:00Z";
const agent_id = "@ai:a.example/x";
const digest = (text: string): string => sha256Hex(encodeUtf8(text));
const signer = (keyId: string, fill: number, algorithm: SigningAlgorithm = "ECDSA_P256"): Signer =>
  createLocalSigner({ keyId, algorithm, privateKey: new Uint8Array(32).fill(fill) });
const key = signer("key", 7);
const issued = { namespace_id: "n", issued_at: T1 };

async function refusal(made: Promise<unknown>): Promise<string> {
  return made.then(
    () => "made",
    (error: { readonly code?: string; readonly pointer?: string }) => `${error.code} ${error.pointer ?? ""}`,
  );
}

type Window = { readonly not_before: string; readonly not_after: string };

const windowed: readonly (readonly [string, (window: Window) => Promise<unknown>])[] = [
  [
    "an identity record",
    (window) =>
      createIdentityRecord(
        {
          ...issued,
          ...window,
          agent_id,
          record_number: 1,
          agent_key_certificate_digests: [digest("c")],
        },
        key,
      ),
  ],
  [
    "an agent key certificate",
    (window) =>
      createAgentKeyCertificate(
        {
          ...issued,
          ...window,
          agent_id,
          agent_key_id: "a",
          public_key: publicKeyOf(signer("a", 8)),
        },
        key,
      ),
  ],
  [
    "a runtime key certificate",
    (window) =>
      createRuntimeKeyCertificate(
        {
          ...issued,
          ...window,
          agent_id,
          runtime_id: "rt",
          session_id: "s",
          agent_key_certificate_digest: digest("c"),
          runtime_key_id: "r",
          public_key: publicKeyOf(signer("r", 9)),
        },
        key,
      ),
  ],
  [
    "a delegation",
    (window) =>
      createDelegation(
        {
          ...issued,
          ...window,
          delegation_id: "d",
          agent_id,
          agent_key_certificate_digest: digest("c"),
          mission_id: "m",
          session_id: "s",
          runtime_id: "rt",
          policy_digest: digest("p"),
          tools: ["shell"],
        },
        key,
      ),
  ],
];

function publicKeyOf(of: Signer): string {
  return encodeHex(of.publicKey);
}

describe("windows", () => {
  it.each(windowed)("%s needs one with an instant in it", async (_, make) => {
    expect(await refusal(make({ not_before: T1, not_after: T2 }))).toBe("made");
    expect(await refusal(make({ not_before: T1, not_after: T1 }))).toBe("ARGUMENT_INVALID /not_after");
    expect(await refusal(make({ not_before: T2, not_after: T1 }))).toBe("ARGUMENT_INVALID /not_after");
  });
});

describe("a root rotation", () => {
  const rotate = (newRoot: Signer, effective_at = T1): Promise<string> =>
    refusal(createRootRotation({ ...issued, effective_at, rotation_number: 1 }, key, newRoot));

  it("leads to another key under another id, of one algorithm", async () => {
    expect(await rotate(signer("next", 8))).toBe("made");
    expect(await rotate(key)).toBe("ARGUMENT_INVALID /new_root_public_key");
    expect(await rotate(signer("next", 7))).toBe("ARGUMENT_INVALID /new_root_public_key");
    expect(await rotate(signer("key", 8))).toBe("ARGUMENT_INVALID /new_root_public_key");
    expect(await rotate(signer("next", 8, "ED25519"))).toBe("ARGUMENT_INVALID /new_root_public_key");
  });

  it("is in effect no sooner than it is issued", async () => {
    expect(await rotate(signer("next", 8), T2)).toBe("made");
    expect(await rotate(signer("next", 8), "2025-12-31T23:59:59Z")).toBe("ARGUMENT_INVALID /effective_at");
  });
});

describe("a revocation list", () => {
  const list = (list_number: number, previous_list_digest: string | null, not_after = T2): Promise<string> =>
    refusal(
      createRevocationList({ ...issued, list_number, not_after, entries: [], previous_list_digest }, key),
    );

  it("names its predecessor from the second on, and only then", async () => {
    expect(await list(1, null)).toBe("made");
    expect(await list(2, digest("l"))).toBe("made");
    expect(await list(2, null)).toBe("ARGUMENT_INVALID /previous_list_digest");
    expect(await list(1, digest("l"))).toBe("ARGUMENT_INVALID /previous_list_digest");
  });
});

describe("a session close", () => {
  const close = (final_sequence: number, receipt_count: number): Promise<string> =>
    refusal(
      createSessionClose(
        {
          ...issued,
          agent_id,
          runtime_id: "rt",
          session_id: "s",
          final_sequence,
          receipt_count,
          last_receipt_digest: digest("r"),
          runtime_key_certificate_digests: [digest("c")],
          closed_by: "runtime",
        },
        key,
      ),
    );

  it("counts as many receipts as it has sequences", async () => {
    expect(await close(3, 3)).toBe("made");
    expect(await close(3, 2)).toBe("ARGUMENT_INVALID /receipt_count");
  });
});

describe("wrong arguments get a typed error", () => {
  const list = { ...issued, list_number: 1, not_after: T2, entries: [], previous_list_digest: null };

  it.each<[string, unknown]>([
    ["no signer", undefined],
    ["null", null],
    ["a signer without sign", { keyId: "k", algorithm: "ED25519", publicKey: new Uint8Array(44) }],
    ["a signer without a key", { keyId: "k", algorithm: "ED25519", sign: async () => new Uint8Array(64) }],
  ])("%s", async (_, wrong) => {
    expect(await refusal(createRevocationList(list, wrong as Signer))).toBe("ARGUMENT_INVALID ");
    expect(await refusal(createRevocationList(list, key))).toBe("made");
  });

  it.each<[string, () => unknown]>([
    ["rejects", () => Promise.reject(new Error("no card"))],
    [
      "throws at once",
      () => {
        throw new Error("no card");
      },
    ],
    ["gives no bytes", () => Promise.resolve("0x00")],
    ["gives nothing", () => undefined],
  ])("a signer that %s", async (_, sign) => {
    const { keyId, algorithm, publicKey } = key;
    const made = createRevocationList(list, { keyId, algorithm, publicKey, sign } as Signer);
    await expect(made).rejects.toMatchObject({ name: "OsaProofError", code: "SIGNER_FAILED" });
  });

  it.each<[string, unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["a number", 5],
    ["an array", []],
    ["a function", { a: () => 1 }],
    ["NaN", { a: Number.NaN }],
    ["a sparse array", { a: new Array(2) }],
    ["a lone surrogate", { a: "\ud800" }],
    ["too deep a nesting", nested(20_000)],
  ])("the digest of what is no statement: %s", (_, value) => {
    expect(statementDigest({ a: "\ud83d\ude00" })).toMatch(/^0x[0-9a-f]{64}$/);
    expect(() => statementDigest(value as object)).toThrow(
      expect.objectContaining({ name: "OsaProofError", code: "ARGUMENT_INVALID" }),
    );
  });
});

function nested(depth: number): unknown {
  let value: unknown = {};
  for (let level = 0; level < depth; level += 1) value = { a: value };
  return value;
}

describe("bundles from plain JavaScript", () => {
  it.each([undefined, null, "text", {}, [1]])("%s is not the bytes of one", (wrong) => {
    expect(() => decodeBundle(wrong as never)).toThrow(expect.objectContaining({ code: "ARGUMENT_INVALID" }));
    expect(() => decodeBundle(encodeUtf8("{}"))).toThrow(expect.objectContaining({ name: "OsaProofError" }));
  });

  it("what decides on disclosures is a function", () => {
    const bundle = { disclosures: [] } as unknown as ProofBundleV3;
    expect(withholdDisclosures(bundle)).toEqual(bundle);
    expect(() => withholdDisclosures(bundle, null as never)).toThrow(
      expect.objectContaining({ code: "ARGUMENT_INVALID" }),
    );
  });
});

describe("a commitment", () => {
  it("keeps a copy: what the caller changes afterwards is not in the opening", () => {
    const json = { amount: 12, lines: [{ text: "a" }] };
    const made = commit({ kind: "input", receipt_id: "r", json }, new Uint8Array(32));
    json.amount = 13;
    json.lines.push({ text: "b" });
    expect(made.value).toEqual({
      kind: "input",
      receipt_id: "r",
      json: { amount: 12, lines: [{ text: "a" }] },
    });
    expect(openCommitment(made.commitment, made.salt, made.value)).toBe(true);
  });

  it("is never opened, and never an exception, by what is no salt, value or commitment", () => {
    const { commitment, salt, value } = commit(
      { kind: "input", receipt_id: "r", json: 1 },
      new Uint8Array(32),
    );
    const hostile = new Proxy(
      {},
      {
        get: () => {
          throw new Error("seen");
        },
        ownKeys: () => {
          throw new Error("seen");
        },
      },
    );
    for (const wrong of [undefined, null, () => 1, new Uint8Array(32), 7, {}, [], hostile, Symbol("s")]) {
      expect(openCommitment(wrong as never, salt, value)).toBe(false);
      expect(openCommitment(commitment, wrong as never, value)).toBe(false);
      expect(openCommitment(commitment, salt, wrong as never)).toBe(false);
    }
    expect(openCommitment(commitment, salt, value)).toBe(true);
  });
});
