/** `osa-proof selftest`: passes on the verifier that ships, and fails loudly on one that lets a lie through. */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { packagedControls } from "../../src/cli/selftest/controls.js";
import type { SelftestReportV1 } from "../../src/cli/selftest/report.js";
import { selftestReport } from "../../src/cli/selftest/report-schema.js";
import { runPackaged } from "../../src/cli/selftest/run.js";
import { sha256Hex } from "../../src/crypto/digest.js";
import { decodeUtf8 } from "../../src/encoding/utf8.js";
import { CHECKS, FAILURE_CODES } from "../../src/errors.js";
import { Faults } from "../../src/statements/schema.js";
import type { VerificationReportV1 } from "../../src/verifier/report.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { CANNOT_OCCUR } from "../support/cases/index.js";
import { selftestControls } from "../support/cases/selftest-controls.js";
import {
  acceptsAll,
  blindTo,
  fixturesOnDisk,
  ownSession,
  PROJECT,
  rejectsAll,
  type Sabotage,
  saysTheSame,
} from "./selftest-support.js";
import { type Ran, run } from "./support.js";

/** What the verifier's report is turned into; the real one when undefined. */
let sabotage: Sabotage | undefined;

vi.mock("../../src/verifier/verify.js", async (original) => {
  const real = await original<typeof import("../../src/verifier/verify.js")>();
  return {
    ...real,
    verifyBundle: (...args: Parameters<typeof real.verifyBundle>): VerificationReportV1 => {
      const report = real.verifyBundle(...args);
      return sabotage?.(report) ?? report;
    },
  };
});

afterEach(() => {
  sabotage = undefined;
});

const validate = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }).compile(
  JSON.parse(readFileSync(join(PROJECT, "schemas/selftest-report.json"), "utf8")),
);

function bytesOf(path: string): Uint8Array {
  return new Uint8Array(readFileSync(path));
}

/** Runs the command with `--json`; the report is null where there is none, and is what its schemas say. */
async function selftest(
  line: string,
  cwd: string = PROJECT,
): Promise<Ran & { readonly report: SelftestReportV1 }> {
  const args = line.split(" ").filter((arg) => arg !== "");
  const ran = await run(["selftest", ...args, "--json"], { cwd, now: Date.now });
  const report = JSON.parse(ran.out || "null");
  if (report !== null) {
    expect(validate(report), JSON.stringify(validate.errors)).toBe(true);
    const faults = new Faults();
    selftestReport.decode(report, "", faults);
    expect(faults.first()).toEqual([]);
  }
  return { ...ran, report };
}

describe("osa-proof selftest", () => {
  it("passes, and says what it ran on", async () => {
    const { code, err, report } = await selftest("");
    expect([code, err]).toEqual([0, ""]);
    expect(report).toMatchObject({
      type: "SelftestReportV1",
      result: "PASSED",
      controls_digest: sha256Hex(bytesOf(join(PROJECT, "selftest/controls.json"))),
      failure_count: 0,
      failures: [],
      trust_policy: null,
      bundle: null,
      verifier: { name: "osa-proof", backend: "node:crypto" },
      platform: { runtime: `node ${process.version}`, system: `${process.platform} ${process.arch}` },
    });
    const manifest: { version: string } = JSON.parse(readFileSync(join(PROJECT, "package.json"), "utf8"));
    expect(report.verifier.version).toBe(manifest.version);
    const { accepted_controls: accepted } = report;
    expect(accepted.run).toBeGreaterThan(10);
    expect([accepted.run, accepted.as_expected]).toEqual([accepted.available, accepted.available]);
    expect(report.rejected_controls.map(({ kind }) => kind)).toEqual(CHECKS);
    for (const { kind, run: count, as_expected: good } of report.rejected_controls) {
      expect(count, kind).toBeGreaterThan(0);
      expect(good, kind).toBe(count);
    }
  });

  it("prints the same for people", async () => {
    const { code, out } = await run(["selftest"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^SELF-TEST PASSED\nosa-proof \d+\.\d+\.\d+, node:crypto, node v/);
    expect(out).toMatch(/\n {2}REVOCATION +(\d+) of \1\n/);
  });

  it.each([["RECEIPT_SIGNATURE_INVALID"], ["TRUST_POLICY_INVALID"]])(
    "fails loudly when the verifier is blind to %s",
    async (code) => {
      sabotage = blindTo(code);
      const { code: exit, report } = await selftest("");
      expect([exit, report.result]).toEqual([1, "FAILED"]);
      expect(report.failures.map(({ expected }) => expected)).toContain(code);
    },
  );

  it("fails when the verifier accepts all", async () => {
    sabotage = acceptsAll;
    const { code, out } = await run(["selftest"]);
    expect(code).toBe(1);
    expect(out).toMatch(/^SELF-TEST FAILED\n/);
    expect(out).toMatch(/\n\d+ controls came out wrong\. Do not rely on this verifier; the first 20:\n/);
    expect(out).toMatch(
      /\n {2}TRUST_POLICY_INVALID\S* \(json\): expected TRUST_POLICY_INVALID, found ACCEPTED\n/,
    );
  });

  it("fails when the verifier rejects all, since then no rejection shows anything", async () => {
    sabotage = rejectsAll;
    const { code, report } = await selftest("");
    expect([code, report.result]).toEqual([1, "FAILED"]);
    expect(report.accepted_controls.as_expected).toBe(0);
    expect(report.failures.every(({ expected }) => expected === "ACCEPTED")).toBe(true);
  });

  it("fails when the verifier gives other reasons, or a report without one", async () => {
    sabotage = saysTheSame;
    expect((await selftest("")).code).toBe(1);
    sabotage = (report) => ({ ...report, first_failure: null });
    const { code, report } = await selftest("");
    expect([code, report.failures[0]?.found]).toEqual([1, "no failure named"]);
  });
});

describe("the packaged controls", () => {
  const { controls } = packagedControls();
  const possible = Object.keys(FAILURE_CODES).filter((code) => !(code in CANNOT_OCCUR));

  it("have a lie for each code that can occur, and are small", () => {
    const codes = new Set<string>(controls.flatMap(({ code }) => code ?? []));
    expect(possible.filter((code) => !codes.has(code))).toEqual([]);
    expect(statSync(join(PROJECT, "selftest/controls.json")).size).toBeLessThan(200_000);
  });

  it("show a verifier that is blind to a code, for each code there is", () => {
    // The real reports once, then each wrong verifier makes its own out of them.
    const reports: VerificationReportV1[] = [];
    const failures: SelftestReportV1["failures"][number][] = [];
    runPackaged(
      (...args) => {
        const report = verifyBundle(...args);
        reports.push(report);
        return report;
      },
      controls,
      failures,
    );
    expect(failures).toEqual([]);
    for (const code of possible) {
      const wrong = blindTo(code);
      const found: SelftestReportV1["failures"][number][] = [];
      let next = 0;
      const replay: typeof verifyBundle = () => {
        const report = reports[next];
        next += 1;
        if (report === undefined) throw new Error("more verifications than were kept");
        return wrong(report);
      };
      runPackaged(replay, controls, found);
      expect(
        found.some(({ expected }) => expected === code),
        code,
      ).toBe(true);
    }
  });

  it("are what the generator makes of the fixtures, byte for byte", () => {
    const onDisk = decodeUtf8(bytesOf(join(PROJECT, "selftest/controls.json")));
    expect(decodeUtf8(selftestControls(fixturesOnDisk())) === onDisk).toBe(true);
  });
});

describe("osa-proof selftest with the auditor's own inputs", () => {
  let cwd = "";
  beforeAll(async () => {
    cwd = mkdtempSync(join(tmpdir(), "osa-proof-selftest-"));
    await ownSession(cwd);
  });
  afterAll(() => rmSync(cwd, { recursive: true, force: true }));

  it.each([
    ["bundle.json", ""],
    ["bundle.cbor", ""],
    [
      "bundle.json",
      "--heads heads.json --revocations work/revocations.json --expectations expectations.json",
    ],
  ])("changes copies of %s, all of which are rejected: %s", async (bundle, more) => {
    const heads = readFileSync(join(cwd, "heads.json"));
    const line = `--trust work/trust.json --bundle ${bundle} --changes 150 ${more}`;
    const { code, err, report } = await selftest(line, cwd);
    expect({ code, err, failures: report.failures }).toEqual({ code: 0, err: "", failures: [] });
    const kinds = new Map(report.bundle?.controls.map((count) => [count.kind, count]));
    for (const kind of [
      "receipt signature changed, names follow",
      "digest or key changed",
      "time moved",
      "statement left out",
      "anchor changed",
      "pin exchanged",
      "another question",
      "older than known",
    ]) {
      expect(kinds.get(kind)?.run, kind).toBeGreaterThan(0);
    }
    for (const { kind, run: count, as_expected: good } of kinds.values()) expect(good, kind).toBe(count);
    const digest = (file: string): string | null =>
      more.includes(file) ? sha256Hex(bytesOf(join(cwd, file))) : null;
    expect(report.bundle).toMatchObject({
      digest: sha256Hex(bytesOf(join(cwd, bundle))),
      heads_digest: digest("heads.json"),
      supplement_digest: digest("work/revocations.json"),
      expectations_digest: digest("expectations.json"),
    });
    expect(report.trust_policy?.digest).toBe(sha256Hex(bytesOf(join(cwd, "work/trust.json"))));
    expect(report.trust_policy?.controls.map(({ kind }) => kind)).toContain("policy member left out");
    // Nothing is learned from copies.
    expect(readFileSync(join(cwd, "heads.json"))).toEqual(heads);
  });

  it("judges the bundle as of the time given", async () => {
    const at = new Date(Date.now() + 60_000).toISOString();
    const line = `--trust work/trust.json --bundle bundle.json --changes 20 --at ${at}`;
    const { code, report } = await selftest(line, cwd);
    expect([code, report.bundle?.verified_at]).toEqual([0, at]);
    const { out } = await run(["selftest", ...line.split(" ")], { cwd, now: Date.now });
    expect(out).toMatch(/^SELF-TEST PASSED\n/);
    expect(out).toContain(`\nChanged copies of bundle ${report.bundle?.digest}, as of ${at}\n`);
  });

  it("fails loudly on a verifier that lets one of the copies through, and says no value of the bundle", async () => {
    // Right about all packaged controls, so that only the auditor's own bundle shows it.
    const own = sha256Hex(bytesOf(join(cwd, "work/trust.json")));
    sabotage = (report) => (report.trust_policy_digest === own ? acceptsAll(report) : report);
    const line = "--trust work/trust.json --bundle bundle.json --changes 300";
    const { code, out, report } = await selftest(line, cwd);
    expect([code, report.result]).toEqual([1, "FAILED"]);
    expect(report.failure_count).toBeGreaterThan(150);
    expect(report.failures.length).toBe(100);
    expect(report.failures[0]).toMatchObject({ found: "ACCEPTED" });
    const people = await run(["selftest", ...line.split(" ")], { cwd, now: Date.now });
    expect(people.out).toMatch(/^SELF-TEST FAILED\n/);
    const bundle: { disclosures: readonly { salt: string }[] } = JSON.parse(
      readFileSync(join(cwd, "bundle.json"), "utf8"),
    );
    expect(bundle.disclosures.length).toBeGreaterThan(3);
    const secrets = ["PRIVATE", "get_order", "shop.example", ...bundle.disclosures.map(({ salt }) => salt)];
    for (const secret of secrets)
      expect([secret, (out + people.out).includes(secret)]).toEqual([secret, false]);
  });

  it("does not go on with a verifier that is wrong about the packaged controls", async () => {
    sabotage = rejectsAll;
    const line = "--trust work/trust.json --bundle bundle.json";
    const { code, report } = await selftest(line, cwd);
    expect([code, report.result]).toEqual([1, "FAILED"]);
    expect([report.trust_policy?.controls, report.bundle?.controls]).toEqual([[], []]);
    const people = await run(["selftest", ...line.split(" ")], { cwd, now: Date.now });
    expect(people.out).toMatch(/\nChanged copies of bundle 0x\S+, as of \S+: not tried\n/);
  });

  it("fails when the policy pins published keys", async () => {
    const { code, report } = await selftest("--trust fixtures/valid/one-receipt/trust.json");
    expect(code).toBe(1);
    expect(report.failures[0]).toMatchObject({ found: "ACCEPTED" });
  });

  it.each([
    ["a bundle without a policy", "--bundle bundle.json", /--bundle needs --trust/],
    ["a time without a bundle", "--at 2026-01-01T00:00:00Z", /--at needs --bundle/],
    [
      "a rejected bundle",
      "--trust work/trust.json --bundle bundle.json --at 2020-01-01T00:00:00Z",
      /rejected as it is \([A-Z_]+\), and a rejected bundle cannot be the base of a control/,
    ],
    [
      "a file that is no bundle",
      "--trust work/trust.json --bundle calls.json",
      /cannot be the base of a control/,
    ],
    [
      "a file that is not there",
      "--trust work/trust.json --bundle nothing.json",
      /bundle nothing\.json cannot be read/,
    ],
    ["a policy that is none", "--trust calls.json", /trust policy cannot be used \(TRUST_POLICY_INVALID/],
    ["an option given twice", "--trust a --trust b", /given twice/],
  ])("could not run on %s", async (_, line, message) => {
    const { code, out, err } = await selftest(line, cwd);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(message);
  });
});
