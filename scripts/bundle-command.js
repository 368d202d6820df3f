/**
 * Bundles the command line into dist/cli (docs/decisions/bundled-command.md), after `tsc` has written the library to dist:
 * one file with all that `verify` runs, one with what other commands share, and one for each other command.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";

const SOURCE = fileURLToPath(new URL("../src/cli/", import.meta.url));
const OUTPUT = fileURLToPath(new URL("../dist/cli/", import.meta.url));

/** What is started by its name: each becomes dist/cli/NAME.js. A worker thread is one more line. */
const ENTRIES = { main: `${SOURCE}main.ts` };

/** What is in the file of `verify`, together with all that these import. */
const VERIFY = [`${SOURCE}main.ts`, `${SOURCE}commands/verify.ts`];

/** All modules that `seeds` import, not counting those that are imported only when they are needed. */
function importedBy(seeds, infoOf) {
  const found = new Set(seeds);
  for (const id of found) for (const imported of infoOf(id)?.importedIds ?? []) found.add(imported);
  return found;
}

/**
 * Commander as ES modules. As CommonJS it would be compiled twice, once to skip the functions that hold its modules and
 * once when they are called, which takes longer than to read its options. No command here is a program of its own, which is
 * all that it needs `node:child_process` for. Of other modules of Node.js it gets the members that it calls: a copy of a
 * whole module is made member by member.
 */
const commanderAsModules = {
  name: "commander-as-modules",
  transform(code, id) {
    const [, file] = /\/commander\/(esm\.mjs|lib\/\w+\.js)$/.exec(id) ?? [];
    if (file === undefined) return null;
    const modules = ["command", "error", "option"].map((name) => `export * from "./lib/${name}.js";`);
    if (file === "esm.mjs") return modules.join("\n");
    const changed = code
      .replace("const childProcess = require('node:child_process');", "const childProcess = undefined;")
      .replace(/^const EventEmitter = require\((.*)\)\.EventEmitter;$/gm, "import { EventEmitter } from $1;")
      .replace(/^const (.*) = require\('(\.\/\w+?)(?:\.js)?'\);$/gm, "import $1 from '$2.js';")
      .replace(/^const process = require\('node:process'\);$/m, "")
      .replace(/^const (\w+) = require\('node:(\w+)'\);$/gm, (_, name, builtin) => {
        const used = [
          ...new Set([...code.matchAll(new RegExp(`\\b${name}\\.(\\w+)\\(`, "g"))].map((found) => found[1])),
        ];
        return `import { ${used.join(", ")} } from "node:${builtin}";\nconst ${name} = { ${used.join(", ")} };`;
      })
      .replace(/^exports\.(\w+) = \1;/gm, "export { $1 };");
    const rest = changed.replace(/^ *(?:\*|\/\/).*$/gm, "");
    if (/\brequire\(|\bexports\b/.test(rest)) throw new Error(`${id} is not written as it was`);
    return changed;
  },
};

/** In ASCII a file takes half the memory, and is read and compiled faster. */
const ascii = {
  name: "ascii",
  generateBundle(_, files) {
    const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
    for (const file of Object.values(files)) file.code = file.code.replace(/[^\0-\x7f]/g, escaped);
  },
};

const bundle = await rolldown({
  input: ENTRIES,
  platform: "node",
  external: /^node:/,
  resolve: { conditionNames: ["osa-proof-source", "node", "import", "default"] },
  preserveEntrySignatures: "allow-extension",
  plugins: [commanderAsModules, ascii],
});
let verify;
const { output } = await bundle.write({
  dir: OUTPUT,
  // Node.js starts a CommonJS program faster, and its modules load those of Node.js only when they are run.
  format: "cjs",
  minify: true,
  entryFileNames: "[name].js",
  chunkFileNames: "[name].js",
  codeSplitting: {
    groups: [
      {
        name: (id, context) => {
          verify ??= importedBy(VERIFY, (module) => context.getModuleInfo(module));
          return verify.has(id) ? "main" : null;
        },
        priority: 2,
        debugName: "verify",
      },
      { name: "shared", minShareCount: 2, priority: 1 },
    ],
  },
});

/** The licences of the packages that are in the files, which say that they go with every copy. */
function licences(moduleIds) {
  const packages = new Set(moduleIds.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id) ?? []));
  return [...packages].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
    const file = ["LICENSE", "LICENSE.md"].find((candidate) => existsSync(`${folder}/${candidate}`));
    if (file === undefined) throw new Error(`${name} has no file that says its licence`);
    return `${name} ${version}\n\n${readFileSync(`${folder}/${file}`, "utf8").trim()}\n`;
  });
}

const moduleIds = output.flatMap((chunk) => chunk.moduleIds ?? []);
writeFileSync(`${OUTPUT}LICENSES.txt`, licences(moduleIds).join("\n\n"));
writeFileSync(`${OUTPUT}package.json`, '{ "type": "commonjs" }\n');
