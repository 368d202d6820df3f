import canonicalize from "canonicalize";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/crypto/digest.js";
import type { Signer } from "../../src/crypto/signer.js";
import { encodeHex } from "../../src/encoding/hex.js";
import { decodeUtf8, encodeUtf8 } from "../../src/encoding/utf8.js";
import { createLocalSigner } from "../../src/runtime/local-signer.js";
import {
  type ActionReceiptDraft,
  canonicalStatement,
  canonicalText,
  createActionReceipt,
  createDelegation,
  createRevocationList,
  createRootRotation,
  createSessionClose,
} from "../../src/statements/index.js";

const signer = (keyId: string, fill: number): Signer =>
  createLocalSigner({ keyId, algorithm: "ECDSA_P256", privateKey: new Uint8Array(32).fill(fill) });
const runtime = signer("runtime-key", 7);
const digest = (text: string): string => sha256Hex(encodeUtf8(text));

const draft: ActionReceiptDraft = {
  receipt_id: "r-1",
  namespace_id: "n",
  agent_id: "@ai:a.example/x",
  runtime_id: "rt",
  session_id: "s",
  mission_id: "m",
  action_id: "a",
  sequence: 1,
  parent_receipt_digests: [digest("b"), digest("a"), digest("c")],
  delegation_digest: digest("d"),
  policy_digest: digest("p"),
  tool: "shell",
  input_commitment: digest("i"),
  output_commitment: digest("o"),
  evidence_merkle_root: digest(""),
  issued_at: "2026-01-01T00:00:00Z",
};

async function codeOf(made: Promise<unknown>): Promise<unknown> {
  return made.then(
    () => undefined,
    (error: { readonly code?: unknown }) => error.code,
  );
}

describe("canonical statements", () => {
  it("are what the canonicalize package writes, with and without signatures", async () => {
    const receipt = await createActionReceipt(draft, runtime);
    const { signedBytes, digest: whole } = canonicalStatement(receipt);
    const { signature, ...unsigned } = receipt;
    expect(signature).toMatch(/^0x30/);
    expect(decodeUtf8(signedBytes)).toBe(canonicalize(unsigned));
    expect(whole).toBe(sha256Hex(encodeUtf8(canonicalize(receipt) ?? "")));
  });

  it("leave out both signatures of a rotation, and only at the top", async () => {
    const window = {
      namespace_id: "n",
      issued_at: "2026-01-01T00:00:00Z",
      effective_at: "2026-01-02T00:00:00Z",
    };
    const rotation = await createRootRotation(
      { ...window, rotation_number: 1 },
      signer("old", 1),
      signer("new", 2),
    );
    const { signature: _old, new_root_signature: _new, ...unsigned } = rotation;
    expect(decodeUtf8(canonicalStatement(rotation).signedBytes)).toBe(canonicalize(unsigned));
    const nested = { a: { signature: "kept" }, signature: "gone" };
    expect(decodeUtf8(canonicalStatement(nested).signedBytes)).toBe('{"a":{"signature":"kept"}}');
  });

  it("agree with the canonicalize package on any closed shape", () => {
    const leaf = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.maxSafeNat(),
      fc.constant(null),
      fc.array(fc.string()),
    );
    const shape = fc.dictionary(
      fc.string({ minLength: 1 }),
      fc.oneof(leaf, fc.dictionary(fc.string(), leaf)),
    );
    fc.assert(
      fc.property(shape, (value) => {
        expect(canonicalText(value)).toBe(canonicalize(value));
      }),
    );
  });
});

describe("makers", () => {
  it("F060 sort parents and change nothing else", async () => {
    const receipt = await createActionReceipt(draft, runtime);
    expect(receipt.parent_receipt_digests).toEqual([...draft.parent_receipt_digests].sort());
    expect(receipt).toMatchObject({ ...draft, parent_receipt_digests: receipt.parent_receipt_digests });
    expect(await createActionReceipt(draft, runtime)).toEqual(receipt);
  });

  it.each<[string, Partial<Record<keyof ActionReceiptDraft | "type", unknown>>]>([
    ["an unknown member", { type: "ActionReceiptV3" }],
    ["a wrong type", { sequence: "1" }],
    ["null", { tool: null }],
    ["sequence 0", { sequence: 0 }],
    ["sequence 2^53", { sequence: 2 ** 53 }],
    ["a fraction", { sequence: 1.5 }],
    ["an upper-case digest", { policy_digest: digest("p").toUpperCase() }],
    ["a repeated parent", { parent_receipt_digests: [digest("a"), digest("a")] }],
    ["65 parents", { parent_receipt_digests: Array.from({ length: 65 }, (_, index) => digest(`${index}`)) }],
    ["a wildcard tool", { tool: "fs.*" }],
    ["a reserved tool", { tool: "osa.other" }],
    ["a tool with a space", { tool: "a b" }],
    ["an agent without path", { agent_id: "@ai:a.example" }],
    ["an agent with ..", { agent_id: "@ai:a.example/../x" }],
    ["an upper-case DNS name", { agent_id: "@ai:A.example/x" }],
    ["a day that does not exist", { issued_at: "2026-02-30T00:00:00Z" }],
    ["a time with an offset", { issued_at: "2026-01-01T00:00:00+00:00" }],
  ])("refuse %s", async (_, change) => {
    expect(await codeOf(createActionReceipt({ ...draft, ...change } as ActionReceiptDraft, runtime))).toBe(
      "ARGUMENT_INVALID",
    );
  });

  it("take osa.denied, 64 parents and milliseconds", async () => {
    const parents = Array.from({ length: 64 }, (_, index) => digest(`${index}`));
    const change = {
      tool: "osa.denied",
      parent_receipt_digests: parents,
      issued_at: "2026-01-01T00:00:00.001Z",
    };
    expect(await codeOf(createActionReceipt({ ...draft, ...change }, runtime))).toBeUndefined();
  });

  it("find a signer that signs something else, or with another key", async () => {
    const other = signer("runtime-key", 8);
    const honest: Signer = { ...publicPart(runtime), sign: (bytes) => runtime.sign(bytes) };
    const forger: Signer = { ...publicPart(runtime), sign: (bytes) => other.sign(bytes) };
    const deaf: Signer = { ...publicPart(runtime), sign: () => runtime.sign(encodeUtf8("something else")) };
    const broken: Signer = { ...honest, publicKey: new Uint8Array(91) };
    for (const bad of [forger, deaf, broken]) {
      expect(await codeOf(createActionReceipt(draft, bad))).toBe("SIGNER_FAILED");
    }
    expect(await codeOf(createActionReceipt(draft, honest))).toBeUndefined();
  });

  it("F009 tell null from absent: null stands in previous_list_digest alone", async () => {
    const list = {
      namespace_id: "n",
      issued_at: draft.issued_at,
      list_number: 1,
      not_after: draft.issued_at,
      entries: [],
    };
    expect(
      await codeOf(createRevocationList({ ...list, previous_list_digest: null }, runtime)),
    ).toBeUndefined();
    expect(await codeOf(createRevocationList(list as never, runtime))).toBe("ARGUMENT_INVALID");
    const delegation = {
      namespace_id: "n",
      issued_at: draft.issued_at,
      delegation_id: "d",
      agent_id: draft.agent_id,
      agent_key_certificate_digest: digest("c"),
      mission_id: "m",
      session_id: "s",
      runtime_id: "rt",
      policy_digest: digest("p"),
      tools: ["shell"],
      not_before: draft.issued_at,
      not_after: "2026-01-02T00:00:00Z",
    };
    expect(await codeOf(createDelegation(delegation, runtime))).toBeUndefined();
    expect(await codeOf(createDelegation({ ...delegation, max_actions: null } as never, runtime))).toBe(
      "ARGUMENT_INVALID",
    );
    expect(await codeOf(createDelegation({ ...delegation, tools: [] }, runtime))).toBe("ARGUMENT_INVALID");
  });

  it("ask for the agent certificate exactly when the agent closes", async () => {
    const close = {
      namespace_id: "n",
      issued_at: draft.issued_at,
      agent_id: draft.agent_id,
      runtime_id: "rt",
      session_id: "s",
      final_sequence: 1,
      receipt_count: 1,
      last_receipt_digest: digest("r"),
      runtime_key_certificate_digests: [digest("c")],
    };
    const certificate = { agent_key_certificate_digest: digest("a") };
    const made = (by: "runtime" | "agent", extra: object) =>
      codeOf(createSessionClose({ ...close, closed_by: by, ...extra }, runtime));
    expect(await made("runtime", {})).toBeUndefined();
    expect(await made("agent", certificate)).toBeUndefined();
    expect(await made("runtime", certificate)).toBe("ARGUMENT_INVALID");
    expect(await made("agent", {})).toBe("ARGUMENT_INVALID");
  });
});

/** A signer's public members as a plain object; getters and private fields stay behind. */
function publicPart(of: Signer): Pick<Signer, "keyId" | "algorithm" | "publicKey"> {
  expect(encodeHex(of.publicKey)).toHaveLength(184);
  return { keyId: of.keyId, algorithm: of.algorithm, publicKey: of.publicKey };
}
