/** What the installed package brings along beside its code. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The path of a file of the package. */
export function packagedFile(...names: readonly string[]): string {
  // Two levels up both in src/cli and in dist/cli.
  return join(import.meta.dirname, "..", "..", ...names);
}

/** As `package.json` has it. */
export function packageVersion(): string {
  const parsed: unknown = JSON.parse(readFileSync(packagedFile("package.json"), "utf8"));
  const version = typeof parsed === "object" && parsed !== null && "version" in parsed ? parsed.version : "";
  return String(version);
}
