/** Runs changed copies of the auditor's own bundle, policy and questions against a verifier. */
import { encodingOf, parseEither } from "../../bundle/codec.js";
import { groupBy } from "../../bundle/contents.js";
import { concatBytes } from "../../encoding/bytes.js";
import { encodeCbor } from "../../encoding/cbor.js";
import { canonicalBytes } from "../../encoding/jcs.js";
import type { JsonValue } from "../../encoding/json-value.js";
import { parseTime } from "../../encoding/time.js";
import { OsaProofError } from "../../errors.js";
import * as LIMITS from "../../limits.js";
import { bundleMutations } from "./bundle-mutations.js";
import type { Inputs } from "./controls.js";
import { asArray, movedTime, valueAt } from "./edit.js";
import type { Mutation } from "./mutation.js";
import { pinMutations, type Trial } from "./pin-mutations.js";
import { type ControlCount, type SelftestFailure, Tally } from "./report.js";
import { judge, mustBeRejected, outcome, parsedPolicy, type Verify } from "./run.js";

/** Bytes that a run judges in all, about, unless its user asks for another number of copies. */
const BYTES_JUDGED = 20_000_000;
const MOST_COPIES = 1_000;
const FEWEST_COPIES = 20;

/** How many changed copies of a bundle of this size are judged in a few seconds. */
export function defaultCopies(bundleBytes: number): number {
  return Math.max(FEWEST_COPIES, Math.min(MOST_COPIES, Math.floor(BYTES_JUDGED / bundleBytes)));
}

/**
 * Changes copies of the auditor's bundle, at most about `limit` of them, spread evenly over each kind, and the pins and
 * questions that it is judged by. Every copy must be rejected, for a reason that goes with its change. `published` is a
 * policy that pins the packaged controls' keys.
 * @throws OsaProofError ARGUMENT_INVALID when the bundle itself is not accepted: then nothing can be learned from it
 */
export function runBundle(
  verify: Verify,
  inputs: Inputs,
  published: Uint8Array,
  limit: number,
  failures: SelftestFailure[],
  progress: (done: number, total: number) => void,
): readonly ControlCount[] {
  const accepted = judge(verify, inputs);
  if (accepted.verdict !== "ACCEPTED") {
    throw new OsaProofError(
      "ARGUMENT_INVALID",
      `the bundle is rejected as it is (${outcome(accepted)}), and a rejected bundle cannot be the base of a control: give one that is accepted, or see osa-proof verify`,
    );
  }
  const tally = new Tally(failures);
  const value = parseEither(inputs.bundle, LIMITS.maxBundleBytes).value ?? null;
  const policy = parsedPolicy(inputs.trust) ?? null;
  const encode = (changed: JsonValue): Uint8Array =>
    encodingOf(inputs.bundle) === "cbor" ? encodeCbor(changed) : canonicalBytes(changed);
  const again = outcome(judge(verify, { ...inputs, bundle: encode(value) }));
  const copied = { control: "unchanged copy", pointer: "", expected: "ACCEPTED", found: again };
  tally.record("unchanged copy", again === "ACCEPTED" ? null : copied);
  const trials = [
    ...byteTrials(inputs),
    ...timeTrials(inputs, value),
    ...pinMutations(inputs, value, accepted, policy, parsedPolicy(published) ?? null),
  ];
  for (const { kind, pointer, reasons, inputs: changed } of trials) {
    tally.record(kind, mustBeRejected(judge(verify, changed), kind, pointer, reasons));
  }
  const mutations = bundleMutations(value, accepted, pinnedKeys(policy), inputs.supplement !== undefined);
  const { chosen, left } = spread(mutations, limit);
  for (const [kind, count] of left) tally.skip(kind, count);
  for (const [index, { kind, pointer, reasons, make }] of chosen.entries()) {
    const report = judge(verify, { ...inputs, bundle: encode(make()) });
    tally.record(kind, mustBeRejected(report, kind, pointer, reasons));
    progress(index + 1, chosen.length);
  }
  return tally.counts();
}

const CUTS = 16;
const CENTURY_MILLISECONDS = 100 * 365 * 86_400_000;

function byteTrials(inputs: Inputs): readonly Trial[] {
  const { bundle } = inputs;
  const trial = (kind: string, bytes: Uint8Array): Trial => ({
    kind,
    pointer: "",
    reasons: ["FORMAT"],
    inputs: { ...inputs, bundle: bytes },
  });
  const cuts = Array.from({ length: CUTS }, (_, step) => Math.floor((bundle.length * step) / CUTS));
  return [
    ...cuts.map((length) => trial("bytes cut", bundle.subarray(0, length))),
    trial("bytes added", concatBytes(bundle, Uint8Array.of(0x78))),
    trial("bytes added", concatBytes(Uint8Array.of(0xef, 0xbb, 0xbf), bundle)),
  ];
}

/** Long before anything was signed, and long after the newest list has ended. */
function timeTrials(inputs: Inputs, bundle: JsonValue): readonly Trial[] {
  const times = asArray(valueAt(bundle, ["receipts"])).map((receipt) =>
    parseTime(String(valueAt(receipt, ["issued_at"]))),
  );
  const first = times.reduce<number>(
    (least, time) => Math.min(least, time ?? least),
    Number.MAX_SAFE_INTEGER,
  );
  const last = parseTime(inputs.at) ?? 0;
  return [movedTime(first, -CENTURY_MILLISECONDS), movedTime(last, CENTURY_MILLISECONDS)].map((at) => ({
    kind: "verification time moved",
    pointer: "/at",
    reasons: ["REVOCATION"],
    inputs: { ...inputs, at },
  }));
}

function pinnedKeys(policy: JsonValue): readonly string[] {
  return ["logs", "witnesses"].flatMap((name) =>
    asArray(valueAt(policy, ["tlog", name])).map((entry) => String(valueAt(entry, ["vkey"]))),
  );
}

/** At most about `limit` of them, the same share of each kind, from the first to the last. */
function spread(
  mutations: readonly Mutation[],
  limit: number,
): { readonly chosen: readonly Mutation[]; readonly left: ReadonlyMap<string, number> } {
  const kinds = groupBy(mutations, ({ kind }) => kind);
  const share = Math.max(1, Math.floor(limit / Math.max(1, kinds.size)));
  const chosen: Mutation[] = [];
  const left = new Map<string, number>();
  for (const [kind, all] of kinds) {
    const count = Math.min(share, all.length);
    for (let place = 0; place < count; place += 1) {
      const mutation = all[Math.floor((place * all.length) / count)];
      if (mutation !== undefined) chosen.push(mutation);
    }
    left.set(kind, all.length - count);
  }
  return { chosen, left };
}
