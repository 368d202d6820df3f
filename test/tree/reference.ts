/**
 * The slow, obvious reference: RFC 6962 section 2, definition by definition, and the same definitions
 * read backwards as verifiers. Written for the eye, with its own SHA-256; nothing here is shared with src/.
 */
import { createHash } from "node:crypto";

export function sha256(...parts: Uint8Array[]): Uint8Array {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return new Uint8Array(hash.digest());
}

export function node(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(Uint8Array.of(1), left, right);
}

/** Largest power of two smaller than n, for n > 1. */
function split(n: bigint): bigint {
  let k = 1n;
  while (2n * k < n) k *= 2n;
  return k;
}

/** MTH(D[n]), section 2.1. */
export function mth(d: readonly Uint8Array[]): Uint8Array {
  if (d.length === 0) return sha256();
  if (d.length === 1) return sha256(Uint8Array.of(0), d[0] ?? new Uint8Array());
  const k = Number(split(BigInt(d.length)));
  return node(mth(d.slice(0, k)), mth(d.slice(k)));
}

/** PATH(m, D[n]), section 2.1.1. */
export function path(m: number, d: readonly Uint8Array[]): Uint8Array[] {
  if (d.length === 1) return [];
  const k = Number(split(BigInt(d.length)));
  return m < k
    ? [...path(m, d.slice(0, k)), mth(d.slice(k))]
    : [...path(m - k, d.slice(k)), mth(d.slice(0, k))];
}

/** PROOF(m, D[n]), section 2.1.2, for 0 < m <= n. */
export function proof(m: number, d: readonly Uint8Array[]): Uint8Array[] {
  return subproof(m, d, true);
}

function subproof(m: number, d: readonly Uint8Array[], complete: boolean): Uint8Array[] {
  if (m === d.length) return complete ? [] : [mth(d)];
  const k = Number(split(BigInt(d.length)));
  return m <= k
    ? [...subproof(m, d.slice(0, k), complete), mth(d.slice(k))]
    : [...subproof(m - k, d.slice(k), false), mth(d.slice(0, k))];
}

/** PATH read backwards: the root that this path gives, or null when it has the wrong length. */
export function rootFromPath(
  m: bigint,
  n: bigint,
  leaf: Uint8Array,
  p: readonly Uint8Array[],
): Uint8Array | null {
  if (m < 0n || m >= n) return null;
  if (n === 1n) return p.length === 0 ? leaf : null;
  const last = p.at(-1);
  if (last === undefined) return null;
  const k = split(n);
  const rest = p.slice(0, -1);
  const inside = m < k ? rootFromPath(m, k, leaf, rest) : rootFromPath(m - k, n - k, leaf, rest);
  if (inside === null) return null;
  return m < k ? node(inside, last) : node(last, inside);
}

/** PROOF read backwards, for 0 < m <= n: both roots that this proof gives, or null when it has the wrong length. */
export function rootsFromProof(
  m: bigint,
  n: bigint,
  oldRoot: Uint8Array,
  p: readonly Uint8Array[],
): { old: Uint8Array; new: Uint8Array } | null {
  return rootsFromSubproof(m, n, oldRoot, p, true);
}

function rootsFromSubproof(
  m: bigint,
  n: bigint,
  oldRoot: Uint8Array,
  p: readonly Uint8Array[],
  complete: boolean,
): { old: Uint8Array; new: Uint8Array } | null {
  const last = p.at(-1);
  if (m === n) {
    if (complete) return p.length === 0 ? { old: oldRoot, new: oldRoot } : null;
    return p.length === 1 && last !== undefined ? { old: last, new: last } : null;
  }
  if (last === undefined) return null;
  const k = split(n);
  const rest = p.slice(0, -1);
  const inside =
    m <= k
      ? rootsFromSubproof(m, k, oldRoot, rest, complete)
      : rootsFromSubproof(m - k, n - k, oldRoot, rest, false);
  if (inside === null) return null;
  return m <= k
    ? { old: inside.old, new: node(inside.new, last) }
    : { old: node(last, inside.old), new: node(last, inside.new) };
}
