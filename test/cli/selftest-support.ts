/** Verifiers that are wrong in one way, and what self-tests are made on. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseEither } from "../../src/bundle/codec.js";
import type { Inputs } from "../../src/cli/selftest/controls.js";
import { encodeCbor } from "../../src/encoding/cbor.js";
import * as LIMITS from "../../src/limits.js";
import { type VerificationReportV1, verdictOf } from "../../src/verifier/report.js";
import { run } from "./support.js";

export const PROJECT: string = fileURLToPath(new URL("../../", import.meta.url));

/** Turns the report of the real verifier into that of a wrong one. */
export type Sabotage = (report: VerificationReportV1) => VerificationReportV1;

/** A verifier that does not know one failure: whatever else is wrong it still sees. */
export function blindTo(...codes: readonly string[]): Sabotage {
  return (report) => {
    const checks = report.checks.map((result) => {
      const failures = result.failures.filter(({ code }) => !codes.includes(code));
      const count = result.failure_count - (result.failures.length - failures.length);
      const status = result.status === "FAIL" && count === 0 ? ("PASS" as const) : result.status;
      return { ...result, status, failure_count: count, failures };
    });
    // Checks that did not run, because one that it is blind to had failed, find nothing in this verifier.
    const ran = checks.map((result) =>
      result.status === "NOT_EVALUATED" ? { ...result, status: "PASS" as const } : result,
    );
    const first = ran.flatMap(({ failures }) => failures)[0] ?? null;
    return { ...report, checks: ran, first_failure: first, verdict: verdictOf(ran) };
  };
}

export const acceptsAll: Sabotage = (report) => ({ ...report, verdict: "ACCEPTED", first_failure: null });
export const rejectsAll: Sabotage = (report) => ({ ...report, verdict: "REJECTED" });
/** Rejects what it must, and always says the same. */
export const saysTheSame: Sabotage = (report) => ({
  ...report,
  first_failure: report.first_failure && { ...report.first_failure, code: "FORMAT_SYNTAX_INVALID" },
  checks: report.checks.map((result) => ({
    ...result,
    failures: result.failures.map((failure) => ({ ...failure, code: "FORMAT_SYNTAX_INVALID" as const })),
  })),
});

/** Makes a session with keys of its own in a folder: `work/trust.json` accepts `bundle.json` and `bundle.cbor`. */
export async function ownSession(cwd: string): Promise<void> {
  const calls = [
    { tool: "get_order", arguments: { id: 7, customer: "PRIVATE-customer" }, result: { total: 120 } },
    { tool: "refund", arguments: { id: 7, amount: 120 }, result: "PRIVATE-result" },
  ];
  await writeFile(join(cwd, "calls.json"), JSON.stringify(calls));
  for (const line of [
    "init --dir work --agent @ai:shop.example/support --no-passphrase",
    "record --dir work --from calls.json --delegate",
    "seal --dir work",
    "bundle --dir work -o bundle.json --disclose all",
    "verify bundle.json --trust work/trust.json --heads heads.json",
  ]) {
    const { code, err } = await run(line.split(" "), { cwd, now: Date.now });
    if (code !== 0) throw new Error(`${line}: ${err}`);
  }
  const { value } = parseEither(readFileSync(join(cwd, "bundle.json")), LIMITS.maxBundleBytes);
  await writeFile(join(cwd, "bundle.cbor"), encodeCbor(value ?? null));
  const asked = { protocol: "OSA_PROOF_V3", type: "ExpectationsV1", agent_id: "@ai:shop.example/support" };
  await writeFile(join(cwd, "expectations.json"), JSON.stringify(asked));
}

/** The inputs of a case of `fixtures/valid`. */
export function validCase(name: string): Inputs {
  const file = (part: string): Uint8Array | undefined => {
    const path = join(PROJECT, "fixtures/valid", name, part);
    return statSync(path, { throwIfNoEntry: false }) && new Uint8Array(readFileSync(path));
  };
  const [bundle, trust, about] = [
    file("bundle.json") ?? file("bundle.cbor"),
    file("trust.json"),
    file("case.json"),
  ];
  if (bundle === undefined || trust === undefined) throw new Error(`${name} is no accepted case`);
  const { at }: { at: string } = JSON.parse(new TextDecoder().decode(about));
  return {
    bundle,
    trust,
    at,
    expectations: file("expectations.json"),
    supplement: file("supplement.json"),
    heads: file("heads.json"),
  };
}

/** Every file of `fixtures/` with its bytes. */
export function fixturesOnDisk(): ReadonlyMap<string, Uint8Array> {
  const root = join(PROJECT, "fixtures");
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  return new Map(files.map((name) => [name, new Uint8Array(readFileSync(join(root, name)))]));
}
