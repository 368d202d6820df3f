/** Every fixture as one JSON value, so that a process, or a page, can verify all of them without reading a file. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { verifyBundle } from "../../src/verifier/verify.js";

const ROOT = fileURLToPath(new URL("../../fixtures/", import.meta.url));
const SIDES = ["expectations", "supplement", "heads"] as const;

/** Inputs of one verification in base64; a member that is absent was not given. */
export interface OfflineCase {
  readonly name: string;
  readonly at: string;
  readonly bundle: string;
  readonly trust?: string;
  readonly expectations?: string;
  readonly supplement?: string;
  readonly heads?: string;
}

function directories(): readonly string[] {
  const under = (folder: string): string[] =>
    readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`);
  return [...under("valid"), ...under("invalid").flatMap(under)];
}

function load(directory: string): OfflineCase {
  const read = (name: string): string | undefined => {
    const path = join(ROOT, directory, name);
    return existsSync(path) ? readFileSync(path).toString("base64") : undefined;
  };
  const bundle = read("bundle.json") ?? read("bundle.cbor");
  if (bundle === undefined) throw new Error(`${directory} has no bundle`);
  const inputs = (["trust", ...SIDES] as const).flatMap((name) => {
    const text = read(`${name}.json`);
    return text === undefined ? [] : [[name, text] as const];
  });
  const { at } = JSON.parse(readFileSync(join(ROOT, directory, "case.json"), "utf8")) as { at: string };
  return { name: directory, at, bundle, ...Object.fromEntries(inputs) };
}

export const CASES: readonly OfflineCase[] = directories().map(load);

/** The report of a case as this process gives it, as JSON text. */
export function reportHere(one: OfflineCase): string {
  const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "base64"));
  const sides = SIDES.flatMap((name) => {
    const text = one[name];
    return text === undefined ? [] : [[name, bytes(text)] as const];
  });
  // A case without a trust policy is the call of somebody who gives none; JavaScript allows what the type does not.
  const trust = one.trust === undefined ? (undefined as unknown as Uint8Array) : bytes(one.trust);
  return JSON.stringify(verifyBundle(bytes(one.bundle), trust, { at: one.at, ...Object.fromEntries(sides) }));
}
