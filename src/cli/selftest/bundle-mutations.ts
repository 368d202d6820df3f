/**
 * Changes of a bundle that its verifier has accepted, each of which it must refuse. What the specification lets a
 * packer leave out (openings, policy documents, newer records and lists) is not left out here, nor is anything that
 * only an unpinned ledger says.
 */
import type { JsonValue } from "../../encoding/json-value.js";
import { parseTime } from "../../encoding/time.js";
import type { VerificationReportV1 } from "../../verifier/report.js";
import { anchorMutations } from "./anchor-mutations.js";
import {
  another,
  asArray,
  asObject,
  changedAt,
  descendants,
  isHexText,
  isLeaf,
  type Path,
  pointerOf,
  valueAt,
  withUnknownMember,
} from "./edit.js";
import { followedChanges } from "./followed.js";
import { type Make, type Mutation, mutationsOf, type Reason } from "./mutation.js";

/** A kind of signed statement: the check that verifies its signature, and what it says of a wrong one. */
interface Signed {
  readonly noun: string;
  readonly check: Reason;
  readonly wrong: readonly Reason[];
  /** What misses one that is left out; empty where the specification lets a packer leave it out. */
  readonly missed: readonly Reason[];
}

/** By array of the bundle. A list stands one level deeper than the others, beside its anchors. */
const SIGNED: Readonly<Record<string, Signed>> = {
  identity_records: {
    noun: "identity record",
    check: "IDENTITY",
    wrong: ["IDENTITY_SIGNATURE_INVALID"],
    missed: [],
  },
  root_rotations: {
    noun: "root rotation",
    check: "IDENTITY",
    wrong: ["IDENTITY_SIGNATURE_INVALID", "IDENTITY_ROTATION_INVALID"],
    missed: [],
  },
  agent_key_certificates: {
    noun: "agent key certificate",
    check: "IDENTITY",
    wrong: ["IDENTITY_SIGNATURE_INVALID"],
    missed: ["FORMAT", "IDENTITY"],
  },
  runtime_key_certificates: {
    noun: "runtime key certificate",
    check: "IDENTITY",
    wrong: ["IDENTITY_SIGNATURE_INVALID"],
    missed: ["FORMAT", "IDENTITY", "RECEIPT"],
  },
  delegations: {
    noun: "delegation",
    check: "DELEGATION",
    wrong: ["DELEGATION_SIGNATURE_INVALID"],
    missed: ["FORMAT", "DELEGATION"],
  },
  receipts: {
    noun: "receipt",
    check: "RECEIPT",
    wrong: ["RECEIPT_SIGNATURE_INVALID"],
    missed: ["FORMAT", "DAG"],
  },
  session_closes: {
    noun: "session close",
    check: "DAG",
    wrong: ["DAG_CLOSE_INVALID"],
    missed: ["FORMAT", "DAG"],
  },
  session_seals: {
    noun: "session seal",
    check: "DAG",
    wrong: ["DAG_SEAL_INVALID"],
    missed: ["FORMAT", "DAG"],
  },
  revocation_lists: {
    noun: "revocation list",
    check: "REVOCATION",
    wrong: ["REVOCATION_SIGNATURE_INVALID"],
    missed: [],
  },
};

const REPEATABLE = [...Object.keys(SIGNED), "policies", "evidence_trees", "attestations", "disclosures"];

/** A member that a closed object must have, or its version. */
const ABSENT: readonly Reason[] = ["FORMAT_MISSING_MEMBER", "FORMAT_VERSION_UNSUPPORTED"];
const UNKNOWN: readonly Reason[] = ["FORMAT_UNKNOWN_MEMBER"];

/**
 * All mutations of an accepted bundle. `bundle` is its parsed value, `report` the report that accepted it, `vkeys` the
 * verifier keys that the policy pins; `hasSupplement` says that lists came from elsewhere too.
 */
export function bundleMutations(
  bundle: JsonValue,
  report: VerificationReportV1,
  vkeys: readonly string[],
  hasSupplement: boolean,
): readonly Mutation[] {
  const make = mutationsOf(bundle);
  return [
    ...signedMutations(bundle, make),
    ...REPEATABLE.flatMap((name) => doubled(bundle, name)),
    ...wholeMutations(bundle, hasSupplement, make),
    ...treeMutations(bundle, report, make),
    ...disclosureMutations(bundle, make),
    ...exchangedSignatures(bundle),
    ...anchorMutations(bundle, report, vkeys),
  ];
}

function signedMutations(bundle: JsonValue, make: Make): readonly Mutation[] {
  const entries = Object.entries(SIGNED).flatMap(([name, signed]) =>
    asArray(valueAt(bundle, [name])).map((_, index) => ({
      entry: [name, index] as const,
      path: name === "revocation_lists" ? [name, index, "list"] : [name, index],
      signed,
    })),
  );
  const followed = followedChanges(
    bundle,
    entries.map(({ path }) => path),
  );
  return [
    ...entries.map(({ path, signed }) => ({
      // A kind for each, so that a run that tries few copies tries each signature.
      kind: `${signed.noun} signature changed, names follow`,
      pointer: pointerOf([...path, "signature"]),
      reasons: signed.wrong,
      make: () => followed(path),
    })),
    ...entries.flatMap(({ path, signed }) => statementMutations(bundle, path, signed, make)),
    ...entries.flatMap(({ entry, signed }) =>
      signed.missed.length === 0 ? [] : [make("statement left out", signed.missed, entry, () => undefined)],
    ),
  ];
}

/**
 * A signature covers every member, so each change of one, a member less and a member more must be noticed: by the
 * schema or the names of the statement, which FORMAT judges, or by the check that verifies the signature.
 */
function statementMutations(
  bundle: JsonValue,
  path: Path,
  { check }: Signed,
  make: Make,
): readonly Mutation[] {
  const statement = valueAt(bundle, path) ?? null;
  const leaves = [...descendants(statement)].filter(({ value }) => isLeaf(value));
  const reasons: readonly Reason[] = ["FORMAT", check];
  return [
    ...leaves.map(({ path: below, value }) =>
      make(kindOf(below, value), reasons, [...path, ...below], another),
    ),
    ...Object.keys(asObject(statement)).map((name) =>
      make("member left out", reasons, [...path, name], () => undefined),
    ),
    make("member added", UNKNOWN, path, withUnknownMember),
  ];
}

function kindOf(path: Path, value: JsonValue): string {
  if (String(path.at(-1)).endsWith("signature")) return "signature changed";
  if (isHexText(value)) return "digest or key changed";
  return typeof value === "string" && parseTime(value) !== null ? "time moved" : "member changed";
}

function doubled(bundle: JsonValue, name: string): readonly Mutation[] {
  return asArray(valueAt(bundle, [name])).map((item, index) => ({
    kind: "statement doubled",
    pointer: pointerOf([name, index]),
    reasons: ["FORMAT_DUPLICATE_STATEMENT"],
    make: () => changedAt(bundle, [name], (items) => [...asArray(items), item]),
  }));
}

/** What the wrapper says, and whole kinds that no bundle can do without. */
function wholeMutations(bundle: JsonValue, hasSupplement: boolean, make: Make): readonly Mutation[] {
  const emptied: readonly (readonly [string, readonly Reason[]])[] = [
    ["identity_records", ["FORMAT", "IDENTITY"]],
    ["evidence_trees", ["FORMAT", "EVIDENCE"]],
    ...(hasSupplement ? [] : [["revocation_lists", ["REVOCATION_LIST_MISSING"]] as const]),
  ];
  return [
    ...Object.keys(asObject(bundle)).map((name) => make("member left out", ABSENT, [name], () => undefined)),
    ...emptied.map(([name, reasons]) => make("kind left out", reasons, [name], () => [])),
    make("kind left out", ["FORMAT_EMPTY"], ["claim", "targets"], () => []),
    make("member added", UNKNOWN, [], withUnknownMember),
    make("member added", UNKNOWN, ["claim"], withUnknownMember),
    ...["protocol", "type", "mission_id"].map((name) => make("member changed", ["FORMAT"], [name], another)),
    make("member changed", ["TRUST", "FORMAT"], ["namespace_id"], another),
    ...asArray(valueAt(bundle, ["claim", "targets"])).map((_, index) =>
      make("digest or key changed", ["FORMAT", "DAG"], ["claim", "targets", index], another),
    ),
    // Policy documents have no schema; this one is no longer the one that a delegation names.
    ...asArray(valueAt(bundle, ["policies"])).map((_, index) =>
      make("member added", ["FORMAT"], ["policies", index], withUnknownMember),
    ),
  ];
}

function treeMutations(bundle: JsonValue, report: VerificationReportV1, make: Make): readonly Mutation[] {
  return asArray(valueAt(bundle, ["evidence_trees"])).flatMap((tree, index) => {
    const path = ["evidence_trees", index];
    const pinned = report.times.some(({ pointer }) => pointer.startsWith(`/evidence_trees/${index}/`));
    const leaves = [...descendants(tree)].filter(
      ({ path: below, value }) => below[0] !== "anchors" && isHexText(value),
    );
    return [
      ...leaves.map(({ path: below }) =>
        make("digest or key changed", ["FORMAT", "EVIDENCE"], [...path, ...below], another),
      ),
      // Only the anchor's entry binds the size of a tree that is shown in part.
      ...(pinned
        ? [make("member changed", ["FORMAT", "EVIDENCE", "ANCHOR"], [...path, "tree_size"], another)]
        : []),
      make("member added", UNKNOWN, path, withUnknownMember),
    ];
  });
}

function disclosureMutations(bundle: JsonValue, make: Make): readonly Mutation[] {
  return asArray(valueAt(bundle, ["disclosures"])).flatMap((shown, index) => {
    const path = ["disclosures", index];
    const hashes = asArray(valueAt(shown, ["inclusion", "audit_path"])).map((_, at) => [
      "inclusion",
      "audit_path",
      at,
    ]);
    const changed: readonly Path[] = [["salt"], ["receipt_digest"], ["value", "receipt_id"], ...hashes];
    return [
      ...changed.map((below) =>
        make("opening changed", ["FORMAT", "EVIDENCE"], [...path, ...below], another),
      ),
      make("member added", UNKNOWN, path, withUnknownMember),
    ];
  });
}

/** Two receipts exchange their signatures; both are genuine, and each is over the other. */
function exchangedSignatures(bundle: JsonValue): readonly Mutation[] {
  const receipts = asArray(valueAt(bundle, ["receipts"]));
  return receipts.slice(1).map((_, before) => {
    const first: Path = ["receipts", before, "signature"];
    const second: Path = ["receipts", before + 1, "signature"];
    return {
      kind: "signatures exchanged",
      pointer: pointerOf(second),
      reasons: ["FORMAT", "RECEIPT"],
      make: () => {
        const half = changedAt(bundle, first, () => valueAt(bundle, second));
        return changedAt(half, second, () => valueAt(bundle, first));
      },
    };
  });
}
