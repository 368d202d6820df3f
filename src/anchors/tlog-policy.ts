/** Layer 5: reading what an auditor pins, from JSON and from the C2SP tlog-policy text. */
import { parseDecimal } from "./decimal.js";
import {
  type LogPin,
  type Operator,
  policyFault,
  type TlogPolicy,
  type TlogTrust,
  type WitnessGroup,
  type WitnessPin,
} from "./tlog-trust.js";
import { parseVerifierKey, type VerifierKey } from "./verifier-key.js";

/**
 * Why a trust description cannot be used, as one clause; null when it can. Takes the JSON form, which has the members
 * of `TlogTrust` with each key as its vkey text, or a `TlogTrust` whose keys are parsed already. Every object is
 * closed: an unknown or missing member is a reason, and so is a description without a log and every rule of
 * `policyFault`.
 */
export function checkTlogTrust(trust: unknown): string | null {
  const read = readTrust(trust);
  return typeof read === "string" ? read : null;
}

/** The description that `checkTlogTrust` finds usable, with its keys parsed; null for any other value. */
export function parseTlogTrust(trust: unknown): TlogTrust | null {
  const read = readTrust(trust);
  return typeof read === "string" ? null : read;
}

type Members = Readonly<Record<string, unknown>>;

function readTrust(value: unknown): TlogTrust | string {
  const trust = members(value, ["logs", "witnesses", "groups", "quorum"]);
  if (trust === null) return "expected an object of exactly logs, witnesses, groups and quorum";
  const quorum = trust["quorum"];
  const logs = readList(trust["logs"], readLog);
  const witnesses = readList(trust["witnesses"], readWitness);
  const groups = readList(trust["groups"], readGroup);
  if (logs === null) return "each of logs must be exactly an origin, a key that is a vkey, and an operator";
  if (witnesses === null)
    return "each of witnesses must be exactly a name, a key that is a vkey, and an operator";
  if (groups === null) return "each of groups must be exactly a name, a threshold and members";
  if (typeof quorum !== "string") return "quorum must be a name";
  if (logs.length === 0) return "no log is pinned";
  const read = { logs, witnesses, groups, quorum };
  return policyFault(read) ?? read;
}

function readLog(value: unknown): TlogTrust["logs"][number] | null {
  const log = members(value, ["origin", "key", "operator"]);
  const origin = log?.["origin"];
  const key = readKey(log?.["key"]);
  const operator = readOperator(log?.["operator"]);
  return typeof origin === "string" && key !== null && operator !== null ? { origin, key, operator } : null;
}

function readWitness(value: unknown): TlogTrust["witnesses"][number] | null {
  const witness = members(value, ["name", "key", "operator"]);
  const name = witness?.["name"];
  const key = readKey(witness?.["key"]);
  const operator = readOperator(witness?.["operator"]);
  return typeof name === "string" && key !== null && operator !== null ? { name, key, operator } : null;
}

function readGroup(value: unknown): WitnessGroup | null {
  const group = members(value, ["name", "threshold", "members"]);
  const name = group?.["name"];
  const threshold = group?.["threshold"];
  const names = readList(group?.["members"], (member) => (typeof member === "string" ? member : null));
  return typeof name === "string" && typeof threshold === "number" && names !== null
    ? { name, threshold, members: names }
    : null;
}

/** A vkey text, or a key parsed from one; the latter is parsed again, so that its parts are known to agree. */
function readKey(value: unknown): VerifierKey | null {
  if (typeof value === "string") return parseVerifierKey(value);
  if (typeof value !== "object" || value === null || !("vkey" in value)) return null;
  return typeof value.vkey === "string" ? parseVerifierKey(value.vkey) : null;
}

function readOperator(value: unknown): Operator | null {
  return value === "own" || value === "independent" ? value : null;
}

/** The value as an object of exactly these members; null otherwise. */
function members(value: unknown, names: readonly string[]): Members | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const keys = Object.keys(value);
  if (keys.length !== names.length || !names.every((name) => keys.includes(name))) return null;
  // Safe: an object that is no array can be read by member name, and each member is checked before use.
  return value as Members;
}

function readList<T>(value: unknown, read: (item: unknown) => T | null): T[] | null {
  if (!Array.isArray(value)) return null;
  const items: T[] = [];
  for (const item of value) {
    const one = read(item);
    if (one === null) return null;
    items.push(one);
  }
  return items;
}

/**
 * Reads a C2SP tlog-policy text. Null when a line is not in its grammar, when there is not exactly one quorum line, or
 * when a rule of `policyFault` is broken. URLs are allowed and dropped: nothing here connects to anything. The text
 * does not say who runs a log or witness; `trustFromPolicy` adds that. Sigsum's policy files look alike but hold bare
 * keys instead of vkeys, and are refused.
 */
export function parseTlogPolicy(text: string): TlogPolicy | null {
  if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(text) || !text.endsWith("\n")) return null;
  const policy: Draft = { logs: [], witnesses: [], groups: [], quorum: null, defined: new Set() };
  for (const line of text.slice(0, -1).split("\n")) {
    const fields = line.split(/[ \t]/).filter((field) => field !== "");
    if (fields.length === 0 || fields[0]?.startsWith("#")) continue;
    if (!readPolicyLine(fields, policy)) return null;
  }
  const { logs, witnesses, groups, quorum } = policy;
  if (quorum === null) return null;
  const read = { logs, witnesses, groups, quorum };
  return policyFault(read) === null ? read : null;
}

interface Draft {
  readonly logs: LogPin[];
  readonly witnesses: WitnessPin[];
  readonly groups: WitnessGroup[];
  quorum: string | null;
  /** Names of the lines read so far: what a later line may refer to. */
  readonly defined: Set<string>;
}

function readPolicyLine(fields: readonly string[], policy: Draft): boolean {
  const [keyword, first, second, ...rest] = fields;
  if (first === undefined) return false;
  if (keyword === "log") {
    const key = parseVerifierKey(first);
    if (key === null || rest.length > 0) return false;
    policy.logs.push({ origin: key.name, key });
    return true;
  }
  if (keyword === "quorum") {
    if (second !== undefined || policy.quorum !== null) return false;
    policy.quorum = first;
    return first === "none" || policy.defined.has(first);
  }
  if (second === undefined) return false;
  if (keyword === "witness") {
    const key = parseVerifierKey(second);
    if (key === null || rest.length > 1) return false;
    policy.witnesses.push({ name: first, key });
  } else if (keyword === "group") {
    const threshold = second === "any" ? 1 : second === "all" ? rest.length : parseDecimal(second);
    if (threshold === null || !rest.every((member) => policy.defined.has(member))) return false;
    policy.groups.push({ name: first, threshold, members: rest });
  } else {
    return false;
  }
  policy.defined.add(first);
  return true;
}

/**
 * A trust description from a policy text and the auditor's word on who is independent: origins of logs and labels of
 * witnesses. Everything not named counts as the operator's own.
 */
export function trustFromPolicy(policy: TlogPolicy, independent: readonly string[]): TlogTrust {
  const operatorOf = (name: string): Operator => (independent.includes(name) ? "independent" : "own");
  return {
    logs: policy.logs.map((log) => ({ ...log, operator: operatorOf(log.origin) })),
    witnesses: policy.witnesses.map((witness) => ({ ...witness, operator: operatorOf(witness.name) })),
    groups: policy.groups,
    quorum: policy.quorum,
  };
}
