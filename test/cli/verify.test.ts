import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { encodeBundle } from "../../src/bundle/codec.js";
import { decodeBundle } from "../../src/bundle/decode.js";
import { formatTime } from "../../src/encoding/time.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { statementDigest } from "../../src/statements/canonical.js";
import { explainReport } from "../../src/verifier/explain-report.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { at, DAY, HOUR, MINUTE } from "../support/keys.js";
import { VERIFIED_AT } from "../support/scenarios.js";
import { basePolicy } from "../support/trust.js";
import { World } from "../support/world.js";
import { inFolder, type Ran, run } from "./support.js";

const AT = at(VERIFIED_AT);
const OUTPUT = "three lines, 12.00 EUR\n";
let bytes: Uint8Array;
let digest = "";
let supplement: Uint8Array;
const trust = encodeUtf8(JSON.stringify(basePolicy()));

beforeAll(async () => {
  const world = new World();
  await world.list(1, -HOUR);
  await world.agent("planner");
  await world.runtime("rt-1", "planner");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE, output: { json: OUTPUT } });
  await world.close("rt-1", "1", 6 * MINUTE);
  await world.tree("tree", 40 * MINUTE);
  world.disclose("1", "output");
  const bundle = world.bundle("session", ["1"]);
  const [receipt] = bundle.receipts;
  digest = receipt === undefined ? "" : statementDigest(receipt);
  bytes = encodeBundle(bundle);
  await world.list(2, 2 * HOUR, ["rt-1-key"]);
  supplement = encodeUtf8(
    JSON.stringify({
      protocol: "OSA_PROOF_V3",
      type: "SupplementV1",
      namespace_id: bundle.namespace_id,
      root_rotations: [],
      revocation_lists: world.bundle("session", ["1"]).revocation_lists.slice(1),
    }),
  );
});

/** Runs verify in a folder with the good bundle, its policy and side files; `more` are further files. */
function verify(
  args: readonly string[],
  more: Record<string, string | Uint8Array> = {},
  colour = false,
): Promise<Ran> {
  return inFolder(async (cwd) => {
    const files = { bundle: bytes, trust, supplement, "out.txt": OUTPUT, ...more };
    for (const [name, content] of Object.entries(files)) await writeFile(join(cwd, name), content);
    return run(["verify", ...args], { cwd, colour });
  });
}

/** Text, JSON and exit code must tell one story. */
async function expectVerdict(
  args: readonly string[],
  expected: string | null,
  more: Record<string, string | Uint8Array> = {},
): Promise<void> {
  const verdict = expected === null ? "ACCEPTED" : "REJECTED";
  const code = expected === null ? 0 : 1;
  const text = await verify(args, more);
  expect(text.out.split("\n")[0], text.out).toBe(verdict);
  expect(text.code).toBe(code);
  const json = await verify([...args, "--json"], more);
  const report = JSON.parse(json.out);
  expect(report.verdict).toBe(verdict);
  expect(report.first_failure?.code ?? null).toBe(expected);
  expect(json.code).toBe(code);
  // One report and nothing beside it.
  expect(text.out).toBe(`${explainReport(report).join("\n")}\n`);
}

const GOOD = ["bundle", "--trust", "trust", "--at", AT];

describe("osa-proof verify", () => {
  it("F087 accepts a good bundle, in JSON and in CBOR", async () => {
    await expectVerdict(GOOD, null);
    await expectVerdict(GOOD, null, { bundle: encodeBundle(decodeBundle(bytes), "cbor") });
  });

  it("F065 prints exactly the report of the library", async () => {
    const { out } = await verify([...GOOD, "--json"]);
    expect(JSON.parse(out)).toEqual(verifyBundle(bytes, trust, { at: AT }));
  });

  it("F019 F087 rejects with exit 1 whatever is wrong inside a file, the policy included", async () => {
    const changed = bytes.slice();
    const place = bytes.length - 40;
    changed[place] = (changed[place] ?? 0) ^ 1;
    expect((await verify(GOOD, { bundle: changed })).code).toBe(1);
    await expectVerdict(GOOD, "FORMAT_TRUNCATED", { bundle: "" });
    await expectVerdict(GOOD, "FORMAT_SYNTAX_INVALID", { bundle: "no json" });
    await expectVerdict(GOOD, "TRUST_POLICY_MISSING", { trust: "" });
    await expectVerdict(GOOD, "TRUST_POLICY_INVALID", { trust: "{}" });
    await expectVerdict(["bundle", "--trust", "trust", "--at", "yesterday"], "TRUST_INPUT_INVALID");
    await expectVerdict([...GOOD, "--revocations", "other"], "TRUST_INPUT_INVALID", { other: "{}" });
    await expectVerdict([...GOOD, "--expectations", "other"], "TRUST_INPUT_INVALID", { other: "{}" });
    await expectVerdict([...GOOD, "--heads", "other"], "TRUST_INPUT_INVALID", { other: "{}" });
  });

  it("F019 F087 gives no report and exit 2 for usage and for files that cannot be read", async () => {
    const wrong: readonly (readonly string[])[] = [
      ["bundle"],
      [],
      ["--trust", "trust"],
      [...GOOD, "bundle"],
      ["bundle", "bundle", "--trust", "trust"],
      [...GOOD, "--trust", "trust"],
      [...GOOD, "--at", AT],
      [...GOOD, "--unheard-of"],
      [...GOOD, "--expect-scope", "all"],
      [...GOOD, "--expect-status", "fine"],
      [...GOOD, "--expectations", "trust", "--expect-tool", "shell.run"],
      ["missing", "--trust", "trust"],
      ["bundle", "--trust", "missing"],
      [".", "--trust", "trust"],
      [...GOOD, "--revocations", "missing"],
      [...GOOD, "--expectations", "missing"],
      [...GOOD, "--expect-output", "missing"],
      [...GOOD, "--heads", "missing/heads"],
    ];
    for (const args of wrong) {
      const { code, out, err } = await verify(args);
      expect({ code, out }, args.join(" ")).toEqual({ code: 2, out: "" });
      expect(err, args.join(" ")).not.toBe("");
      expect(err).not.toMatch(/^ +at /m);
    }
  });

  it("verifies as of now when no time is given, and says as of when", async () => {
    const now = Date.UTC(2026, 10, 2, 12);
    const { out, code } = await verify(["bundle", "--trust", "trust"]);
    expect(code).toBe(0);
    expect(out).toContain(`verified as of ${formatTime(now)}`);
    expect((await verify(["bundle", "--trust", "trust", "--at", at(40 * DAY)])).out).toContain(
      `verified as of ${at(40 * DAY)}`,
    );
    await expectVerdict(["bundle", "--trust", "trust", "--at", at(40 * DAY)], "REVOCATION_LIST_STALE");
  });

  it("takes newer revocation lists as a supplement", async () => {
    await expectVerdict([...GOOD, "--revocations", "supplement"], "REVOCATION_KEY_REVOKED");
  });

  it("holds the bundle against each expectation", async () => {
    const pairs: readonly (readonly [string, string, string, string])[] = [
      ["--expect-namespace", "org.example", "org.other", "EXPECTATION_RUN_MISMATCH"],
      ["--expect-mission", "mission-7", "mission-8", "EXPECTATION_RUN_MISMATCH"],
      ["--expect-session", "session-1", "session-2", "EXPECTATION_RUN_MISMATCH"],
      [
        "--expect-agent",
        "@ai:agents.example.org/planner",
        "@ai:agents.example.org/coder",
        "EXPECTATION_RUN_MISMATCH",
      ],
      ["--expect-tool", "shell.run", "file.read", "EXPECTATION_TARGET_MISMATCH"],
      ["--expect-target", digest, `0x${"0".repeat(64)}`, "EXPECTATION_TARGET_MISMATCH"],
      ["--expect-status", "completed", "failed", "EXPECTATION_OUTPUT_MISMATCH"],
      ["--expect-output", "out.txt", "trust", "EXPECTATION_OUTPUT_MISMATCH"],
    ];
    for (const [option, right, wrong, failure] of pairs) {
      await expectVerdict([...GOOD, option, right], null);
      await expectVerdict([...GOOD, option, wrong], failure);
    }
    await expectVerdict([...GOOD, "--expect-scope", "session"], null);
    await expectVerdict(
      [...GOOD, "--expect-target", digest, "--expect-target", `0x${"0".repeat(64)}`],
      "EXPECTATION_TARGET_MISMATCH",
    );
    await expectVerdict([...GOOD, "--expect-agent", "planner"], "TRUST_INPUT_INVALID");
    const file = JSON.stringify({ protocol: "OSA_PROOF_V3", type: "ExpectationsV1", tool: "file.read" });
    await expectVerdict([...GOOD, "--expectations", "asked"], "EXPECTATION_TARGET_MISMATCH", { asked: file });
    await expectVerdict([...GOOD, "--expectations", "asked"], null, {
      asked: file.replace("file.read", "shell.run"),
    });
  });

  it("colours the verdict only where the context has colour", async () => {
    expect((await verify(GOOD, {}, true)).out.split("\n")[0]).toBe(
      "\u001b[1m\u001b[32mACCEPTED\u001b[39m\u001b[22m",
    );
    expect((await verify(GOOD, { bundle: "" }, true)).out.split("\n")[0]).toContain("\u001b[31mREJECTED");
    expect((await verify(GOOD, {}, false)).out).not.toContain("\u001b");
  });
});

describe("known heads", () => {
  const inHeads = async (cwd: string, ...more: string[]): Promise<Ran> =>
    run(["verify", ...GOOD, "--heads", "heads.json", ...more], { cwd });

  it("F048 are begun, kept after an acceptance and after a rejection, and held against older bundles", async () => {
    await inFolder(async (cwd) => {
      for (const [name, content] of Object.entries({ bundle: bytes, trust, supplement })) {
        await writeFile(join(cwd, name), content);
      }
      const first = await inHeads(cwd);
      expect(first.code).toBe(0);
      expect(first.err).toBe("heads.json: no heads were known before, and it begins now\n");
      const heads = async (): Promise<{ namespaces: { revocation_list: { number: number } }[] }> =>
        JSON.parse(await readFile(join(cwd, "heads.json"), "utf8"));
      expect((await heads()).namespaces[0]?.revocation_list.number).toBe(1);
      expect(await inHeads(cwd)).toMatchObject({ code: 0, err: "" });

      expect((await inHeads(cwd, "--revocations", "supplement")).code).toBe(1);
      expect((await heads()).namespaces[0]?.revocation_list.number).toBe(2);
      const old = await inHeads(cwd);
      expect(old.code).toBe(1);
      expect(old.out).toContain("REVOCATION_LIST_ROLLED_BACK");
      expect((await heads()).namespaces[0]?.revocation_list.number).toBe(2);
    });
  });

  it("are not made or changed by what did not verify", async () => {
    await inFolder(async (cwd) => {
      await writeFile(join(cwd, "bundle"), "{");
      await writeFile(join(cwd, "trust"), trust);
      const first = await inHeads(cwd);
      expect(first.code).toBe(1);
      expect(first.err).toContain("it was not made");
      await expect(readFile(join(cwd, "heads.json"))).rejects.toThrow("ENOENT");
      await writeFile(join(cwd, "heads.json"), "not heads");
      expect((await inHeads(cwd)).code).toBe(1);
      expect(await readFile(join(cwd, "heads.json"), "utf8")).toBe("not heads");
    });
  });
});

describe("standard input", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("is read for the bundle -", async () => {
    vi.spyOn(process, "stdin", "get").mockImplementation(
      // Only its chunks are read.
      () => Readable.from([bytes.subarray(0, 100), bytes.subarray(100)]) as unknown as typeof process.stdin,
    );
    await expectVerdict(["-", "--trust", "trust", "--at", AT], null);
  });
});
