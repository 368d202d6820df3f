/** What several commands read from their options. */
import { InvalidArgumentError } from "commander";
import { isHex } from "../encoding/hex.js";
import { parseTime } from "../encoding/time.js";

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A century: no window of ours is longer, and every time stays within four digits of year. */
const LONGEST_MILLISECONDS = 36_525 * 86_400_000;

/** Milliseconds of `90s`, `30m`, `8h` or `2d`. */
export function parseDuration(value: string): number {
  const match = /^([1-9][0-9]{0,8})([smhd])$/.exec(value);
  const unit = UNITS[match?.[2] ?? ""];
  const duration = Number(match?.[1]) * (unit ?? Number.NaN);
  if (duration <= LONGEST_MILLISECONDS) return duration;
  throw new InvalidArgumentError(
    "expected a number and s, m, h or d, such as 30m or 8h, and at most 36525d (a century).",
  );
}

export function parseInstant(value: string): string {
  if (parseTime(value) !== null) return value;
  throw new InvalidArgumentError("expected an RFC 3339 time in UTC, such as 2026-01-31T12:00:00Z.");
}

export function parseCount(value: string): number {
  const count = Number(value);
  if (/^[1-9][0-9]{0,15}$/.test(value) && Number.isSafeInteger(count)) return count;
  throw new InvalidArgumentError("expected a whole number from 1.");
}

/** For options that take several digests: collects and checks them. */
export function collectDigest(value: string, before: readonly string[] | undefined): readonly string[] {
  if (isHex(value, 32)) return [...(before ?? []), value];
  throw new InvalidArgumentError("expected a digest: 0x and 64 lowercase hex digits.");
}
