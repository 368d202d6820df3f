/** One name, one thing: key ids, keys, runtimes and record numbers. Part of check IDENTITY (docs/SPEC.md, "Check 2"). */
import type { Identified } from "../bundle/contents.js";
import { failing, type Run } from "./run.js";

type Role = "root" | "agent" | "runtime";

/** Reports the later one of two statements that give one name to two things. */
export function checkConflicts(run: Run): void {
  const fail = failing(run, "IDENTITY");
  const conflict = (item: Identified<object>, detail: string): null =>
    fail(item, "IDENTITY_CONFLICT", detail);
  checkKeys(run, conflict);
  checkRuntimes(run, conflict);
  checkRecordNumbers(run, conflict);
}

type Conflict = (item: Identified<object>, detail: string) => void;

/** Key id and thumbprint are one to one; a key has one role, one agent, and as a runtime key one certificate. */
function checkKeys(run: Run, conflict: Conflict): void {
  const thumbprintOf = new Map<string, string>();
  const holderOf = new Map<
    string,
    { readonly keyId: string; readonly role: Role; readonly holder: string }
  >();
  const meet = (keyId: string, publicKey: string, role: Role, holder: string): string | null => {
    const thumbprint = run.keys.get(publicKey)?.thumbprint ?? "";
    const other = thumbprintOf.get(keyId);
    if (other !== undefined && other !== thumbprint) return `key id ${keyId} is used for two keys`;
    const known = holderOf.get(thumbprint);
    if (known !== undefined && known.keyId !== keyId)
      return `one key has the ids ${known.keyId} and ${keyId}`;
    if (known !== undefined && known.role !== role)
      return `key ${keyId} serves as ${known.role} and as ${role}`;
    if (known !== undefined && known.holder !== holder)
      return `key ${keyId} is certified twice or for two holders`;
    thumbprintOf.set(keyId, thumbprint);
    holderOf.set(thumbprint, { keyId, role, holder });
    return null;
  };
  for (const root of run.namespace.roots) meet(root.key_id, root.public_key, "root", "");
  for (const item of run.rotations) {
    const { statement } = item;
    for (const end of ["old", "new"] as const) {
      const detail = meet(statement[`${end}_root_key_id`], statement[`${end}_root_public_key`], "root", "");
      if (detail !== null) conflict(item, detail);
    }
  }
  for (const item of run.contents.agentCertificates) {
    const { agent_key_id: keyId, public_key: key, agent_id: agent } = item.statement;
    const detail = meet(keyId, key, "agent", agent);
    if (detail !== null) conflict(item, detail);
  }
  for (const item of run.contents.runtimeCertificates) {
    // The certificate's own digest as holder: a second certificate for a runtime key would stretch its life.
    const detail = meet(item.statement.runtime_key_id, item.statement.public_key, "runtime", item.digest);
    if (detail !== null) conflict(item, detail);
  }
}

/** A runtime_id belongs to one agent and one session. */
function checkRuntimes(run: Run, conflict: Conflict): void {
  const owners = new Map<string, string>();
  for (const item of run.contents.runtimeCertificates) {
    const { runtime_id: runtime, agent_id: agent, session_id: session } = item.statement;
    const owner = `${agent} ${session}`;
    const known = owners.get(runtime);
    if (known !== undefined && known !== owner) {
      conflict(item, `runtime_id ${runtime} is used for two agents or sessions`);
    }
    owners.set(runtime, known ?? owner);
  }
}

/** An agent's record number names one record. */
function checkRecordNumbers(run: Run, conflict: Conflict): void {
  const numbers = new Set<string>();
  for (const item of run.contents.identityRecords) {
    const name = `${item.statement.agent_id} ${item.statement.record_number}`;
    if (numbers.has(name))
      conflict(item, `record number ${item.statement.record_number} is used by two records`);
    numbers.add(name);
  }
}
