/** Every example of the README is run as it stands. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const readme = readFileSync(join(root, "README.md"), "utf8");
const scripts = (
  JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> }
).scripts;

/** The code blocks that a comment marks for running, by name. */
const examples = new Map(
  [...readme.matchAll(/<!-- run: (\S+) -->\n```\w+\n([\s\S]*?)```/g)].map(([, name = "", code = ""]) => [
    name,
    code,
  ]),
);

let folder = "";

function run(command: string, args: readonly string[]): string {
  const path = `${join(folder, "bin")}:${process.env["PATH"] ?? ""}`;
  return execFileSync(command, args, { cwd: folder, encoding: "utf8", env: { ...process.env, PATH: path } });
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "osa-proof-readme-"));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(root, join(folder, "node_modules", "osa-proof"));
  // Stands for `npx osa-proof` in a folder where the package is installed, without asking a registry.
  mkdirSync(join(folder, "bin"));
  const shim = `#!/bin/sh\n[ "$1" = osa-proof ] || exit 64\nshift\nexec "${process.execPath}" "${join(root, "bin/osa-proof.js")}" "$@"\n`;
  writeFileSync(join(folder, "bin", "npx"), shim, { mode: 0o755 });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("README", () => {
  it("marks its ways in", () => {
    expect([...examples.keys()]).toEqual([
      "sign.mjs",
      "session.sh",
      "verify.mjs",
      "verify-parallel.mjs",
      "audit.mjs",
    ]);
  });

  it("signs in a runtime", () => {
    const bundle = JSON.parse(readFileSync(join(root, "fixtures/valid/one-receipt/bundle.json"), "utf8")) as {
      delegations: readonly unknown[];
    };
    writeFileSync(join(folder, "delegation.json"), JSON.stringify(bundle.delegations[0]));
    writeFileSync(join(folder, "sign.mjs"), examples.get("sign.mjs") ?? "");
    expect(run(process.execPath, ["sign.mjs"])).toMatch(
      /^1 0x[0-9a-f]{64} receipt_id input output evidence\n$/,
    );
  });

  it("records, seals, bundles and verifies from the command line", () => {
    writeFileSync(join(folder, "session.sh"), `set -e\n${examples.get("session.sh") ?? ""}`);
    const output = run("sh", ["session.sh"]);
    expect(output).toContain("\nACCEPTED\n");
    expect(output).toContain("\nSELF-TEST PASSED\n");
    expect(output).toContain("refund");
    expect(output).toContain("flowchart");
  });

  it("embeds the verifier, and the same program rejects a changed byte", () => {
    writeFileSync(join(folder, "verify.mjs"), examples.get("verify.mjs") ?? "");
    expect(run(process.execPath, ["verify.mjs"])).toMatch(/^ACCEPTED\nTRUST PASS\n/);
    writeFileSync(join(folder, "verify-parallel.mjs"), examples.get("verify-parallel.mjs") ?? "");
    expect(run(process.execPath, ["verify-parallel.mjs"])).toBe("ACCEPTED\n");
    writeFileSync(join(folder, "audit.mjs"), examples.get("audit.mjs") ?? "");
    expect(run(process.execPath, ["audit.mjs"])).toBe("ACCEPTED 0\n");
    expect(run(process.execPath, ["audit.mjs"])).toMatch(/^ACCEPTED [1-9]\d*\n$/);
    const path = join(folder, "session.osaproof.json");
    const bytes = readFileSync(path);
    const at = bytes.indexOf('"sequence":1') + '"sequence":'.length;
    writeFileSync(path, Buffer.concat([bytes.subarray(0, at), Buffer.from("3"), bytes.subarray(at + 1)]));
    expect(run(process.execPath, ["verify.mjs"])).toMatch(/^REJECTED\n/);
    expect(run(process.execPath, ["verify-parallel.mjs"])).toBe("REJECTED\n");
    expect(run(process.execPath, ["audit.mjs"])).toMatch(/^REJECTED /);
  });

  it("has an example of the whole way with the library, which is accepted", () => {
    const program = readFileSync(join(root, "examples/end-to-end.mjs"), "utf8");
    writeFileSync(join(folder, "end-to-end.mjs"), program);
    expect(run(process.execPath, ["end-to-end.mjs"])).toBe("ACCEPTED 2 receipts\n");
    writeFileSync(
      join(folder, "end-to-end.mjs"),
      program.replace('tools: ["get_order", "refund"]', 'tools: ["get_order"]'),
    );
    expect(run(process.execPath, ["end-to-end.mjs"])).toMatch(/^REJECTED Tool refund is not listed/);
  });

  it("signs under the very delegation that the command prints", () => {
    const work = join(folder, "signing");
    const command = (...args: readonly string[]): string =>
      run(process.execPath, [join(root, "bin/osa-proof.js"), ...args, "--dir", work]);
    command("init", "--no-passphrase");
    writeFileSync(join(folder, "delegation.json"), command("delegate", "--tool", "fs.read", "--json"));
    expect(run(process.execPath, ["sign.mjs"])).toMatch(/^1 0x/);
    const key =
      "0x3059301306072a8648ce3d020106082a8648ce3d030107034200046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c2964fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5";
    const issued = JSON.parse(
      command("runtime", "issue", "--public-key", key, "--key-id", "runtime-key-1", "--json"),
    ) as object;
    expect(issued).toMatchObject({
      type: "RuntimeKeyCertificateV1",
      public_key: key,
      runtime_key_id: "runtime-key-1",
    });
    expect(() => command("runtime", "issue", "--public-key", key)).toThrow(/go together/);
    expect(() =>
      command("runtime", "issue", "--public-key", `${key.slice(0, -1)}6`, "--key-id", "k"),
    ).toThrow(/public_key/);
  });

  it("names only commands, scripts and files that exist", () => {
    for (const [, script = ""] of readme.matchAll(/npm (?:run )?(demo|test|bench|fixtures)\b/g)) {
      expect(scripts[script], script).toBeDefined();
    }
    const help = spawnSync(process.execPath, [join(root, "bin/osa-proof.js"), "--help"], {
      encoding: "utf8",
    }).stdout;
    for (const [, command = ""] of readme.matchAll(/(?:npx |`)osa-proof ([a-z][a-z-]*)/g)) {
      expect(help, command).toMatch(new RegExp(`^  ${command}\\b`, "m"));
    }
    for (const [, target = ""] of readme.matchAll(/\]\(([^)#]+)\)/g)) {
      if (!target.startsWith("http")) expect(existsSync(join(root, target)), target).toBe(true);
    }
  });
});
