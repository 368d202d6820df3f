/** Layer 1: whether two spellings of JSON numbers are one decimal number, without going through a double. */

/** A number as its digits without outer zeros, and the power of ten of the last digit; zero has no digits. */
interface Decimal {
  readonly negative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

function decimalOf(text: string): Decimal | null {
  const [, sign, whole = "", fraction = "", power = "0"] = NUMBER.exec(text) ?? [];
  if (sign === undefined) return null;
  const digits = trimLeadingZeros(whole + fraction);
  const significant = trimTrailingZeros(digits);
  if (significant === "") return { negative: false, digits: "", exponent: 0 };
  const exponent = Number(power) - fraction.length + (digits.length - significant.length);
  return { negative: sign === "-", digits: significant, exponent };
}

function trimLeadingZeros(digits: string): string {
  let start = 0;
  while (digits.charCodeAt(start) === 0x30) start += 1;
  return digits.slice(start);
}

function trimTrailingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits.charCodeAt(end - 1) === 0x30) end -= 1;
  return digits.slice(0, end);
}

/** True when both texts are JSON numbers (RFC 8259 section 6) of one value: `1.50` and `15e-1`, not `0.1` and `0.10000000000000001`. */
export function isSameDecimal(a: string, b: string): boolean {
  const [first, second] = [decimalOf(a), decimalOf(b)];
  if (first === null || second === null) return false;
  return (
    first.negative === second.negative && first.digits === second.digits && first.exponent === second.exponent
  );
}
