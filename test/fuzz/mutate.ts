/** Small changes to byte strings, chosen by a generator whose seed makes a run repeatable. */

/** Numbers from 0 up to, not including, `bound`. */
export type Random = (bound: number) => number;

/** A 32-bit multiply-and-xorshift generator: good enough to choose changes, and the same everywhere. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (bound) => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = state;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) % Math.max(1, bound);
  };
}

const EDGE_BYTES = [
  0x00, 0x01, 0x7f, 0x80, 0xff, 0x0a, 0x20, 0x22, 0x2d, 0x30, 0x39, 0x5c, 0x7b, 0x7d, 0xc0, 0xed,
];

/** One to eight changes in a row; never longer than `maxBytes`. */
export function mutate(
  input: Uint8Array,
  other: Uint8Array,
  tokens: readonly Uint8Array[],
  maxBytes: number,
  random: Random,
): Uint8Array {
  let bytes = input;
  for (let changes = 1 << random(4); changes > 0; changes--) bytes = changeOnce(bytes, other, tokens, random);
  return bytes.length > maxBytes ? bytes.slice(0, maxBytes) : bytes;
}

function changeOnce(
  bytes: Uint8Array,
  other: Uint8Array,
  tokens: readonly Uint8Array[],
  random: Random,
): Uint8Array {
  const place = random(bytes.length + 1);
  const length = random(Math.min(16, bytes.length - place) + 1);
  switch (random(12)) {
    case 0:
      return setByte(bytes, place, (byte) => byte ^ (1 << random(8)));
    case 1:
      return setByte(bytes, place, () => EDGE_BYTES[random(EDGE_BYTES.length)] ?? 0);
    case 2:
      return setByte(bytes, place, (byte) => byte + (random(2) === 0 ? 1 : -1));
    case 3:
      return replace(bytes, place, length, new Uint8Array());
    case 4:
      return replace(bytes, place, 0, bytes.subarray(place, place + length));
    case 5:
      return replace(bytes, place, 0, Uint8Array.of(random(256)));
    case 6:
      return bytes.slice(0, place);
    case 7: {
      const from = random(other.length + 1);
      return replace(bytes, place, length, other.subarray(from, from + random(33)));
    }
    case 8: {
      // Cross-over: the head of one, the tail of the other.
      return replace(bytes, place, bytes.length - place, other.subarray(random(other.length + 1)));
    }
    case 9: {
      const to = random(bytes.length + 1);
      return replace(bytes, to, 0, bytes.subarray(place, place + random(64)));
    }
    case 10:
      return replace(bytes, place, 0, tokens[random(tokens.length)] ?? new Uint8Array());
    default: {
      const token = tokens[random(tokens.length)] ?? new Uint8Array();
      return replace(bytes, place, token.length, token);
    }
  }
}

function setByte(bytes: Uint8Array, place: number, change: (byte: number) => number): Uint8Array {
  const changed = bytes.slice();
  if (place < changed.length) changed[place] = change(changed[place] ?? 0);
  return changed;
}

/** `count` bytes at `place` give way to `inserted`. */
function replace(bytes: Uint8Array, place: number, count: number, inserted: Uint8Array): Uint8Array {
  const rest = bytes.subarray(Math.min(bytes.length, place + count));
  const made = new Uint8Array(place + inserted.length + rest.length);
  made.set(bytes.subarray(0, place));
  made.set(inserted, place);
  made.set(rest, place + inserted.length);
  return made;
}
