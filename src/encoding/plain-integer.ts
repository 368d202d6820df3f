/** Layer 1: whole numbers as canonical text has them. */

/** The first offset behind the number at `start`: digits without a leading zero, at most 2^53-1; -1 where there is none. */
export function integerEnd(text: string, start: number): number {
  let [value, at] = [0, start];
  for (;;) {
    const digit = text.charCodeAt(at) - 0x30;
    if (!(digit >= 0 && digit <= 9)) return at > start ? at : -1;
    if (at > start && value === 0) return -1;
    value = value * 10 + digit;
    if (!Number.isSafeInteger(value)) return -1;
    at += 1;
  }
}
