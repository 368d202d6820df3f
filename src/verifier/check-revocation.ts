/** Check 4, REVOCATION: a fresh, anchored list, and no revoked key in any chain (docs/SPEC.md, "Check 4"). */
import type { AnchoredList, Identified } from "../bundle/contents.js";
import type { FailureCode } from "../errors.js";
import type { RevocationEntry } from "../statements/revocation.js";
import type { Anchored } from "./anchored.js";
import type { Identity } from "./identity.js";
import type { Root, RootLine } from "./root-line.js";
import { type FailAt, failing, instant, isSignedBy, placeOf, type Run } from "./run.js";

/** A list whose signature holds under the root of its time. */
export interface SoundList {
  readonly item: AnchoredList;
  readonly root: Root;
}

/** Judges all lists; returns the sound ones, lowest number first. */
export function checkRevocation(
  run: Run,
  identity: Identity,
  anchoredLists: ReadonlyMap<AnchoredList, Anchored>,
): readonly SoundList[] {
  const fail = failing(run, "REVOCATION");
  if (run.lists.length === 0) {
    run.findings.fail(
      "REVOCATION",
      "REVOCATION_LIST_MISSING",
      { pointer: "/revocation_lists" },
      "there is no revocation list for this namespace",
    );
    return [];
  }
  const sound = soundLists(run, identity.line, fail);
  const revoked = revokedBy(sound, identity.line);
  checkRevokedKeys(run, identity.line, revoked, fail);
  checkHistory(sound, fail);
  checkHighest(run, sound, anchoredLists);
  checkFresh(run, sound, revoked, anchoredLists, fail);
  return sound;
}

/** Signed by the root of its time: strictly inside that root's time, on both sides. */
function soundLists(run: Run, line: RootLine, fail: FailAt): readonly SoundList[] {
  const sound: SoundList[] = [];
  for (const item of run.lists) {
    const { statement } = item;
    const root = line.byKeyId.get(statement.issuer_key_id);
    const issued = instant(statement.issued_at);
    const inTime =
      root !== undefined &&
      (root.from === null || root.from <= issued) &&
      (root.until === null || issued < root.until);
    if (!inTime || root.key.algorithm !== statement.signing_algorithm || !isSignedBy(item, root.key)) {
      fail(item, "REVOCATION_SIGNATURE_INVALID", "it is not signed by the root of its time");
    } else {
      sound.push({ item, root });
    }
  }
  return sound.sort((a, b) => a.item.statement.list_number - b.item.statement.list_number);
}

/** Tells whether a key, or any root that a root's word rests on, is revoked. */
interface Revoked {
  key(keyId: string, thumbprint: string): boolean;
  /** The first revoked root on the line from this root to the pinned one. */
  rootOf(root: Root): Root | undefined;
}

/** A visible revocation binds, however old or late its list. It is found by key id or by thumbprint. */
function revokedBy(lists: readonly SoundList[], line: RootLine): Revoked {
  const keyIds = new Set<string>();
  const thumbprints = new Set<string>();
  for (const { item } of lists) {
    for (const entry of item.statement.entries) {
      keyIds.add(entry.key_id);
      thumbprints.add(entry.key_thumbprint);
    }
  }
  const known = new Map<Root, Root | undefined>();
  const isRevoked = (keyId: string, thumbprint: string): boolean =>
    keyIds.has(keyId) || thumbprints.has(thumbprint);
  return {
    key: isRevoked,
    rootOf(root) {
      if (!known.has(root)) {
        known.set(
          root,
          line.chain(root).find((link) => isRevoked(link.keyId, link.key.thumbprint)),
        );
      }
      return known.get(root);
    },
  };
}

/** No revoked key in any chain: the certificates' own keys, and the roots behind everything a root signed. */
function checkRevokedKeys(run: Run, line: RootLine, revoked: Revoked, fail: FailAt): void {
  const refuse = (item: Identified<object>, keyId: string): null =>
    fail(item, "REVOCATION_KEY_REVOKED", `key ${keyId} is revoked, and everything it signed is void`);
  const thumbprint = (publicKey: string): string => run.keys.get(publicKey)?.thumbprint ?? "";
  for (const item of run.contents.runtimeCertificates) {
    const { runtime_key_id: keyId, public_key: key } = item.statement;
    if (revoked.key(keyId, thumbprint(key))) refuse(item, keyId);
  }
  for (const item of run.contents.agentCertificates) {
    const { agent_key_id: keyId, public_key: key } = item.statement;
    if (revoked.key(keyId, thumbprint(key))) refuse(item, keyId);
  }
  for (const item of [...run.contents.agentCertificates, ...run.contents.identityRecords]) {
    const root = line.byKeyId.get(item.statement.issuer_key_id);
    const broken = root === undefined ? undefined : revoked.rootOf(root);
    if (broken !== undefined) refuse(item, broken.keyId);
  }
}

/** Numbers, dates, predecessors and entries of all lists must tell one story. */
function checkHistory(lists: readonly SoundList[], fail: FailAt): void {
  for (const [index, { item }] of lists.entries()) {
    const { statement } = item;
    if ((statement.list_number === 1) !== (statement.previous_list_digest === null)) {
      fail(item, "REVOCATION_LIST_CONFLICT", "only list number 1 has no predecessor");
    }
    const before = lists[index - 1]?.item;
    if (before === undefined) continue;
    const step = statement.list_number - before.statement.list_number;
    if (item.digest === before.digest) continue;
    if (step === 0) {
      fail(
        item,
        "REVOCATION_LIST_CONFLICT",
        `list number ${statement.list_number} is used by two lists: the line is forked`,
      );
      continue;
    }
    if (step === 1 && statement.previous_list_digest !== before.digest) {
      fail(item, "REVOCATION_LIST_CONFLICT", "its previous_list_digest is not that of the list before it");
    }
    if (instant(statement.issued_at) < instant(before.statement.issued_at)) {
      fail(item, "REVOCATION_LIST_CONFLICT", "it is dated before a list with a lower number");
    }
    const names = new Set(statement.entries.map(entryName));
    if (!before.statement.entries.every((entry) => names.has(entryName(entry)))) {
      fail(item, "REVOCATION_LIST_CONFLICT", `it drops an entry of list ${before.statement.list_number}`);
    }
  }
}

function entryName(entry: RevocationEntry): string {
  return `${entry.key_id} ${entry.key_thumbprint}`;
}

/**
 * True unless the list's root was replaced before the list was anchored: the key of a retired root, perhaps stolen,
 * could still sign a back-dated list with any number. Such a list's entries bind, its number proves nothing.
 */
export function isInTimeOfRoot({ root }: SoundList, anchored: Anchored | undefined): boolean {
  const time = anchored?.time ?? null;
  return root.until === null || (time !== null && time < root.until);
}

/** The highest list must not lie below what the policy pins or the verifier has seen. */
function checkHighest(
  run: Run,
  lists: readonly SoundList[],
  anchoredLists: ReadonlyMap<AnchoredList, Anchored>,
): void {
  const counting = lists.filter((list) => isInTimeOfRoot(list, anchoredLists.get(list.item)));
  const highest = (counting.at(-1) ?? lists.at(-1))?.item.statement.list_number ?? 0;
  const place = { pointer: "/revocation_lists" };
  const minimum = run.namespace.minimum_revocation_list_number;
  if (lists.length > 0 && highest < minimum) {
    run.findings.fail(
      "REVOCATION",
      "REVOCATION_LIST_ROLLED_BACK",
      place,
      `the highest list is number ${highest}, the policy asks for ${minimum} or higher`,
    );
  }
  const head = run.heads?.namespaces.find(
    (entry) => entry.namespace_id === run.namespace.namespace_id,
  )?.revocation_list;
  if (head === undefined) return;
  if (lists.length > 0 && highest < head.number) {
    run.findings.fail(
      "REVOCATION",
      "REVOCATION_LIST_ROLLED_BACK",
      place,
      `the highest list is number ${highest}, and ${head.number} has been seen before`,
    );
  }
  for (const { item } of lists) {
    if (item.statement.list_number !== head.number || item.digest === head.digest) continue;
    run.findings.fail(
      "REVOCATION",
      "REVOCATION_LIST_CONFLICT",
      placeOf(run, item),
      `list number ${head.number} was known with another digest: the line is forked`,
    );
  }
}

/** At least one list must be fresh; if none is, each list that is not from the future says why. */
function checkFresh(
  run: Run,
  lists: readonly SoundList[],
  revoked: Revoked,
  anchoredLists: ReadonlyMap<AnchoredList, Anchored>,
  fail: FailAt,
): void {
  if (lists.length === 0) return;
  const judged = lists.map((list) => ({
    list,
    fault: freshness(run, list, revoked, anchoredLists.get(list.item)),
  }));
  if (judged.some(({ fault }) => fault === null)) return;
  const present = judged.filter(({ fault }) => fault?.code !== "REVOCATION_LIST_FROM_FUTURE");
  for (const { list, fault } of present.length > 0 ? present : judged) {
    if (fault !== null) fail(list.item, fault.code, fault.detail);
  }
}

function freshness(
  run: Run,
  list: SoundList,
  revoked: Revoked,
  anchored: Anchored | undefined,
): { readonly code: FailureCode; readonly detail: string } | null {
  const { item, root } = list;
  const issued = instant(item.statement.issued_at);
  const { at, trust } = run;
  if (issued > at + trust.skew) {
    return { code: "REVOCATION_LIST_FROM_FUTURE", detail: "it is dated after the verification time" };
  }
  if (revoked.rootOf(root) !== undefined) {
    return {
      code: "REVOCATION_KEY_REVOKED",
      detail: "the root that signed it is revoked, so it cannot be the fresh list",
    };
  }
  if (at >= instant(item.statement.not_after) || at - issued > trust.maxRevocationAge) {
    return {
      code: "REVOCATION_LIST_STALE",
      detail: "it is past its not_after, or older than the policy allows",
    };
  }
  const time = anchored?.time ?? null;
  const inTime = time !== null && issued <= time + trust.skew && time <= issued + trust.maxAnchorDelay;
  if (!inTime || !isInTimeOfRoot(list, anchored)) {
    return {
      code: "REVOCATION_LIST_NOT_ANCHORED",
      detail: "no counting anchor dates it close enough to its issued_at",
    };
  }
  return null;
}
