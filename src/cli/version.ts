/** The version of this package. */
import { readFileSync } from "node:fs";

/** As `package.json` has it. */
export function packageVersion(): string {
  // Two levels up both in src/cli and in dist/cli.
  const parsed: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  const version = typeof parsed === "object" && parsed !== null && "version" in parsed ? parsed.version : "";
  return String(version);
}
