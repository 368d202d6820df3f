/** Field faults of verdicts, and of what a receipt gives away. */
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/crypto/digest.js";
import { canonicalBytes } from "../../src/encoding/jcs.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import { decodeUtf8, encodeUtf8 } from "../../src/encoding/utf8.js";
import { CHECKS } from "../../src/errors.js";
import { createLocalSigner, signAction } from "../../src/runtime/index.js";
import { generatePrivateKey } from "../../src/runtime/private-key.js";
import { openCommitment } from "../../src/statements/commitment.js";
import { testSalt } from "../support/keys.js";
import { disclosures, oneReceipt } from "../support/stories.js";
import { codeOf, expectCase, expectCases, storyBytes, verifyBytes, verifyStory } from "./support.js";

describe("field faults of verdicts", () => {
  it("F030 a signed record of a denied, failed or pending action answers no question about a completed one", async () => {
    await expectCases(
      "EXPECTATION_OUTPUT_MISMATCH/another-status",
      "EXPECTATION_OUTPUT_MISMATCH/status-withheld",
    );
    await expectCases(
      "EXPECTATION_TARGET_MISMATCH/another-tool",
      "DELEGATION_OUTSIDE_WINDOW/action-after-its-end",
    );
  });

  it("F085 nothing at all is never a pass: no bytes, no receipt, no target, no pin, no question", async () => {
    await expectCases(
      ...[
        "FORMAT_TRUNCATED/empty",
        "FORMAT_EMPTY/no-receipt",
        "FORMAT_EMPTY/no-target",
        "TRUST_POLICY_MISSING/empty-policy",
      ],
      ...[
        "TRUST_POLICY_INVALID/nothing-pinned",
        "TRUST_POLICY_INVALID/no-log",
        "TRUST_INPUT_INVALID/expectations-ask-nothing",
      ],
    );
    for (const text of ["{}", "[]", "null", " ", "0"]) {
      expect(verifyBytes(encodeUtf8(text)).verdict).toBe("REJECTED");
    }
  });

  it("F086 each question has its own line, and what was not looked at is neither good nor bad", async () => {
    const good = verifyStory(await oneReceipt());
    expect(good.checks.map(({ check }) => check)).toEqual(CHECKS);
    expect(good.checks.map(({ status }) => status)).not.toContain("FAIL");
    const unread = verifyBytes(encodeUtf8("{"));
    expect(unread.verdict).toBe("REJECTED");
    const after = unread.checks.slice(CHECKS.indexOf("FORMAT") + 1);
    expect(new Set(after.map(({ status }) => status))).toEqual(new Set(["NOT_EVALUATED"]));
    // A required check that cannot be made is a failure, never "not evaluated".
    const required = await expectCase("ATTESTATION_MISSING/required-and-not-there");
    expect(required.checks.find(({ check }) => check === "ATTESTATION")?.status).toBe("FAIL");
  });

  it("F091 every report, good or bad, says what it does not prove", async () => {
    for (const report of [verifyStory(await oneReceipt()), verifyBytes(encodeUtf8("{}"))]) {
      const limits = report.does_not_prove.join(" ");
      expect(report.does_not_prove.length).toBeGreaterThan(2);
      expect(limits).toMatch(/true|truth|correct/i);
      expect(limits).toMatch(/nothing else happened/);
    }
  });

  it("F092 a claim of a whole session must hold the records that make it whole", async () => {
    await expectCases(
      ...[
        "DAG_CLOSE_MISSING/no-close",
        "DAG_SEAL_MISSING/required-by-the-policy",
        "DAG_SEQUENCE_GAP/receipt-in-the-middle",
      ],
      ...[
        "DAG_SEAL_MISMATCH/runtime-left-out",
        "EVIDENCE_NOT_INCLUDED/close-in-no-tree",
        "IDENTITY_RECORD_MISSING/no-record",
      ],
    );
  });

  it("F083 F084 an attestation that this version cannot judge fails where one is required", async () => {
    await expectCases(
      "ATTESTATION_DOCUMENT_INVALID/no-decoder",
      "ATTESTATION_MISSING/required-and-not-there",
    );
  });
});

describe("field faults of privacy", () => {
  const signer = createLocalSigner({
    keyId: "k",
    algorithm: "ED25519",
    privateKey: generatePrivateKey("ED25519"),
  });
  const digest = sha256Hex(new Uint8Array());
  const context = {
    namespace_id: "n",
    agent_id: "@ai:example.org/a",
    runtime_id: "r",
    session_id: "s",
    mission_id: "m",
    delegation_digest: digest,
    policy_digest: digest,
  };
  const act = (json: JsonValue) =>
    signAction({
      ...{ signer, context, sequence: 1, parents: [], tool: "pay", status: "completed" },
      input: { json },
      output: { json },
      evidence: [{ json }],
    });

  it("F097 each field of each receipt has a salt of 256 bits of its own, and no salt is in what is signed", async () => {
    const made = await Promise.all(Array.from({ length: 40 }, () => act("yes")));
    const salts = made.flatMap(({ openings: { input, output, evidence } }) =>
      [input, output, ...evidence].map(({ salt }) => salt),
    );
    expect(new Set(salts).size).toBe(120);
    expect(salts.every((salt) => salt.length === 66)).toBe(true);
    const published = JSON.stringify(made.map(({ receipt }) => receipt));
    expect(salts.filter((salt) => published.includes(salt.slice(2)))).toEqual([]);
    const commitments = made.flatMap(({ receipt }) => [receipt.input_commitment, receipt.output_commitment]);
    expect(new Set(commitments).size).toBe(80);
  });

  it("F098 a value out of a short list is not found by trying the list against the receipt", async () => {
    const { receipt, openings } = await act("yes");
    const { kind: _, ...bare } = openings.input.value;
    for (const guess of ["yes", "no"]) {
      const value = { ...openings.input.value, json: guess };
      // The salt is what decides: without it every guess looks alike.
      expect(openCommitment(receipt.input_commitment, openings.input.salt, value)).toBe(guess === "yes");
      for (const salt of [`0x${"00".repeat(32)}`, digest, openings.output.salt]) {
        expect(openCommitment(receipt.input_commitment, salt, value)).toBe(false);
      }
      const unsalted = [guess, { json: guess }, { ...bare, json: guess }, value].map((one) =>
        sha256Hex(canonicalBytes(JSON.parse(JSON.stringify(one)))),
      );
      expect(unsalted.filter((hash) => JSON.stringify(receipt).includes(hash.slice(2)))).toEqual([]);
    }
  });

  it("F099 an opening fits one field of one receipt", async () => {
    await expectCases(
      ...[
        "EVIDENCE_DISCLOSURE_MISMATCH/moved-to-another-receipt",
        "EVIDENCE_DISCLOSURE_MISMATCH/item-shown-twice",
      ],
      ...["EVIDENCE_DISCLOSURE_MISMATCH/salt-changed", "EVIDENCE_DISCLOSURE_MISMATCH/value-changed"],
    );
  });

  it("F100 without its openings a bundle still verifies, and holds nothing of what they showed", async () => {
    const made = await disclosures();
    const bare = { ...made, bundle: { ...made.bundle, disclosures: [] } };
    expect(codeOf(verifyStory(made))).toBe("ACCEPTED");
    expect(codeOf(verifyStory(bare))).toBe("ACCEPTED");
    const [shown, withheld] = [made, bare].map((one) => decodeUtf8(storyBytes(one)) ?? "");
    for (const secret of [
      "make report",
      "total: 42",
      Buffer.from(testSalt("receipt:1 input")).toString("hex"),
    ]) {
      expect(shown).toContain(secret);
      expect(withheld).not.toContain(secret);
    }
  });
});
