/** What this machine has to be offline with, and to compare: network namespaces, a newer Node.js, Chromium. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** A program and its first arguments, to be put before a command. */
export type Prefix = readonly string[];

function works(command: readonly string[]): boolean {
  const [program = "", ...rest] = command;
  return spawnSync(program, rest, { stdio: "ignore", timeout: 20_000 }).status === 0;
}

/** Runs a command in a new network namespace with no interface up, and with every file system read-only; or null. */
export function sealed(): { readonly prefix: Prefix; readonly readOnly: boolean } | null {
  const shell = 'mount -o remount,bind,ro / && exec "$@"';
  const readOnly = ["unshare", "-rnm", "sh", "-c", shell, "sh"];
  if (works([...readOnly, "true"])) return { prefix: readOnly, readOnly: true };
  const closed = ["unshare", "-rn"];
  return works([...closed, "true"]) ? { prefix: closed, readOnly: false } : null;
}

/** Where CONTRIBUTING.md has the newest Node.js installed. */
const NEWEST = fileURLToPath(new URL("../../build/newest-node/node_modules/", import.meta.url));

/** The newest Node.js that was installed for this test, or null. */
export function newestNode(): { readonly program: string; readonly version: string } | null {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const programs = [
    process.env["NEWEST_NODE"] ?? "",
    `${NEWEST}node-${platform}-${process.arch}/bin/node`,
    `${NEWEST}node/bin/node`,
  ];
  for (const program of programs.filter((path) => path !== "" && existsSync(path))) {
    const { status, stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
    if (status === 0) return { program, version: stdout.trim() };
  }
  return null;
}

/** A Chromium or Chrome on the path, or null. */
export function chromium(): string | null {
  const names = [process.env["CHROMIUM"] ?? "", "chromium", "chromium-browser", "google-chrome"];
  return names.find((name) => name !== "" && works([name, "--version"])) ?? null;
}

/** Flags that keep Node.js from writing files, starting processes and, from version 25 on, from the network. */
export function permissionFlags(version: string): readonly string[] {
  const major = Number(/^v(\d+)\./.exec(version)?.[1]);
  return [major >= 23 ? "--permission" : "--experimental-permission", "--allow-fs-read=*", "--no-warnings"];
}
