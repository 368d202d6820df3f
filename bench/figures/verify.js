/** A whole verification, all checks, over the bare signature checks that nobody can do without. */
import { createPublicKey, verify } from "node:crypto";
import { decodeBundle, verifyBundle } from "../../dist/index.js";
import { canonicalStatement } from "../../dist/statements/canonical.js";
import { interleave, ratios } from "../lib/rounds.js";
import { makeBundle } from "../session.js";

const RECEIPTS = 10_000;
const QUICK_RECEIPTS = 2_000;

/** The signature checks of a bundle's receipts with nothing around them: one cached key, messages at hand. */
export function rawChecks(bundle) {
  const [certificate] = bundle.runtime_key_certificates;
  // Ed25519 hashes by itself.
  const digest = bundle.receipts[0].signing_algorithm === "ED25519" ? null : "sha256";
  const bytes = (hex) => Buffer.from(hex.slice(2), "hex");
  const key = createPublicKey({ key: bytes(certificate.public_key), format: "der", type: "spki" });
  const signed = bundle.receipts.map((receipt) => [
    canonicalStatement(receipt).signedBytes,
    bytes(receipt.signature),
  ]);
  return () => {
    for (const [message, signature] of signed) {
      if (!verify(digest, message, key, signature)) throw new Error("a signature of the benchmark is wrong");
    }
  };
}

/** Everything `verifyBundle` does, on the bytes of a bundle that it accepts. */
export function wholeCheck({ bytes, trust, at }) {
  return () => {
    const { verdict, first_failure: failure } = verifyBundle(bytes, trust, { at });
    if (verdict !== "ACCEPTED") throw new Error(`the benchmark's own bundle was rejected: ${failure?.code}`);
  };
}

function verification(options) {
  return async ({ rounds, quick }) => {
    const items = quick ? QUICK_RECEIPTS : RECEIPTS;
    const made = await makeBundle(items, options);
    const { raw, whole } = await interleave(
      {
        raw: { run: rawChecks(decodeBundle(made.bytes)), items },
        whole: { run: wholeCheck(made), items },
      },
      { rounds },
    );
    return { samples: ratios(whole, raw) };
  };
}

export const verifyComplete = {
  name: "verify",
  title: "verify 10,000 receipts, complete tree, one thread: CPU over raw `crypto.verify`",
  unit: "x",
  target: 1.5,
  quick: true,
  measure: verification({}),
};

export const verifyInclusion = {
  name: "verify-inclusion",
  title: "the same with an inclusion proof for each receipt",
  unit: "x",
  target: 1.75,
  measure: verification({ proofs: true }),
};

export const verifyEd25519 = {
  name: "verify-ed25519",
  title: "verify 10,000 Ed25519 receipts, one thread: CPU over raw `crypto.verify`",
  unit: "x",
  target: 1.45,
  quick: true,
  measure: verification({ algorithm: "ED25519" }),
};
