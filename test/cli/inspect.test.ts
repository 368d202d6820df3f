import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { encodeBundle } from "../../src/bundle/codec.js";
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import { valueText } from "../../src/cli/commands/inspect.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { inFolder, type Ran, richSession, run } from "./support.js";

let bundle: ProofBundleV3;
beforeAll(async () => {
  bundle = await richSession();
});

function inspect(bytes: Uint8Array, ...options: string[]): Promise<Ran> {
  return inFolder(async (cwd) => {
    await writeFile(join(cwd, "bundle"), bytes);
    return run(["inspect", "bundle", ...options], { cwd });
  });
}

describe("osa-proof inspect", () => {
  it("says first that nothing is verified, then what is there", async () => {
    const { code, out, err } = await inspect(encodeBundle(bundle));
    expect({ code, err }).toEqual({ code: 0, err: "" });
    const lines = out.split("\n");
    expect(lines[0]).toMatch(/^Nothing here is verified/);
    expect(out).not.toMatch(/ACCEPTED|REJECTED/);
    expect(out).toMatch(/namespace +org\.example/);
    expect(out).toMatch(/claim +scope session, 1 target/);
    expect(out).toMatch(/receipts +4, issued 2026-11-02T09:05:00Z to 2026-11-02T09:09:00Z/);
    expect(out).toMatch(/planner +runtime rt-1 +session session-1 +3 receipts +closed by its own key/);
    expect(out).toMatch(/coder +runtime rt-2 +session session-1 +1 receipt +closed by its agent/);
    expect(out).toMatch(/shell\.run +3 receipts\n +file\.write +1 receipt/);
    expect(out).toMatch(/complete, 7 of 7 leaves shown +anchors: tlog/);
    expect(out).toContain("blob of 9.0 kB, text/csv");
    expect(out).toContain('completed {"exit_code":0}');
  });

  it("neutralises control characters and cuts long values", async () => {
    const { out } = await inspect(encodeBundle(bundle));
    expect(out).not.toContain("\u001b");
    expect(out).not.toContain("\u202e");
    const long = { kind: "input", receipt_id: "r", json: "\u001b]0;x\u0007".repeat(10_000) } as const;
    expect(valueText(long).length).toBeLessThan(200);
    expect(valueText({ kind: "input", receipt_id: "r", json: "\u009b31m\u202e" })).toBe('"\ufffd31m\ufffd"');
  });

  it("gives all of it as JSON that a terminal does not act on", async () => {
    const { code, out } = await inspect(encodeBundle(bundle), "--json");
    expect(code).toBe(0);
    expect(out).not.toMatch(/[\u007f-\u009f\u202a-\u202e]/);
    const seen = JSON.parse(out);
    expect(seen).toMatchObject({ verified: false, type: "InspectionV1", receipts: 4, session_seals: 1 });
    expect(seen.disclosures.map(({ value }: { value: unknown }) => value)).toEqual(
      bundle.disclosures.map(({ value }) => value),
    );
  });

  it("reads CBOR as it reads JSON", async () => {
    const [json, cbor] = [encodeBundle(bundle, "json"), encodeBundle(bundle, "cbor")];
    const seen = async (bytes: Uint8Array): Promise<Record<string, unknown>> =>
      JSON.parse((await inspect(bytes, "--json")).out);
    expect((await seen(cbor))["bytes"]).toEqual({ given: cbor.length, json: json.length, cbor: cbor.length });
    expect({ ...(await seen(cbor)), bytes: 0 }).toEqual({ ...(await seen(json)), bytes: 0 });
  });

  it("gives one sentence and 2 for what is no bundle, and for no file", async () => {
    for (const text of ["", "{", "[]", '{"protocol":"OSA_PROOF_V3"}']) {
      const { code, out, err } = await inspect(encodeUtf8(text));
      expect({ code, out }).toEqual({ code: 2, out: "" });
      expect(err).toMatch(/^osa-proof: bundle/);
    }
    const missing = await run(["inspect", "/nowhere/bundle"]);
    expect(missing).toMatchObject({ code: 2, out: "" });
    expect(missing.err).toContain("bundle /nowhere/bundle cannot be read");
    expect((await run(["inspect", "/nowhere/a", "/nowhere/b"])).code).toBe(2);
  });
});
