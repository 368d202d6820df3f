/**
 * Layer 5: which logs and witnesses an auditor pins, how many witnesses are enough, and the rules that such a
 * description keeps (docs/SPEC.md, "Trust policy"; C2SP tlog-policy).
 */
import { isWellFormed } from "../encoding/utf8.js";
import { COSIGNATURE_ED25519, type VerifierKey } from "./verifier-key.js";

/** Who runs a log or witness, as the auditor sees it: the party whose acts are in question, or somebody else. */
export type Operator = "own" | "independent";

/** A log is its origin and its key together; the name inside the key may differ from the origin. */
export interface LogPin {
  readonly origin: string;
  readonly key: VerifierKey;
}

/** `name` is a label for groups and reports; the name inside the key may differ. */
export interface WitnessPin {
  readonly name: string;
  readonly key: VerifierKey;
}

/** Counts as a member of another group, or as the quorum, when at least `threshold` of its own members count. */
export interface WitnessGroup {
  readonly name: string;
  readonly threshold: number;
  /** Names of witnesses, and of groups that stand before this one. */
  readonly members: readonly string[];
}

/** What a C2SP tlog-policy says: everything but who runs what. */
export interface TlogPolicy {
  readonly logs: readonly LogPin[];
  readonly witnesses: readonly WitnessPin[];
  readonly groups: readonly WitnessGroup[];
  /** The name of a witness or group, or "none": then a log's word alone is enough. */
  readonly quorum: string;
}

export interface TlogTrust extends TlogPolicy {
  readonly logs: readonly (LogPin & { readonly operator: Operator })[];
  readonly witnesses: readonly (WitnessPin & { readonly operator: Operator })[];
}

/** The quorum that asks for no witness; never the name of anything. */
export const NO_QUORUM = "none";

const NAME_FORBIDS = /[\u0000-\u0020\u007f]/;

/**
 * The first rule that a policy breaks, as one clause; null when it keeps all. Refused are: an origin that cannot be a
 * line; a log key of the cosignature type, or a witness key of another; one public key in two places (two logs, two
 * witnesses, or a log and a witness, whatever their names); a name that is empty, used twice or "none"; a group that
 * names something not defined before it; a name that is a member twice in the whole policy; a threshold outside 1 to
 * the number of members; a quorum that nothing defines. A policy without logs keeps the rules.
 */
export function policyFault(policy: TlogPolicy): string | null {
  return keyFault(policy) ?? groupFault(policy);
}

function keyFault({ logs, witnesses }: TlogPolicy): string | null {
  // A cosignature does not sign the name of its key: one key under two names would be counted twice. And a log that
  // is its own witness adds nothing to its own word.
  const thumbprints = new Set<string>();
  for (const { origin, key } of logs) {
    if (!isOrigin(origin))
      return `the origin ${JSON.stringify(origin)} cannot be the first line of a checkpoint`;
    if (key.type === COSIGNATURE_ED25519) return `the key of log "${origin}" is a witness key (type 0x04)`;
    if (thumbprints.has(key.key.thumbprint)) return `the key of log "${origin}" is pinned twice`;
    thumbprints.add(key.key.thumbprint);
  }
  for (const { name, key } of witnesses) {
    if (key.type !== COSIGNATURE_ED25519)
      return `the key of witness "${name}" is not a witness key (type 0x04)`;
    if (thumbprints.has(key.key.thumbprint)) return `the key of witness "${name}" is pinned twice`;
    thumbprints.add(key.key.thumbprint);
  }
  return null;
}

function groupFault({ witnesses, groups, quorum }: TlogPolicy): string | null {
  const defined = new Set<string>();
  const members = new Set<string>();
  for (const { name } of witnesses) {
    const fault = defineName(name, defined);
    if (fault !== null) return fault;
  }
  for (const group of groups) {
    for (const member of group.members) {
      if (!defined.has(member))
        return `group "${group.name}" names "${member}", which is not defined before it`;
      if (members.has(member)) return `"${member}" is a member of a group twice`;
      members.add(member);
    }
    const { threshold } = group;
    if (!Number.isSafeInteger(threshold) || threshold < 1 || threshold > group.members.length) {
      return `group "${group.name}" asks for ${threshold} of ${group.members.length} members`;
    }
    const fault = defineName(group.name, defined);
    if (fault !== null) return fault;
  }
  if (quorum !== NO_QUORUM && !defined.has(quorum)) return `the quorum "${quorum}" is not defined`;
  return null;
}

/** Witnesses and groups share one set of names. */
function defineName(name: string, defined: Set<string>): string | null {
  if (name === "" || NAME_FORBIDS.test(name) || !isWellFormed(name)) {
    return `${JSON.stringify(name)} cannot be a name`;
  }
  if (name === NO_QUORUM) return `"${NO_QUORUM}" is reserved and cannot be a name`;
  if (defined.has(name)) return `the name "${name}" is used twice`;
  defined.add(name);
  return null;
}

function isOrigin(origin: string): boolean {
  return origin !== "" && isWellFormed(origin) && !/[\u0000-\u001f]/.test(origin);
}

/**
 * Is the quorum met when exactly these witnesses count? Names are labels of witnesses. Groups are walked in their
 * order, each after its members, so nothing here depends on depth.
 */
export function quorumMet(
  policy: Pick<TlogPolicy, "groups" | "quorum">,
  counting: ReadonlySet<string>,
): boolean {
  if (policy.quorum === NO_QUORUM) return true;
  const met = new Set(counting);
  for (const group of policy.groups) {
    const count = group.members.filter((member) => met.has(member)).length;
    if (count >= group.threshold) met.add(group.name);
  }
  return met.has(policy.quorum);
}
