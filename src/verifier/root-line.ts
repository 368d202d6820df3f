/**
 * The line of root keys of a namespace: from the highest pinned root, along rotations, both ways
 * (docs/SPEC.md, "Root rotation"). Part of check IDENTITY.
 */
import type { Identified } from "../bundle/contents.js";
import type { PublicKey } from "../crypto/keys.js";
import type { RootRotationV1 } from "../statements/rotation.js";
import { failing, instant, isSignedBy, type Run } from "./run.js";

/** One root key and the time in which it was the root. */
export interface Root {
  readonly generation: number;
  readonly keyId: string;
  readonly key: PublicKey;
  /** The instant it became the root; null when no rotation into it is known. */
  readonly from: number | null;
  /** The instant it stopped being the root; null while it still is. */
  readonly until: number | null;
}

export interface RootLine {
  readonly byKeyId: ReadonlyMap<string, Root>;
  /** Key ids named by rotations that failed and not on the line. */
  readonly failedKeyIds: ReadonlySet<string>;
  /** Roots on the line between this one and the pinned one, both included: what this one's word rests on. */
  chain(root: Root): readonly Root[];
  /** The rotations that hold, highest number last. */
  readonly rotations: readonly Identified<RootRotationV1>[];
}

/** Builds the line and reports each rotation that does not belong to it. */
export function checkRootLine(run: Run): RootLine {
  const pinned = run.namespace.roots.reduce((a, b) => (b.rotation_number > a.rotation_number ? b : a));
  const steps = soundRotations(run);
  const links = linkRotations(run, steps, pinned.rotation_number, pinned.key_id, pinned.public_key);
  const roots = new Map<number, Root>();
  const add = (generation: number, keyId: string, publicKey: string): void => {
    const key = run.keys.get(publicKey);
    if (key === null) return;
    const into = links.get(generation);
    const out = links.get(generation + 1);
    roots.set(generation, {
      generation,
      keyId,
      key,
      from: into === undefined ? null : instant(into.statement.effective_at),
      until: out === undefined ? null : instant(out.statement.effective_at),
    });
  };
  add(pinned.rotation_number, pinned.key_id, pinned.public_key);
  for (const [number, { statement }] of links) {
    if (number > pinned.rotation_number)
      add(number, statement.new_root_key_id, statement.new_root_public_key);
    else add(number - 1, statement.old_root_key_id, statement.old_root_public_key);
  }
  const rotations = [...links.entries()].sort(([a], [b]) => a - b).map(([, rotation]) => rotation);
  return {
    byKeyId: new Map([...roots.values()].map((root) => [root.keyId, root])),
    rotations,
    failedKeyIds: new Set(
      run.rotations
        .filter((rotation) => run.failed.has(rotation))
        .flatMap(({ statement }) => [statement.old_root_key_id, statement.new_root_key_id]),
    ),
    chain(root) {
      const [low, high] = [root.generation, pinned.rotation_number].sort((a, b) => a - b);
      return [...roots.values()].filter(
        ({ generation }) => generation >= (low ?? 0) && generation <= (high ?? 0),
      );
    },
  };
}

function bad(run: Run, rotation: Identified<RootRotationV1>, detail: string): void {
  failing(run, "IDENTITY")(rotation, "IDENTITY_ROTATION_INVALID", detail);
}

/** Rotations by number whose own rules and both signatures hold; one number or key used twice is refused. */
function soundRotations(run: Run): ReadonlyMap<number, Identified<RootRotationV1>> {
  const steps = new Map<number, Identified<RootRotationV1>>();
  for (const rotation of run.rotations) {
    if (!isSound(run, rotation)) continue;
    const number = rotation.statement.rotation_number;
    if (steps.has(number))
      bad(run, rotation, `rotation number ${number} is used by two rotations: the line is forked`);
    else steps.set(number, rotation);
  }
  return steps;
}

function isSound(run: Run, rotation: Identified<RootRotationV1>): boolean {
  const { statement } = rotation;
  const oldKey = run.keys.get(statement.old_root_public_key);
  const newKey = run.keys.get(statement.new_root_public_key);
  if (oldKey === null || newKey === null) return false;
  if (statement.issuer_key_id !== statement.old_root_key_id) {
    bad(run, rotation, "its issuer is not the old root");
    return false;
  }
  if (oldKey.algorithm !== statement.signing_algorithm || newKey.algorithm !== statement.signing_algorithm) {
    bad(run, rotation, "its signing_algorithm is not that of both keys");
    return false;
  }
  if (instant(statement.issued_at) > instant(statement.effective_at)) {
    bad(run, rotation, "it takes effect before it was issued");
    return false;
  }
  const signedByOld = isSignedBy(rotation, oldKey);
  const signedByNew = isSignedBy(rotation, newKey, statement.new_root_signature);
  if (signedByOld && signedByNew) return true;
  if (signedByOld || signedByNew) {
    bad(run, rotation, `the ${signedByOld ? "new" : "old"} root did not sign it`);
  } else {
    failing(run, "IDENTITY")(rotation, "IDENTITY_SIGNATURE_INVALID", "neither root's signature verifies");
  }
  return false;
}

/** Follows the numbers up and down from the pinned root; whatever is not reached is out of line. */
function linkRotations(
  run: Run,
  steps: ReadonlyMap<number, Identified<RootRotationV1>>,
  pinnedNumber: number,
  pinnedKeyId: string,
  pinnedKey: string,
): ReadonlyMap<number, Identified<RootRotationV1>> {
  const links = new Map<number, Identified<RootRotationV1>>();
  const keyIds = new Set([pinnedKeyId]);
  const keys = new Set([pinnedKey]);
  const follow = (direction: 1 | -1): void => {
    let [keyId, key, effective] = [pinnedKeyId, pinnedKey, Number.NaN];
    let number = direction === 1 ? pinnedNumber + 1 : pinnedNumber;
    for (let step = steps.get(number); step !== undefined; number += direction, step = steps.get(number)) {
      const { statement } = step;
      const near = direction === 1 ? "old" : "new";
      const far = direction === 1 ? "new" : "old";
      if (statement[`${near}_root_key_id`] !== keyId || statement[`${near}_root_public_key`] !== key) return;
      keyId = statement[`${far}_root_key_id`];
      key = statement[`${far}_root_public_key`];
      if (keyIds.has(keyId) || keys.has(key)) {
        bad(run, step, "it brings back a key or key id of the line");
        return;
      }
      const time = instant(statement.effective_at);
      if (direction === 1 ? time <= effective : time >= effective) {
        bad(run, step, "its effective_at is out of order with the next rotation");
        return;
      }
      effective = time;
      keyIds.add(keyId);
      keys.add(key);
      links.set(number, step);
    }
  };
  follow(1);
  follow(-1);
  // Where the two directions meet at the pinned root, times must rise as well.
  const [into, out] = [links.get(pinnedNumber), links.get(pinnedNumber + 1)];
  if (into && out && instant(into.statement.effective_at) >= instant(out.statement.effective_at)) {
    bad(run, out, "its effective_at is out of order with the rotation before");
  }
  for (const rotation of steps.values()) {
    const linked = links.get(rotation.statement.rotation_number) === rotation;
    if (!linked && !run.failed.has(rotation)) bad(run, rotation, "it does not connect to the pinned root");
  }
  checkPinnedElsewhere(run, links, pinnedNumber);
  return links;
}

/** A lower pinned root must be the key that the line has at its number; it counts only through the line. */
function checkPinnedElsewhere(
  run: Run,
  links: ReadonlyMap<number, Identified<RootRotationV1>>,
  pinnedNumber: number,
): void {
  for (const root of run.namespace.roots) {
    if (root.rotation_number === pinnedNumber) continue;
    const next = links.get(root.rotation_number + 1);
    if (next === undefined) continue;
    const { old_root_key_id: keyId, old_root_public_key: key } = next.statement;
    if (keyId !== root.key_id || key !== root.public_key) {
      bad(run, next, `its old root is not the one pinned with rotation number ${root.rotation_number}`);
    }
  }
}
