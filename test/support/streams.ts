/** Streams that are there as a whole. */
import { encodeBundle } from "../../src/bundle/codec.js";
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import { decodeStream } from "../../src/bundle/stream-decode.js";
import { NO_COUNTS, streamLine } from "../../src/bundle/stream-format.js";
import { runningDigest } from "../../src/crypto/digest.js";
import { concatBytes } from "../../src/encoding/bytes.js";
import { decodeUtf8 } from "../../src/encoding/utf8.js";
import { OsaProofError } from "../../src/errors.js";
import { statementDigest } from "../../src/statements/canonical.js";
import type { VerifyOptions } from "../../src/verifier/check-trust.js";
import type { VerificationReportV1 } from "../../src/verifier/report.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { StreamVerifier } from "../../src/verifier/verify-stream.js";

/** Verifies one in one step. */
export function verifyStreamBytes(
  stream: Uint8Array,
  trust: Uint8Array,
  options: VerifyOptions,
): VerificationReportV1 {
  const verifier = new StreamVerifier(trust, options);
  verifier.take(stream);
  return verifier.report();
}

/** What is wrong with the verification of a stream: it must be that of the bundle that the stream stands for. */
export function streamFault(stream: Uint8Array, trust: Uint8Array, options: VerifyOptions): string | null {
  const report = verifyStreamBytes(stream, trust, options);
  let bundle: ProofBundleV3;
  try {
    bundle = decodeStream(stream);
  } catch (error) {
    if (!(error instanceof OsaProofError)) return `decodeStream threw ${String(error)}`;
    const check = report.first_failure?.check ?? "no check";
    return check === "FORMAT" || check === "TRUST"
      ? null
      : `${check} failed of a stream that stands for no bundle`;
  }
  // A parent that stands behind its child counts as one that is not there, and fails before what else there is.
  if (!isInOrder(bundle))
    return report.verdict === "REJECTED" ? null : "accepted with a child before its parent";
  const whole = verifyBundle(encodeBundle(bundle), trust, options);
  return JSON.stringify(report) === JSON.stringify(whole) ? null : "the report is not that of the bundle";
}

function isInOrder({ receipts }: ProofBundleV3): boolean {
  const digests = receipts.map(statementDigest);
  return receipts.every(({ parent_receipt_digests: parents }, at) =>
    parents.every((parent) => !digests.slice(at).includes(parent)),
  );
}

/** The lines of a stream as they stand, and the trailer that fits them. */
export function withTrailer(lines: readonly Uint8Array[]): Uint8Array {
  const counts: Record<string, number> = { ...NO_COUNTS };
  const digest = runningDigest();
  for (const line of lines) {
    digest.update(line);
    const name = /^\{"(\w+)":/.exec(decodeUtf8(line.subarray(0, 40)) ?? "")?.[1] ?? "";
    if (Object.hasOwn(counts, name)) counts[name] = (counts[name] ?? 0) + 1;
  }
  return concatBytes(...lines, streamLine("trailer", { counts, digest: digest.digest() }));
}

/** Each line with its end, the trailer left out. */
export function linesOf(stream: Uint8Array): readonly Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let start = 0; start < stream.length; ) {
    const end = stream.indexOf(0x0a, start) + 1;
    lines.push(stream.subarray(start, end));
    start = end;
  }
  return lines.slice(0, -1);
}
