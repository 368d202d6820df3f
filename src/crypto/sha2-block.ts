/**
 * Layer 2: SHA-256 and SHA-512 (FIPS 180-4), one block at a time. What is hashed is public, so nothing is wiped. The
 * constants are computed, which is shorter than writing them down.
 */

/** The first 64 bits behind the point of a root of a prime: the constants of sections 4.2 and 5.3. */
function fractionOfRoot(prime: number, degree: bigint): bigint {
  const shifted = BigInt(prime) << (64n * degree);
  // Newton's method from above, which falls until it is there.
  for (let root = 1n << 70n; ; ) {
    const next = ((degree - 1n) * root + shifted / root ** (degree - 1n)) / degree;
    if (next >= root) return BigInt.asUintN(64, root);
    root = next;
  }
}

/** Of the first so many primes, as two words each. SHA-256 takes the first of both. */
function wordsOfRoots(count: number, degree: bigint): Int32Array {
  const words = new Int32Array(2 * count);
  const primes: number[] = [];
  for (let number = 2; primes.length < count; number += 1) {
    if (primes.some((prime) => number % prime === 0)) continue;
    const fraction = fractionOfRoot(number, degree);
    words[2 * primes.length] = Number(fraction >> 32n);
    words[2 * primes.length + 1] = Number(BigInt.asIntN(32, fraction));
    primes.push(number);
  }
  return words;
}

const ROUNDS_256 = 64;
const ROUNDS_512 = 80;
const K = /* @__PURE__ */ wordsOfRoots(ROUNDS_512, 3n);
/** Of both functions what they begin with (section 5.3). */
export const START_512: Int32Array = /* @__PURE__ */ wordsOfRoots(8, 2n);
export const START_256: Int32Array = /* @__PURE__ */ START_512.filter((_, index) => index % 2 === 0);
/** The message schedule of the block at work. */
const schedule = /* @__PURE__ */ new Int32Array(2 * ROUNDS_512);

/** The high word of two that are turned to the right by `by` bits, fewer than 32; with the words changed, the low one. */
function turned(high: number, low: number, by: number): number {
  return (high >>> by) | (low << (32 - by));
}

/** A word that is turned in itself. */
function turn(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

/** Section 6.2.2, of the block that begins at `at`. */
export function compress256(state: Int32Array, view: DataView, at: number): void {
  const w = schedule;
  for (let t = 0; t < 16; t += 1) w[t] = view.getInt32(at + 4 * t);
  for (let t = 16; t < ROUNDS_256; t += 1) {
    const x = w[t - 15] ?? 0;
    const y = w[t - 2] ?? 0;
    const s0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
    const s1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
    w[t] = ((w[t - 16] ?? 0) + s0 + (w[t - 7] ?? 0) + s1) | 0;
  }
  let a = state[0] ?? 0;
  let b = state[1] ?? 0;
  let c = state[2] ?? 0;
  let d = state[3] ?? 0;
  let e = state[4] ?? 0;
  let f = state[5] ?? 0;
  let g = state[6] ?? 0;
  let h = state[7] ?? 0;
  for (let t = 0; t < ROUNDS_256; t += 1) {
    const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (K[2 * t] ?? 0) + (w[t] ?? 0)) | 0;
    const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  state[0] = (state[0] ?? 0) + a;
  state[1] = (state[1] ?? 0) + b;
  state[2] = (state[2] ?? 0) + c;
  state[3] = (state[3] ?? 0) + d;
  state[4] = (state[4] ?? 0) + e;
  state[5] = (state[5] ?? 0) + f;
  state[6] = (state[6] ?? 0) + g;
  state[7] = (state[7] ?? 0) + h;
}

/** What the low words of a sum carry into the high ones. */
function carry(sum: number): number {
  return (sum / 2 ** 32) | 0;
}

function add64(words: Int32Array, at: number, high: number, low: number): void {
  const sum = ((words[at + 1] ?? 0) >>> 0) + (low >>> 0);
  words[at] = ((words[at] ?? 0) + high + carry(sum)) | 0;
  words[at + 1] = sum;
}

/** Section 6.4.2, with each word of 64 bits in two. */
export function compress512(state: Int32Array, view: DataView, at: number): void {
  const w = schedule;
  for (let t = 0; t < 32; t += 1) w[t] = view.getInt32(at + 4 * t);
  for (let t = 32; t < 2 * ROUNDS_512; t += 2) {
    const xh = w[t - 30] ?? 0;
    const xl = w[t - 29] ?? 0;
    const yh = w[t - 4] ?? 0;
    const yl = w[t - 3] ?? 0;
    const low =
      ((turned(xl, xh, 1) ^ turned(xl, xh, 8) ^ turned(xl, xh, 7)) >>> 0) +
      ((turned(yl, yh, 19) ^ turned(yh, yl, 29) ^ turned(yl, yh, 6)) >>> 0) +
      ((w[t - 31] ?? 0) >>> 0) +
      ((w[t - 13] ?? 0) >>> 0);
    w[t + 1] = low;
    w[t] =
      (turned(xh, xl, 1) ^ turned(xh, xl, 8) ^ (xh >>> 7)) +
      (turned(yh, yl, 19) ^ turned(yl, yh, 29) ^ (yh >>> 6)) +
      (w[t - 32] ?? 0) +
      (w[t - 14] ?? 0) +
      carry(low);
  }
  let ah = state[0] ?? 0;
  let al = state[1] ?? 0;
  let bh = state[2] ?? 0;
  let bl = state[3] ?? 0;
  let ch = state[4] ?? 0;
  let cl = state[5] ?? 0;
  let dh = state[6] ?? 0;
  let dl = state[7] ?? 0;
  let eh = state[8] ?? 0;
  let el = state[9] ?? 0;
  let fh = state[10] ?? 0;
  let fl = state[11] ?? 0;
  let gh = state[12] ?? 0;
  let gl = state[13] ?? 0;
  let hh = state[14] ?? 0;
  let hl = state[15] ?? 0;
  for (let t = 0; t < 2 * ROUNDS_512; t += 2) {
    const low1 =
      (hl >>> 0) +
      ((turned(el, eh, 14) ^ turned(el, eh, 18) ^ turned(eh, el, 9)) >>> 0) +
      (((el & fl) ^ (~el & gl)) >>> 0) +
      ((K[t + 1] ?? 0) >>> 0) +
      ((w[t + 1] ?? 0) >>> 0);
    const high1 =
      (hh +
        (turned(eh, el, 14) ^ turned(eh, el, 18) ^ turned(el, eh, 9)) +
        ((eh & fh) ^ (~eh & gh)) +
        (K[t] ?? 0) +
        (w[t] ?? 0) +
        carry(low1)) |
      0;
    const low2 =
      (low1 >>> 0) +
      ((turned(al, ah, 28) ^ turned(ah, al, 2) ^ turned(ah, al, 7)) >>> 0) +
      (((al & bl) ^ (al & cl) ^ (bl & cl)) >>> 0);
    const high2 =
      (high1 +
        (turned(ah, al, 28) ^ turned(al, ah, 2) ^ turned(al, ah, 7)) +
        ((ah & bh) ^ (ah & ch) ^ (bh & ch)) +
        carry(low2)) |
      0;
    const low3 = (dl >>> 0) + (low1 >>> 0);
    hh = gh;
    hl = gl;
    gh = fh;
    gl = fl;
    fh = eh;
    fl = el;
    eh = (dh + high1 + carry(low3)) | 0;
    el = low3 | 0;
    dh = ch;
    dl = cl;
    ch = bh;
    cl = bl;
    bh = ah;
    bl = al;
    ah = high2;
    al = low2 | 0;
  }
  add64(state, 0, ah, al);
  add64(state, 2, bh, bl);
  add64(state, 4, ch, cl);
  add64(state, 6, dh, dl);
  add64(state, 8, eh, el);
  add64(state, 10, fh, fl);
  add64(state, 12, gh, gl);
  add64(state, 14, hh, hl);
}
