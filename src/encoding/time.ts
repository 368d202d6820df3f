/**
 * Layer 1: the one way a time is written: RFC 3339 in UTC with upper-case `T` and `Z`, whole seconds or exactly
 * three fraction digits, a date that exists in the (proleptic Gregorian) calendar, years 0000 to 9999.
 * A leap second (`:60`) and `24:00:00` are not read: as instants they have no place of their own.
 */
import { OsaProofError } from "../errors.js";

/** Lengths of the two spellings, and what stands where besides digits. */
const SECONDS_LENGTH = 20;
const MILLISECONDS_LENGTH = 24;
const DASH = 0x2d;
const DOT = 0x2e;
const COLON = 0x3a;
const T = 0x54;
const Z = 0x5a;

/** Milliseconds since 1970-01-01T00:00:00Z of the years that fit four digits. */
const FIRST_MS = -62_167_219_200_000;
const LAST_MS = 253_402_300_799_999;

/** Milliseconds since 1970, or null for any other spelling. `…00Z` and `…00.000Z` are the same instant. */
export function parseTime(text: string): number | null {
  // Without a regular expression: a verification asks this several times for each statement.
  const { length } = text;
  if (length !== SECONDS_LENGTH && length !== MILLISECONDS_LENGTH) return null;
  if (text.charCodeAt(4) !== DASH || text.charCodeAt(7) !== DASH || text.charCodeAt(10) !== T) return null;
  if (text.charCodeAt(13) !== COLON || text.charCodeAt(16) !== COLON) return null;
  if (text.charCodeAt(length - 1) !== Z) return null;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 7);
  const day = digits(text, 8, 10);
  const [hour, minute, second] = [digits(text, 11, 13), digits(text, 14, 16), digits(text, 17, 19)];
  let fraction = 0;
  if (length === MILLISECONDS_LENGTH) {
    if (text.charCodeAt(19) !== DOT) return null;
    fraction = digits(text, 20, 23);
  }
  if (Number.isNaN(year + month + day + hour + minute + second + fraction)) return null;
  if (hour > 23 || minute > 59 || second > 59) return null;
  if (month < 1 || month > 12 || day < 1) return null;
  const days = daysBefore(year, month) + day - 1;
  if (days >= daysBefore(year, month + 1)) return null;
  return ((days * 24 + hour) * 60 + minute) * 60_000 + second * 1000 + fraction;
}

/** NaN when one of them is no digit. */
function digits(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at += 1) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/**
 * Days from 1970-01-01 to the first of a month; month 13 is the next January. Years are counted from March, so that a leap
 * day is the last of its year, and the months from there on follow one line: 31 and 30 days by turns, twice 31.
 */
function daysBefore(year: number, month: number): number {
  const years = month > 2 ? year : year - 1;
  const leapDays = Math.floor(years / 4) - Math.floor(years / 100) + Math.floor(years / 400);
  return years * 365 + leapDays + Math.floor((153 * ((month + 9) % 12) + 2) / 5) - DAYS_TO_1970;
}

/** Days to 1970-01-01, by the same count as above. */
const DAYS_TO_1970 = 719_468;

/**
 * Text of an instant given in milliseconds since 1970: without a fraction when it is a whole second.
 * Throws ARGUMENT_INVALID when it is not an integer or its year does not fit four digits.
 */
export function formatTime(ms: number): string {
  if (!Number.isInteger(ms) || ms < FIRST_MS || ms > LAST_MS) {
    throw new OsaProofError(
      "ARGUMENT_INVALID",
      `a time must be whole milliseconds between the years 0000 and 9999, not ${ms}`,
    );
  }
  return new Date(ms).toISOString().replace(".000Z", "Z");
}
