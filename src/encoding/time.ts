/**
 * Layer 1: the one way a time is written: RFC 3339 in UTC with upper-case `T` and `Z`, whole seconds or exactly
 * three fraction digits, a date that exists in the (proleptic Gregorian) calendar, years 0000 to 9999.
 * A leap second (`:60`) and `24:00:00` are not read: as instants they have no place of their own.
 */
import { OsaProofError } from "../errors.js";

const TIME = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{3}))?Z$/;

/** Milliseconds since 1970-01-01T00:00:00Z of the years that fit four digits. */
const FIRST_MS = -62_167_219_200_000;
const LAST_MS = 253_402_300_799_999;

/** Milliseconds since 1970, or null for any other spelling. `…00Z` and `…00.000Z` are the same instant. */
export function parseTime(text: string): number | null {
  const match = TIME.exec(text);
  if (match === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, fraction = 0] = match
    .slice(1)
    .map((digits) => Number(digits ?? 0));
  if (hour > 23 || minute > 59 || second > 59) return null;
  const date = new Date(0);
  // Not Date.UTC, which takes the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  // A day that the month does not have has rolled over into another month.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  return date.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 + fraction;
}

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
