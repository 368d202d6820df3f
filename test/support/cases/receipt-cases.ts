/** Check 5, RECEIPT: each receipt is signed by the runtime key it names, in that key's time. */
import { at, MINUTE, testDigest } from "../keys.js";
import { casesFrom, type InvalidCase, resigned, signedBy, tampered } from "./invalid.js";
import { highS, oneBitOff, paddedR, sPlusOrder } from "./signatures.js";

const entry = casesFrom("one-receipt");

function signature(name: string, why: string, how: string, made: Partial<InvalidCase>): InvalidCase {
  return entry("RECEIPT_SIGNATURE_INVALID", name, "/receipts/0", why, how, made);
}

const FORK = { parent: "fork-and-merge" } as const;

export const RECEIPT_CASES: readonly InvalidCase[] = [
  entry(
    "RECEIPT_KEY_UNRESOLVED",
    "no-runtime-certificate",
    "/receipts/0",
    "Without a certificate for its key nobody answers for the receipt.",
    "The runtime's certificate was taken out.",
    {
      bundle: (bundle) => {
        bundle["runtime_key_certificates"] = [];
      },
    },
  ),
  entry(
    "RECEIPT_ALGORITHM_MISMATCH",
    "labelled-ed25519",
    "/receipts/0",
    "The key decides the algorithm; a label that says otherwise is an attempt to choose.",
    "The receipt is labelled Ed25519 and signed by its P-256 key.",
    resigned("receipt:1", (receipt) => {
      receipt["signing_algorithm"] = "ED25519";
    }),
  ),
  entry(
    "RECEIPT_ALGORITHM_MISMATCH",
    "labelled-p256",
    "/receipts/0",
    "The key decides the algorithm; a label that says otherwise is an attempt to choose.",
    "The receipt is labelled P-256 and signed by its Ed25519 key.",
    {
      parent: "mixed-algorithms",
      ...resigned("receipt:1", (receipt) => {
        receipt["signing_algorithm"] = "ECDSA_P256";
      }),
    },
  ),
  signature(
    "output-changed",
    "A signature covers every member: the receipt says something that its runtime did not sign.",
    "`output_commitment` was changed after signing; tree and anchor were made over the changed receipt.",
    tampered("receipt:1", (receipt) => {
      receipt["output_commitment"] = testDigest("another output");
    }),
  ),
  signature(
    "by-the-agent",
    "Only the runtime's key signs receipts; the agent's key was not in the sandbox.",
    "The agent's key signed the receipt in the runtime's name.",
    signedBy("receipt:1", "planner-key"),
  ),
  signature(
    "one-bit",
    "A signature that does not verify proves nothing.",
    "The last bit of the signature was changed.",
    tampered("receipt:1", (receipt) => {
      receipt["signature"] = oneBitOff(receipt["signature"]);
    }),
  ),
  signature(
    "high-s",
    "Of the two values of S only the lower is allowed, or one signed receipt would have two digests.",
    "S was replaced by n - S, which verifies in most libraries.",
    tampered("receipt:1", (receipt) => {
      receipt["signature"] = highS(receipt["signature"]);
    }),
  ),
  signature(
    "padded-der",
    "Only strict DER is allowed, or one signed receipt would have many digests.",
    "A zero byte was put before r, which many parsers skip.",
    tampered("receipt:1", (receipt) => {
      receipt["signature"] = paddedR(receipt["signature"]);
    }),
  ),
  signature(
    "ed25519-s-plus-order",
    "S must be below the group order, or one signed receipt would have two digests.",
    "The group order was added to S of an Ed25519 signature.",
    {
      parent: "one-receipt-ed25519",
      ...tampered("receipt:1", (receipt) => {
        receipt["signature"] = sPlusOrder(receipt["signature"]);
      }),
    },
  ),
  entry(
    "RECEIPT_OUTSIDE_KEY_WINDOW",
    "at-its-end",
    "/receipts/0",
    "Windows are half-open: at the instant of its end a key no longer signs.",
    "The receipt is dated at the very end of its runtime key's window.",
    resigned("receipt:1", (receipt) => {
      receipt["issued_at"] = at(30 * MINUTE);
    }),
  ),
  entry(
    "RECEIPT_OUTSIDE_KEY_WINDOW",
    "before-its-begin",
    "/receipts/0",
    "Windows get no clock skew.",
    "The runtime key's window begins one second after the receipt.",
    resigned("runtime:rt-1", (certificate) => {
      certificate["not_before"] = at(5 * MINUTE + 1);
    }),
  ),
  entry(
    "RECEIPT_ID_REUSED",
    "two-receipts",
    "/receipts/1",
    "A receipt_id names one receipt; openings are bound to it.",
    "The second receipt bears the id of the first.",
    {
      ...FORK,
      ...resigned("receipt:2", (receipt) => {
        receipt["receipt_id"] = "receipt-1";
      }),
    },
  ),
  entry(
    "RECEIPT_COMMITMENT_REUSED",
    "copied-input",
    "/receipts/1/input_commitment",
    "Each commitment has its own salt and place, so an equal one was copied without knowing what is in it.",
    "The second receipt bears the input commitment of the first.",
    {
      ...FORK,
      ...resigned("receipt:2", (receipt, world) => {
        receipt["input_commitment"] = world.find("receipt:1").statement["input_commitment"];
      }),
    },
  ),
  entry(
    "RECEIPT_COMMITMENT_REUSED",
    "output-is-input",
    "/receipts/0/output_commitment",
    "Each commitment has its own salt and place, so an equal one was copied without knowing what is in it.",
    "The receipt bears its input commitment as output commitment.",
    resigned("receipt:1", (receipt) => {
      receipt["output_commitment"] = receipt["input_commitment"];
    }),
  ),
];
