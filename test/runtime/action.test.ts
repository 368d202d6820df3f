import { describe, expect, it, vi } from "vitest";
import { sha256Hex } from "../../src/crypto/digest.js";
import { decodeHex, encodeHex } from "../../src/encoding/hex.js";
import { newActionRandoms, takeSalt } from "../../src/runtime/entropy.js";
import {
  createLocalSigner,
  discloseAction,
  generatePrivateKey,
  newId,
  newSalt,
  type SignedAction,
  signAction,
} from "../../src/runtime/index.js";
import { commit, NO_EVIDENCE_ROOT, openCommitment, statementDigest } from "../../src/statements/index.js";
import { leafHash, rootFromInclusion } from "../../src/tree/index.js";

const signer = createLocalSigner({
  keyId: "runtime-key-1",
  algorithm: "ED25519",
  privateKey: generatePrivateKey("ED25519"),
});
const context = {
  namespace_id: "acme",
  agent_id: "@ai:acme.example/clerk",
  runtime_id: "r1",
  session_id: "s1",
  mission_id: "m1",
  delegation_digest: sha256Hex(new Uint8Array([1])),
  policy_digest: sha256Hex(new Uint8Array([2])),
};

async function act(evidence: Parameters<typeof signAction>[0]["evidence"] = []): Promise<SignedAction> {
  return signAction({
    signer,
    context,
    sequence: 1,
    parents: [],
    tool: "search",
    input: { json: { q: "x" } },
    output: { bytes: new Uint8Array([0, 255]) },
    status: "completed",
    evidence,
    now: Date.UTC(2026, 0, 2, 3, 4, 5),
  });
}

describe("signAction", () => {
  it.each(["hello", "0x00ff", new ArrayBuffer(2), [1, 2], null])(
    "refuses bytes that are %o",
    async (bytes) => {
      const content = { bytes } as unknown as { bytes: Uint8Array };
      await expect(act([content])).rejects.toMatchObject({ code: "ARGUMENT_INVALID", pointer: "/bytes" });
    },
  );

  it("signs a receipt whose commitments its openings open, each in its own place only", async () => {
    const { receipt, digest, openings } = await act();
    expect(digest).toBe(statementDigest(receipt));
    expect(receipt).toMatchObject({ ...context, issued_at: "2026-01-02T03:04:05Z", sequence: 1 });
    expect(receipt.evidence_merkle_root).toBe(NO_EVIDENCE_ROOT);
    const { input, output } = openings;
    expect(openCommitment(receipt.input_commitment, input.salt, input.value)).toBe(true);
    expect(openCommitment(receipt.output_commitment, output.salt, output.value)).toBe(true);
    expect(openCommitment(receipt.input_commitment, output.salt, output.value)).toBe(false);
    expect(output.value).toEqual({
      kind: "output",
      receipt_id: receipt.receipt_id,
      bytes: "0x00ff",
      status: "completed",
    });
  });

  it("gives the digest that others will name the receipt by", async () => {
    const { receipt, digest } = await act([{ json: 1 }]);
    expect(digest).toBe(statementDigest(receipt));
  });

  it("F097 takes fresh salts and ids each time, so that equal actions do not look equal", async () => {
    const [a, b] = [await act(), await act()];
    for (const member of ["receipt_id", "action_id", "input_commitment", "output_commitment"] as const) {
      expect(a.receipt[member]).not.toBe(b.receipt[member]);
    }
  });

  it.each([1, 2, 3])(
    "puts %d evidence items under the root that their disclosures lead to",
    async (count) => {
      const items = Array.from({ length: count }, (_, n) => ({ json: { n } }));
      const { receipt, digest, openings } = await act(items);
      const shown = discloseAction(digest, openings, { input: false, output: false, evidence: true });
      expect(shown.length).toBe(count);
      for (const [index, { value, salt, inclusion }] of shown.entries()) {
        expect(value).toMatchObject({ kind: "evidence", json: { n: index } });
        const { commitment } = commit(value, decodeHex(salt) ?? new Uint8Array());
        const root = rootFromInclusion({
          leafHash: leafHash(decodeHex(commitment) ?? new Uint8Array()),
          index,
          size: count,
          path: (inclusion?.audit_path ?? []).map((hash) => decodeHex(hash) ?? new Uint8Array()),
        });
        expect(root === null ? null : encodeHex(root)).toBe(receipt.evidence_merkle_root);
      }
      expect(discloseAction(digest, openings, { input: true, output: true, evidence: false }).length).toBe(2);
    },
  );

  it("refuses what canonical JSON cannot hold and a receipt that the protocol does not have", async () => {
    const broken = { json: { n: Number.NaN } };
    const base = {
      signer,
      context,
      sequence: 1,
      parents: [],
      tool: "t",
      output: { json: 1 },
      status: "completed",
    } as const;
    await expect(signAction({ ...base, input: broken })).rejects.toMatchObject({ name: "OsaProofError" });
    await expect(signAction({ ...base, input: { json: 1 }, tool: "a b" })).rejects.toMatchObject({
      code: "ARGUMENT_INVALID",
    });
    await expect(signAction({ ...base, input: { json: 1 }, sequence: 0 })).rejects.toMatchObject({
      code: "ARGUMENT_INVALID",
    });
    for (const more of [{ evidences: [] }, { evidence: null }, { input: { json: 1, status: "failed" } }]) {
      const wrong = { ...base, input: { json: 1 }, ...more } as never;
      await expect(signAction(wrong)).rejects.toMatchObject({ code: "ARGUMENT_INVALID" });
    }
    for (const wrong of [undefined, null, { ...base, input: null }, { ...base, input: undefined }]) {
      await expect(signAction(wrong as never)).rejects.toMatchObject({ code: "ARGUMENT_INVALID" });
    }
    const two = { json: 1, bytes: new Uint8Array(1) };
    await expect(signAction({ ...base, input: two as never })).rejects.toMatchObject({
      code: "ARGUMENT_INVALID",
    });
    for (const parents of [undefined, "0x00", { length: 0 }]) {
      await expect(
        signAction({ ...base, input: { json: 1 }, parents: parents as never }),
      ).rejects.toMatchObject({ code: "ARGUMENT_INVALID" });
    }
    await expect(signAction({ ...base, input: { json: 1 } })).resolves.toBeDefined();
  });

  it("keeps what the caller had at the time of the call", async () => {
    const json = { amount: 12 };
    const signing = signAction({
      signer,
      context,
      sequence: 1,
      parents: [],
      tool: "t",
      input: { json },
      output: { json },
      status: "completed",
    });
    json.amount = 13;
    const { receipt, openings } = await signing;
    expect(openings.input.value).toMatchObject({ json: { amount: 12 } });
    expect(openCommitment(receipt.input_commitment, openings.input.salt, openings.input.value)).toBe(true);
    expect(openCommitment(receipt.output_commitment, openings.output.salt, openings.output.value)).toBe(true);
  });
});

describe("entropy", () => {
  it("gives 32 bytes of salt and ids of 128 bits, never the same", () => {
    expect(newSalt().length).toBe(32);
    expect(encodeHex(newSalt())).not.toBe(encodeHex(newSalt()));
    expect(newId("receipt")).toMatch(/^receipt-[0-9a-f]{32}$/);
    expect(newId("x")).not.toBe(newId("x"));
  });

  it("gives every action its own part of a draw, and leaves nothing of it behind", () => {
    const pools = new Set<Uint8Array>();
    const drawn: string[] = [];
    const draw = globalThis.crypto.getRandomValues.bind(globalThis.crypto);
    const spy = vi.spyOn(globalThis.crypto, "getRandomValues").mockImplementation((array) => {
      const filled = draw(array);
      if (filled instanceof Uint8Array) {
        pools.add(filled);
        drawn.push(encodeHex(filled).slice(2));
      }
      return filled;
    });
    // What is left of an earlier draw goes first.
    for (let i = 0; i < 50; i += 1) newActionRandoms();
    const parts: string[] = [];
    for (let i = 0; i < 200; i += 1) {
      const { receiptId, actionId, inputSalt, outputSalt } = newActionRandoms();
      const salts = [inputSalt, outputSalt, takeSalt()];
      expect(salts.map((salt) => salt.length)).toEqual([32, 32, 32]);
      for (const pool of pools) {
        const held = encodeHex(pool);
        for (const salt of salts) expect(held).not.toContain(encodeHex(salt).slice(2));
      }
      const ids = [receiptId, actionId].map((id) => id.slice(id.indexOf("-") + 1));
      parts.push(...ids, ...salts.map((salt) => encodeHex(salt).slice(2)));
    }
    spy.mockRestore();
    expect(new Set(parts).size).toBe(parts.length);
    expect(parts.every((part) => drawn.filter((each) => each.includes(part)).length === 1)).toBe(true);
    expect(drawn.length).toBeLessThan(15);
  });

  it("gives nothing when the generator fails, and goes on when it works again", () => {
    const spy = vi.spyOn(globalThis.crypto, "getRandomValues").mockImplementation(() => {
      throw new Error("no entropy");
    });
    const made: string[] = [];
    expect(() => {
      for (let i = 0; i < 200; i += 1) made.push(encodeHex(takeSalt()));
    }).toThrow("no entropy");
    expect(() => takeSalt()).toThrow("no entropy");
    spy.mockRestore();
    for (let i = 0; i < 200; i += 1) made.push(encodeHex(takeSalt()));
    expect(new Set(made).size).toBe(made.length);
    expect(made).not.toContain(encodeHex(new Uint8Array(32)));
  });
});
