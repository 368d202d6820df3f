/** The short way to a signed receipt answers only where the long way gives the same receipt, and fails as that fails. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/crypto/digest.js";
import { parsePublicKey, type SigningAlgorithm } from "../../src/crypto/keys.js";
import { verifySignature } from "../../src/crypto/signature.js";
import type { Signer } from "../../src/crypto/signer.js";
import { decodeHex } from "../../src/encoding/hex.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { OsaProofError } from "../../src/errors.js";
import { createLocalSigner } from "../../src/runtime/local-signer.js";
import { createNodeSigner } from "../../src/runtime/node-signer.js";
import { canonicalStatement, statementDigest } from "../../src/statements/canonical.js";
import type { Signed } from "../../src/statements/maker.js";
import { type ActionReceiptV3, signReceipt } from "../../src/statements/receipt.js";
import {
  type ReceiptAction,
  type ReceiptContext,
  signReceiptOf,
} from "../../src/statements/receipt-writer.js";

const digest = (text: string): string => sha256Hex(encodeUtf8(text));
const options = (keyId: string, algorithm: SigningAlgorithm) => ({
  keyId,
  algorithm,
  privateKey: new Uint8Array(32).fill(7),
});
/** Signs at once, and the same message always alike. */
const node = createNodeSigner(options("key", "ED25519"));
/** Promises only. */
const promising = createLocalSigner(options("key", "ED25519"));

const context: ReceiptContext = {
  namespace_id: "acme",
  agent_id: "@ai:acme.example/clerk",
  runtime_id: "rt",
  session_id: "s",
  mission_id: "m",
  delegation_digest: digest("d"),
  policy_digest: digest("p"),
};
const action: ReceiptAction = {
  receipt_id: "r-1",
  action_id: "a-1",
  sequence: 12,
  parent_receipt_digests: [digest("q"), digest("p")],
  tool: "shell",
  input_commitment: digest("i"),
  output_commitment: digest("o"),
  evidence_merkle_root: digest(""),
  issued_at: "2026-01-01T00:00:00.250Z",
};

type Outcome =
  | Signed<ActionReceiptV3>
  | { readonly code: string; readonly pointer: unknown; readonly message: string };

async function outcomeOf(make: () => unknown): Promise<Outcome> {
  try {
    return (await make()) as Signed<ActionReceiptV3>;
  } catch (error) {
    if (!(error instanceof OsaProofError)) throw error;
    return { code: error.code, pointer: error.pointer, message: error.message };
  }
}

/** Both ways to one receipt: equal, member for member and in one order, or the same refusal. */
async function bothWays(
  someContext: ReceiptContext,
  someAction: ReceiptAction,
  signer: Signer = node,
): Promise<Outcome> {
  const short = await outcomeOf(async () => signReceiptOf(someContext, someAction, signer));
  const long = await outcomeOf(() => signReceipt({ ...someContext, ...someAction }, signer));
  expect(short).toStrictEqual(long);
  if ("statement" in short && "statement" in long) {
    expect(Object.keys(short.statement)).toEqual(Object.keys(long.statement));
    expect(short.digest).toBe(statementDigest(short.statement));
  }
  return short;
}

/** Names as texts that JSON has to escape, and others. */
const identifier = fc.string({ unit: fc.constantFrom(...'ab/"\\<~!'), minLength: 1, maxLength: 12 });
const someDigest = fc.string({ maxLength: 3 }).map(digest);
const contexts = fc.record({
  namespace_id: identifier,
  agent_id: fc.constantFrom("@ai:acme.example/clerk", "@ai:b.example/x/y"),
  runtime_id: identifier,
  session_id: identifier,
  mission_id: identifier,
  delegation_digest: someDigest,
  policy_digest: someDigest,
});
const actions = fc.record({
  receipt_id: identifier,
  action_id: identifier,
  sequence: fc.integer({ min: 1 }),
  parent_receipt_digests: fc.uniqueArray(someDigest, { maxLength: 5 }),
  tool: identifier,
  input_commitment: someDigest,
  output_commitment: someDigest,
  evidence_merkle_root: someDigest,
  issued_at: fc.constantFrom("2026-01-01T00:00:00Z", "2026-01-01T00:00:00.001Z"),
});

describe("a receipt by the short way", () => {
  it("is that of the long way, whatever stood in the receipt before it", async () => {
    await fc.assert(
      fc.asyncProperty(contexts, fc.array(actions, { minLength: 1, maxLength: 3 }), async (some, list) => {
        for (const each of list) expect(await bothWays(some, each)).toHaveProperty("statement");
      }),
      { numRuns: 150 },
    );
  });

  it("is made without a promise by a signer that waits for nobody, and by any other with one", async () => {
    expect(signReceiptOf(context, action, node)).not.toBeInstanceOf(Promise);
    const later = signReceiptOf(context, action, promising);
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toStrictEqual(signReceiptOf(context, action, node));
    await bothWays(context, action, promising);
    // A wrapped signer is asked, not its wrapped one.
    const wrapped: Signer = { ...node, sign: async () => new Uint8Array(64) };
    expect(await bothWays(context, action, wrapped)).toMatchObject({ code: "SIGNER_FAILED" });
  });

  it.each(["ECDSA_P256", "ED25519"] as const)("has a strict signature of %s", (algorithm) => {
    const signer = createNodeSigner(options("key", algorithm));
    const key = parsePublicKey(signer.publicKey);
    if (key === null) throw new Error("expected a key");
    for (let sequence = 1; sequence <= 40; sequence += 1) {
      const made = signReceiptOf(context, { ...action, sequence }, signer);
      if (made instanceof Promise) throw new Error("expected no promise");
      const { signedBytes, digest: expected } = canonicalStatement(made.statement);
      expect(made.digest).toBe(expected);
      const signature = decodeHex(made.statement.signature) ?? new Uint8Array();
      expect(verifySignature(key, signedBytes, signature)).toBe(true);
    }
  });

  it("shares nothing with what it was made from", async () => {
    const parents = [digest("q"), digest("p")];
    const own = { ...context };
    const first = await bothWays(own, { ...action, parent_receipt_digests: parents });
    const before = JSON.stringify(first);
    parents.push("x");
    Object.assign(own, { session_id: "other" });
    expect(JSON.stringify(first)).toBe(before);
    expect(await bothWays(own, action)).toHaveProperty("statement.session_id", "other");
    Object.assign(own, { session_id: "no space allowed" });
    expect(await bothWays(own, action)).toMatchObject({ pointer: "/session_id" });
    expect(await bothWays(context, action)).toHaveProperty("statement.session_id", "s");
  });

  it("follows the signer's name and algorithm", async () => {
    for (const algorithm of ["ED25519", "ECDSA_P256", "ED25519"] as const) {
      for (const keyId of ["key", "other", "no space allowed"]) {
        const made = await outcomeOf(async () =>
          signReceiptOf(context, action, createNodeSigner(options(keyId, algorithm))),
        );
        if (keyId.includes(" ")) expect(made).toMatchObject({ pointer: "/runtime_key_id" });
        else
          expect(made).toMatchObject({ statement: { runtime_key_id: keyId, signing_algorithm: algorithm } });
      }
    }
    const lying: Signer = { ...node, algorithm: "ECDSA_P256" };
    expect(await bothWays(context, action, lying)).toMatchObject({ code: "SIGNER_FAILED" });
  });
});

describe("what is out of the ordinary", () => {
  const WRONG: readonly unknown[] = [
    undefined,
    null,
    0,
    -1,
    1.5,
    "",
    "a b",
    "é",
    "\ud800",
    [],
    {},
    ["x"],
    [undefined],
  ];

  it("is refused as the long way refuses it, member by member", async () => {
    await bothWays(context, action);
    let refused = 0;
    for (const value of WRONG) {
      for (const name of Object.keys(context)) {
        if ("code" in (await bothWays({ ...context, [name]: value }, action))) refused += 1;
      }
      for (const name of Object.keys(action)) {
        if ("code" in (await bothWays(context, { ...action, [name]: value }))) refused += 1;
      }
    }
    // All but a sequence of no kind here, and no parents.
    expect(refused).toBe(WRONG.length * 16 - 1);
  });

  it("is refused where members are missing, too many, symbols, or lent by a prototype", async () => {
    const { session_id, ...fewer } = context;
    const odd: readonly unknown[] = [
      undefined,
      null,
      "text",
      fewer,
      { ...fewer, sesion_id: session_id },
      { ...context, more: "x" },
      { ...context, [Symbol("more")]: "x" },
      { ...fewer, protocol: "OSA_PROOF_V3" },
      Object.assign(Object.create({ session_id }), fewer),
      Object.defineProperty({ ...context }, "session_id", { enumerable: false }),
    ];
    for (const each of odd) {
      await bothWays(context, action);
      expect(await bothWays(each as ReceiptContext, action)).toMatchObject({ code: "ARGUMENT_INVALID" });
    }
    const parents = [digest("p"), digest("p")];
    expect(await bothWays(context, { ...action, parent_receipt_digests: parents })).toMatchObject({
      pointer: "/parent_receipt_digests/1",
    });
    const sixtyFive = Array.from({ length: 65 }, (_, i) => digest(`${i}`));
    for (const [count, outcome] of [
      [64, "statement"],
      [65, "code"],
    ] as const) {
      const some = { ...action, parent_receipt_digests: sixtyFive.slice(0, count) };
      expect(await bothWays(context, some)).toHaveProperty(outcome);
    }
  });

  it("is taken from a context with accessors as from one with data", async () => {
    const accessors = Object.defineProperties(
      {},
      Object.fromEntries(
        Object.entries(context).map(([name, value]) => [name, { get: () => value, enumerable: true }]),
      ),
    ) as ReceiptContext;
    expect(await bothWays(accessors, action)).toStrictEqual(await bothWays(context, action));
    // A value that is another at each reading is accepted only as what was checked.
    let reads = 0;
    const turning = {
      ...context,
      get session_id() {
        reads += 1;
        return reads % 2 === 0 ? "no space allowed" : "s";
      },
    };
    for (let i = 0; i < 6; i += 1) {
      const made = await outcomeOf(async () => signReceiptOf(turning, action, node));
      if ("statement" in made) expect(made.statement.session_id).toBe("s");
    }
  });
});
