/**
 * F105 The verifier runs where there is no Node.js: bundled for browsers, evaluated in a bare realm that has
 * TextEncoder and TextDecoder and nothing else, it gives the very report that Node.js gives.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { beforeAll, describe, expect, it } from "vitest";
import { verifyBundle } from "../../src/verifier/index.js";

const path = (name: string): string => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const read = (name: string): Uint8Array => readFileSync(path(name));

let code = "";

beforeAll(async () => {
  const built = (await import(path("bench/lib/browser-build.js"))) as {
    browserVerifier(): Promise<string>;
  };
  code = await built.browserVerifier();
});

function verifyInBareRealm(bundle: Uint8Array, trust: Uint8Array, at: string): string {
  const realm = createContext({ OuterEncoder: TextEncoder, TextDecoder });
  // What the encoder of Node.js returns belongs to the realm of Node.js; a browser has one realm.
  runInContext(
    "TextEncoder = class { encode(text) { return Uint8Array.from(new OuterEncoder().encode(text)); } }",
    realm,
  );
  runInContext(code, realm);
  // Bytes are made inside the realm, so that no object of Node.js comes in.
  Object.assign(realm, {
    bundleText: Buffer.from(bundle).toString("hex"),
    trustText: Buffer.from(trust).toString("hex"),
    at,
  });
  return String(
    runInContext(
      `(() => {
        const bytes = (hex) => Uint8Array.from(hex.match(/../g), (pair) => parseInt(pair, 16));
        return JSON.stringify(verifier.verifyBundle(bytes(bundleText), bytes(trustText), { at }));
      })()`,
      realm,
    ),
  );
}

describe("F105 the verifier outside Node.js", () => {
  it("needs no module of Node.js and no global of it", () => {
    expect(code.length).toBeGreaterThan(10_000);
    expect(code).not.toMatch(/["']node:|require\(|\bprocess\./);
  });

  it.each([
    ["fixtures/valid/one-receipt", "bundle.json"],
    ["fixtures/valid/one-receipt-ed25519", "bundle.json"],
    ["fixtures/valid/one-receipt-cbor", "bundle.cbor"],
    ["fixtures/valid/fork-and-merge", "bundle.json"],
  ])("gives the same report for %s", (directory, file) => {
    const at = (JSON.parse(readFileSync(path(`${directory}/case.json`), "utf8")) as { at: string }).at;
    const [bundle, trust] = [read(`${directory}/${file}`), read(`${directory}/trust.json`)];
    const here = verifyBundle(bundle, trust, { at });
    expect(here.verdict).toBe("ACCEPTED");
    expect(verifyInBareRealm(bundle, trust, at)).toBe(JSON.stringify(here));
    const changed = Uint8Array.from(bundle);
    const middle = changed.length >> 1;
    changed[middle] = changed[middle] === 0x30 ? 0x31 : 0x30;
    const rejected = verifyBundle(changed, trust, { at });
    expect(rejected.verdict).toBe("REJECTED");
    expect(verifyInBareRealm(changed, trust, at)).toBe(JSON.stringify(rejected));
  });
});
