/** The receipts of a session, in one of the shapes that a history can have. */
import { statementDigest } from "../../dist/index.js";
import { commit, createActionReceipt, NO_EVIDENCE_ROOT } from "../../dist/statements/index.js";
import { AGENT, at, NAMESPACE, POLICY, STEP } from "./chain.js";

/** Salts need only be fresh here, not secret: the benchmark opens nothing. */
function salt(index) {
  const bytes = new Uint8Array(32);
  new DataView(bytes.buffer).setUint32(0, index);
  return bytes;
}

/** Which receipts the next one comes after, by shape, from the digests so far. */
const PARENTS = {
  /** A chain in which every eighth receipt merges the seven before it. */
  mixed: (digests) => digests.slice(digests.length % 8 === 7 ? -7 : -1),
  chain: (digests) => digests.slice(-1),
  fan: (digests) => digests.slice(0, 1),
};

/** Commits and signs `count` receipts, one after the other, as a runtime does; gives each with its digest. */
export async function* eachReceipt(count, { runtime, delegation, run }, shape = "mixed") {
  const digests = [];
  const delegationDigest = statementDigest(delegation);
  for (let index = 0; index < count; index += 1) {
    const id = `receipt-${index + 1}`;
    const input = { kind: "input", receipt_id: id, json: { command: "cat report.txt", index } };
    const output = {
      kind: "output",
      receipt_id: id,
      status: "completed",
      json: { exit_code: 0, lines: index },
    };
    const receipt = await createActionReceipt(
      {
        receipt_id: id,
        namespace_id: NAMESPACE,
        agent_id: AGENT,
        ...run,
        mission_id: "mission",
        action_id: `action-${index + 1}`,
        sequence: index + 1,
        parent_receipt_digests: PARENTS[shape](digests),
        delegation_digest: delegationDigest,
        policy_digest: POLICY,
        tool: "shell",
        input_commitment: commit(input, salt(2 * index)).commitment,
        output_commitment: commit(output, salt(2 * index + 1)).commitment,
        evidence_merkle_root: NO_EVIDENCE_ROOT,
        issued_at: at(index * STEP),
      },
      runtime,
    );
    const digest = statementDigest(receipt);
    digests.push(digest);
    yield { receipt, digest };
  }
}

/** {@link eachReceipt}, collected. */
export async function signReceipts(count, made, shape) {
  const receipts = [];
  const digests = [];
  for await (const { receipt, digest } of eachReceipt(count, made, shape)) {
    receipts.push(receipt);
    digests.push(digest);
  }
  return { receipts, digests };
}
