/** The packed tarball, installed in an empty folder, is what users get: so that is what is tested. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, unknown>>;
};

let folder = "";

function run(command: string, args: readonly string[]): string {
  return execFileSync(command, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** Evaluates an ES module in the empty folder and returns what it prints. */
function evaluate(code: string): string {
  writeFileSync(join(folder, "probe.mjs"), code);
  return run(process.execPath, ["probe.mjs"]);
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "osa-proof-pack-"));
  execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", folder, "--silent"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  const empty = { name: "empty", private: true, type: "module" };
  writeFileSync(join(folder, "package.json"), JSON.stringify(empty));
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  run("npm", ["install", "--prefer-offline", "--no-audit", "--no-fund", "--silent", `./${tarball}`]);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the packed package", () => {
  it("exports exactly the documented values at its main entry", () => {
    const names = JSON.parse(
      evaluate(`import * as main from "osa-proof"; console.log(JSON.stringify(Object.keys(main).sort()))`),
    ) as unknown;
    expect(names).toEqual([
      "OsaProofError",
      "assembleBundle",
      "commit",
      "createActionReceipt",
      "createDelegation",
      "decodeBundle",
      "encodeBundle",
      "evidenceTree",
      "openCommitment",
      "statementDigest",
      "verifyBundle",
      "withholdDisclosures",
    ]);
  });

  it.each(Object.keys(manifest.exports).filter((path) => !path.includes("*") && !path.endsWith(".json")))(
    "imports %s",
    (path) => {
      const name = `osa-proof${path.slice(1)}`;
      expect(
        evaluate(`import * as entry from "${name}"; console.log(Object.keys(entry).length > 0)`).trim(),
      ).toBe("true");
    },
  );

  it("resolves a schema and refuses inner files", () => {
    expect(
      evaluate(`import { createRequire } from "node:module";
      console.log(createRequire(import.meta.url).resolve("osa-proof/schemas/proof-bundle.json").endsWith("proof-bundle.json"))`).trim(),
    ).toBe("true");
    expect(() => evaluate(`import "osa-proof/dist/errors.js"`)).toThrow(/ERR_PACKAGE_PATH_NOT_EXPORTED/);
  });

  it("type-checks a program that uses the documented imports", () => {
    const compilerOptions = { noEmit: true, strict: true, module: "nodenext", target: "es2023", types: [] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["use.ts"] }));
    const compile = (program: string): number | null => {
      writeFileSync(join(folder, "use.ts"), program);
      const tsc = join(root, "node_modules/typescript/bin/tsc");
      const { status, stdout } = spawnSync(process.execPath, [tsc, "-p", "."], {
        cwd: folder,
        encoding: "utf8",
      });
      if (status !== 0) errors = stdout;
      return status;
    };
    let errors = "";
    expect(compile(readFileSync(join(root, "test/project/typed-use.txt"), "utf8")), errors).toBe(0);
    expect(errors).toBe("");
    expect(
      compile('import { verifyBundle } from "osa-proof"; verifyBundle("a", new Uint8Array(), { at: "x" });'),
    ).not.toBe(0);
    expect(errors).toContain("TS2345");
  });

  it("runs its command", () => {
    const bin = join(folder, "node_modules/osa-proof/bin/osa-proof.js");
    expect(run(process.execPath, [bin, "--version"]).trim()).toMatch(/^\d+\.\d+\.\d+$/);
    expect(run(process.execPath, [bin, "codes"])).toContain("DELEGATION_TOOL_OUT_OF_SCOPE");
    // Its controls are a file of the package, which only the installed one shows to be there.
    expect(run(process.execPath, [bin, "selftest"])).toMatch(/^SELF-TEST PASSED\n/);
  });

  it("brings the command as a bundle, and the licences of what is inside", () => {
    const bundle = join(folder, "node_modules/osa-proof/dist/cli");
    const files = readdirSync(bundle, { recursive: true, encoding: "utf8" });
    expect(files).toEqual(expect.arrayContaining(["main.js", "shared.js", "selftest.js"]));
    expect(files.filter((name) => !/^(?:[\w-]+\.js|LICENSES\.txt|package\.json)$/.test(name))).toEqual([]);
    const licences = readFileSync(join(bundle, "LICENSES.txt"), "utf8");
    expect(licences).toMatch(/^commander \d/m);
    expect(licences).toMatch(/^valibot \d/m);
    expect(licences.match(/Permission is hereby granted/g)).toHaveLength(2);
    const required = files
      .filter((name) => name.endsWith(".js"))
      .flatMap((name) => [
        ...readFileSync(join(bundle, name), "utf8").matchAll(/\brequire\(["`'](?!node:|\.\/)([^"`']*)/g),
      ])
      .map(([, name]) => name);
    expect(required).toEqual([]);
  });

  it("holds no test, source or local path", () => {
    const files = run("tar", ["-tzf", readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? ""]).split(
      "\n",
    );
    expect(files.filter((name) => /\/(test|src|fixtures|scripts|bench)\//.test(name))).toEqual([]);
    expect(files.length).toBeGreaterThan(60);
  });
});
