import { existsSync, readdirSync, readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import { sha256Hex } from "../../src/crypto/digest.js";
import { statementDigest } from "../../src/statements/canonical.js";
import type { ActionReceiptV3 } from "../../src/statements/receipt.js";
import { atDesk, CALLS, type Desk } from "./workspace-support.js";

const TRAJECTORIES = "../shared/trajectories";
const hasTrajectories = existsSync(TRAJECTORIES);
if (!hasTrajectories) console.warn(`${TRAJECTORIES} is not there: the recorded sessions are not replayed`);

async function calls(desk: Desk, list: readonly unknown[] = CALLS): Promise<void> {
  await writeFile(desk.path("calls.json"), JSON.stringify(list));
}

function bySequence(bundle: ProofBundleV3): readonly ActionReceiptV3[] {
  return [...bundle.receipts].sort((a, b) => a.sequence - b.sequence);
}

function opened(bundle: ProofBundleV3, receipt: ActionReceiptV3, kind: string): unknown[] {
  const digest = statementDigest(receipt);
  return bundle.disclosures
    .filter((shown) => shown.receipt_digest === digest && shown.value.kind === kind)
    .map(({ value }) => value);
}

describe("the short way", () => {
  it("goes from a list of calls to ACCEPTED: one receipt a call, in order, forks and merges kept", async () => {
    await atDesk(async (desk) => {
      await calls(desk);
      await desk.all(
        "init --no-passphrase",
        "record --from calls.json --delegate",
        "seal",
        "bundle -o b.json --disclose all",
        "verify b.json --trust trust.json",
      );
      const bundle = await desk.bundle("b.json");
      const receipts = bySequence(bundle);
      expect(receipts.map(({ tool }) => tool)).toEqual(["search", "book%20a%20seat", "search", "think"]);
      const digests = receipts.map(statementDigest);
      expect(receipts.map(({ parent_receipt_digests: parents }) => [...parents])).toEqual([
        [],
        [digests[0]],
        [digests[0]],
        [digests[1] ?? "", digests[2] ?? ""].sort(),
      ]);
      const outputs = receipts.map((receipt) => opened(bundle, receipt, "output")[0]);
      expect(outputs).toMatchObject([
        { json: { hits: 3 }, status: "completed" },
        { json: "refused", status: "failed" },
        { json: null, status: "completed" },
        { json: null, status: "interrupted" },
      ]);
      const file = readFileSync(desk.path("calls.json"));
      for (const receipt of receipts) {
        expect(opened(bundle, receipt, "evidence")).toMatchObject([
          { json: { recorded_from: { format: "calls" } } },
          { json: { recording: { sha256: sha256Hex(file), size: file.length } } },
        ]);
      }
      expect(bundle.claim).toEqual({ scope: "session", targets: [digests[3]] });
    });
  });

  it("goes the long way round with each step said", async () => {
    await atDesk(async (desk) => {
      await calls(desk);
      await desk.all(
        "init --no-passphrase --algorithm ED25519 --namespace acme --agent @ai:acme.example/clerk",
        "delegate --tools-from calls.json --mission m1 --session s1 --max-actions 4 --valid-for 2h",
        "runtime issue --valid-for 10m",
        "record --from calls.json --format calls --keep-open",
        "close",
        "seal --session s1 --session-seal",
        "bundle -o b.cbor --cbor",
      );
      const bundle = await desk.bundle("b.cbor");
      expect(bundle).toMatchObject({ namespace_id: "acme", mission_id: "m1", session_seals: { length: 1 } });
      expect(await desk.verdict("b.cbor")).toBe("ACCEPTED");
    });
  });

  it("takes a second recording into a second session, and bundles each alone", async () => {
    await atDesk(async (desk) => {
      await calls(desk);
      await desk.all(
        "init --no-passphrase",
        "record --from calls.json --delegate --session first",
        "record --from calls.json --delegate --session second",
        "seal",
        "bundle -o second.json",
      );
      const first = (await desk.text("statements/receipts.jsonl")).split("\n")[0] ?? "";
      await desk.all(["bundle", "-o", "first.json", "--target", statementDigest(JSON.parse(first))]);
      for (const name of ["first", "second"]) {
        expect(await desk.verdict(`${name}.json`)).toBe("ACCEPTED");
        const sessions = (await desk.bundle(`${name}.json`)).receipts.map(({ session_id: id }) => id);
        expect(new Set(sessions)).toEqual(new Set([name]));
      }
    });
  });

  it("renews a runtime key that ends on the way; the sequence runs on", async () => {
    await atDesk(async (desk) => {
      await calls(
        desk,
        Array.from({ length: 7 }, (_, n) => ({ tool: "t", arguments: { n }, result: n })),
      );
      desk.env = { OSA_PROOF_PASSPHRASE: "secret" };
      await desk.all("init");
      desk.tick = 150_000;
      await desk.all("record --from calls.json --delegate");
      desk.tick = 10;
      await desk.all("seal", "bundle -o b.json");
      const bundle = await desk.bundle("b.json");
      expect(bundle.runtime_key_certificates.length).toBeGreaterThan(1);
      expect(bySequence(bundle).map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      expect(await desk.verdict("b.json")).toBe("ACCEPTED");
      expect(
        [...(await desk.files()).keys()].filter(
          (name) => name.includes("runtime-key-") && name.startsWith("keys"),
        ),
      ).toEqual([]);
    });
  });

  it("joins more than 64 parents by receipts of merge-receipts", async () => {
    await atDesk(async (desk) => {
      const wide = Array.from({ length: 150 }, (_, n) => ({
        tool: "t",
        arguments: { n },
        result: n,
        parents: [],
      }));
      await calls(desk, [...wide, { tool: "sum", arguments: {}, result: 1, parents: wide.map((_, n) => n) }]);
      await desk.all(
        "init --no-passphrase",
        "record --from calls.json --delegate",
        "seal",
        "bundle -o b.json",
      );
      const merges = (await desk.bundle("b.json")).receipts.filter(({ tool }) => tool === "merge-receipts");
      expect(merges.length).toBe(2);
      expect(await desk.verdict("b.json")).toBe("ACCEPTED");
    });
  });

  it("keeps what JSON cannot hold as exact bytes", async () => {
    await atDesk(async (desk) => {
      const text =
        '[{"tool":"t","arguments":{"n":12345678901234567890,"x":1e400},"result":{"a":1,"a":2}},{"tool":"t","arguments":[1.5,-0.25,1e20],"result":"\\ud800"}]';
      await writeFile(desk.path("calls.json"), text);
      await desk.all(
        "init --no-passphrase",
        "record --from calls.json --delegate",
        "seal",
        "bundle -o b.json --disclose all",
      );
      expect(await desk.verdict("b.json")).toBe("ACCEPTED");
      const bundle = await desk.bundle("b.json");
      const [first] = bySequence(bundle);
      const value = first === undefined ? undefined : opened(bundle, first, "input")[0];
      expect(value).toMatchObject({
        bytes: `0x${Buffer.from('{"n":12345678901234567890,"x":1e400}').toString("hex")}`,
      });
    });
  });
});

describe("record refuses", () => {
  async function refused(desk: Desk, line: string, message: RegExp): Promise<void> {
    const before = await desk.text("statements/receipts.jsonl");
    const ran = await desk.run(line);
    expect([ran.code, ran.err]).toEqual([2, expect.stringMatching(message)]);
    expect(ran.err.trim().split("\n").length).toBe(1);
    expect(await desk.text("statements/receipts.jsonl")).toBe(before);
  }

  it("what no delegation covers, saying what to do", async () => {
    await atDesk(async (desk) => {
      await calls(desk);
      await desk.all("init --no-passphrase");
      await refused(desk, "record --from calls.json", /no delegation to act under.*--delegate/);
      await desk.all("delegate --tool search");
      await refused(desk, "record --from calls.json", /osa-proof runtime issue --runtime/);
      await desk.all("runtime issue");
      await refused(desk, "record --from calls.json", /does not list book%20a%20seat, think;.*--tools-from/);
      await desk.all("delegate --tools-from calls.json --max-actions 3", "runtime issue");
      await refused(desk, "record --from calls.json", /allows 3 actions.*number 4/);
      await refused(
        desk,
        `record --from calls.json --delegation 0x${"0".repeat(64)}`,
        /not in this workspace/,
      );
      await desk.all("delegate --tools-from calls.json --valid-for 1h", "runtime issue");
      desk.now += 3_600_000;
      await refused(desk, "record --from calls.json --session nowhere", /no delegation to act under/);
      await desk.all("delegate --tools-from calls.json", "runtime issue", "record --from calls.json");
      await refused(
        desk,
        "record --from calls.json --delegate --mission m --session x --delegation 0x",
        /expected a digest/,
      );
    });
  });

  it("a recording that it cannot read, or one without calls", async () => {
    await atDesk(async (desk) => {
      await desk.all("init --no-passphrase");
      await refused(desk, "record --from nowhere.json --delegate", /nowhere\.json cannot be read/);
      await writeFile(desk.path("bad.json"), "[{");
      await refused(desk, "record --from bad.json --delegate", /^osa-proof: bad\.json: the recording/);
      await writeFile(desk.path("empty.json"), "[]");
      await refused(desk, "record --from empty.json --delegate --format calls", /no tool call/);
      await refused(desk, "record --from empty.json --delegate --format xml", /--format: expected one of/);
    });
  });

  it("a folder that is no workspace", async () => {
    await atDesk(async (desk) => {
      await calls(desk);
      const ran = await desk.run("record --from calls.json --delegate");
      expect([ran.code, ran.err]).toEqual([2, expect.stringMatching(/is not a workspace.*osa-proof init/)]);
    });
  });
});

describe.skipIf(!hasTrajectories)(
  "recorded sessions (skipped when ../shared/trajectories is not there)",
  () => {
    const names = hasTrajectories
      ? readdirSync(TRAJECTORIES)
          .filter((name) => name.endsWith(".calls.json"))
          .map((name) => name.slice(0, -".calls.json".length))
      : [];

    it("are ten", () => expect(names.length).toBe(10));

    it.each(names)(
      "%s: record, seal, bundle, ACCEPTED; inputs and outputs equal the extraction",
      async (name) => {
        const source = readdirSync(TRAJECTORIES).find(
          (file) => file === `${name}.json` || file === `${name}.jsonl`,
        );
        const expected: { tool: string; arguments: unknown; result: unknown; id?: string }[] = JSON.parse(
          readFileSync(`${TRAJECTORIES}/${name}.calls.json`, "utf8"),
        );
        await atDesk(async (desk) => {
          await writeFile(desk.path("recording"), readFileSync(`${TRAJECTORIES}/${source}`));
          await desk.all(
            "init --no-passphrase",
            "record --from recording --delegate",
            "seal",
            "bundle -o b.json --disclose all",
            "bundle -o b.cbor --cbor --disclose all",
          );
          expect(await desk.verdict("b.json")).toBe("ACCEPTED");
          expect(await desk.verdict("b.cbor")).toBe("ACCEPTED");
          const bundle = await desk.bundle("b.json");
          const receipts = bySequence(bundle);
          expect(receipts.length).toBe(expected.length);
          for (const [index, receipt] of receipts.entries()) {
            const call = expected[index];
            expect(receipt.tool).toBe(call?.tool);
            expect(opened(bundle, receipt, "input")).toMatchObject([{ json: call?.arguments }]);
            // The extraction gives every call of one id the last result of that id; the others have their own.
            const borrowed = expected.slice(index + 1).some(({ id }) => id !== undefined && id === call?.id);
            if (borrowed) continue;
            expect(opened(bundle, receipt, "output")).toMatchObject([{ json: call?.result }]);
          }
        });
      },
    );
  },
);
