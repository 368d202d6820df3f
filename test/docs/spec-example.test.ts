/**
 * docs/SPEC.md against the code, and against itself: every digest, root and signature of its example is recomputed from
 * the text with node:crypto and the `canonicalize` package, with nothing of src, and the bundle it prints is verified.
 */
import { createHash, createPublicKey, verify } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import canonicalize from "canonicalize";
import { beforeAll, describe, expect, it } from "vitest";
import { blocksIn, fillSpec } from "../../scripts/spec-example.js";
import { verifyBundle } from "../../src/verifier/verify.js";

const SPEC = fileURLToPath(new URL("../../docs/SPEC.md", import.meta.url));
const SOURCE = fileURLToPath(new URL("../../src/", import.meta.url));
if (process.env["UPDATE_SPEC"] === "1") writeFileSync(SPEC, await fillSpec(readFileSync(SPEC, "utf8")));

const spec = readFileSync(SPEC, "utf8");
const blocks = blocksIn(spec);

function block(name: string): string {
  const found = blocks.get(name);
  if (found === undefined) throw new Error(`docs/SPEC.md has no block "${name}"`);
  return found;
}

type Json = Readonly<Record<string, unknown>>;

function json(name: string): Json {
  return JSON.parse(block(name));
}

function sha256(...parts: (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return `0x${hash.digest("hex")}`;
}

function bytes(hex: unknown): Uint8Array {
  return new Uint8Array(Buffer.from(String(hex).slice(2), "hex"));
}

const leaf = (data: Uint8Array | string): string => sha256(Uint8Array.of(0), data);
const node = (left: unknown, right: unknown): string => sha256(Uint8Array.of(1), bytes(left), bytes(right));

function jcs(value: unknown): string {
  return canonicalize(value) ?? "";
}

function without(statement: Json, ...names: string[]): Json {
  return Object.fromEntries(Object.entries(statement).filter(([name]) => !names.includes(name)));
}

const keys = new Map<string, Json>(
  (JSON.parse(block("keys")) as Json[]).map((key) => [String(key["key_id"]), key]),
);

function isSigned(keyId: string, message: string | Uint8Array, signature: Uint8Array): boolean {
  const key = keys.get(keyId) ?? {};
  const publicKey = createPublicKey({
    key: Buffer.from(bytes(key["public_key"])),
    format: "der",
    type: "spki",
  });
  return verify(key["algorithm"] === "ED25519" ? null : "sha256", Buffer.from(message), publicKey, signature);
}

/** Statements of the example with who signed them. */
const STATEMENTS = [
  ["agent-key-certificate", "root-1", "signature"],
  ["identity-record", "root-1", "signature"],
  ["runtime-key-certificate", "agent-key-1", "signature"],
  ["delegation", "agent-key-1", "signature"],
  ["receipt", "runtime-key-1", "signature"],
  ["session-close", "runtime-key-1", "signature"],
  ["session-seal", "agent-key-1", "signature"],
  ["revocation-list", "root-1", "signature"],
  ["root-rotation", "root-1", "signature"],
  ["root-rotation", "root-2", "new_root_signature"],
] as const;

describe("the generated parts of docs/SPEC.md", () => {
  let filled = "";
  beforeAll(async () => {
    filled = await fillSpec(spec);
  });

  it("are what the code makes: run with UPDATE_SPEC=1 after a change", () => {
    expect(spec).toBe(filled);
  });

  it("differ when one of them is altered", () => {
    const digest = block("receipt-digest");
    expect(spec.replaceAll(digest, digest.replace(/.$/, "_"))).not.toBe(filled);
  });
});

describe("the headings of docs/SPEC.md", () => {
  const headings = new Set([...spec.matchAll(/^#{2,4} (.+)$/gm)].map((match) => match[1]));

  it("are unique where the text or the code cites them", () => {
    const all = [...spec.matchAll(/^#{2,4} (.+)$/gm)].map((match) => match[1]);
    expect(all.filter((heading, index) => all.indexOf(heading) !== index)).toEqual([]);
  });

  it("have every section that src cites", () => {
    const cited = new Map<string, string>();
    for (const file of readdirSync(SOURCE, { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".ts")) continue;
      const text = readFileSync(join(SOURCE, file), "utf8").replace(/\n\s*\*\s*/g, " ");
      for (const [, names = ""] of text.matchAll(/docs\/SPEC\.md((?:,? (?:and )?"[^"\n]+")+)/g)) {
        for (const [, name = ""] of names.matchAll(/"([^"]+)"/g)) cited.set(name, file);
      }
    }
    expect(cited.size).toBeGreaterThan(30);
    expect([...cited].filter(([name]) => !headings.has(name))).toEqual([]);
  });

  it("have a section for each check and for every section that the text cites", () => {
    for (let check = 0; check <= 10; check += 1) expect(headings).toContain(`Check ${check}`);
    const prose = spec.replace(/^```[\s\S]*?^```$/gm, "");
    const named = [...prose.matchAll(/"([A-Z][A-Za-z0-9 -]+)"/g)].map((match) => match[1] ?? "");
    expect(named.filter((name) => !headings.has(name) && name !== "AttestationBindingV1")).toEqual([]);
  });
});

describe("the example of docs/SPEC.md, recomputed from its text alone", () => {
  it("makes each private key and thumbprint as it says", () => {
    for (const [keyId, key] of keys) {
      expect(key["private_key"]).toBe(sha256(`osa-proof spec example: ${keyId}`));
      expect(key["thumbprint"]).toBe(sha256(bytes(key["public_key"])));
    }
  });

  it.each(STATEMENTS)("%s: signed bytes, digest and the signature of %s", (name, keyId, member) => {
    const statement = json(name);
    expect(jcs(without(statement, "signature", "new_root_signature"))).toBe(block(`${name}-signed-bytes`));
    expect(sha256(jcs(statement))).toBe(block(`${name}-digest`));
    expect(isSigned(keyId, block(`${name}-signed-bytes`), bytes(statement[member]))).toBe(true);
    expect(isSigned(keyId, `${block(`${name}-signed-bytes`)} `, bytes(statement[member]))).toBe(false);
  });

  it.each(["input", "output", "evidence"])("the commitment to the %s", (name) => {
    expect(block(`${name}-salt`)).toBe(sha256(`osa-proof spec example salt: ${name}`));
    expect(sha256(bytes(block(`${name}-salt`)), block(`${name}-value`))).toBe(block(`${name}-commitment`));
  });

  it("the receipt holds the commitments, the action tree's root and the policy's digest", () => {
    const receipt = json("receipt");
    expect(receipt["input_commitment"]).toBe(block("input-commitment"));
    expect(receipt["output_commitment"]).toBe(block("output-commitment"));
    expect(leaf(bytes(block("evidence-commitment")))).toBe(block("action-tree-root"));
    expect(receipt["evidence_merkle_root"]).toBe(block("action-tree-root"));
    expect(sha256(block("policy-canonical"))).toBe(block("policy-digest"));
    expect(receipt["policy_digest"]).toBe(block("policy-digest"));
    expect(receipt["delegation_digest"]).toBe(block("delegation-digest"));
  });

  it("the evidence tree", () => {
    const { leaves, leaf_hashes: hashes, node_0_1: inner, root } = json("evidence-tree");
    const wanted = ["receipt", "session-close", "session-seal"].map((name) => block(`${name}-digest`));
    expect(leaves).toEqual(wanted);
    expect(hashes).toEqual(wanted.map((digest) => leaf(bytes(digest))));
    const [first, second, third] = hashes as string[];
    expect(inner).toBe(node(first, second));
    expect(root).toBe(node(inner, third));
  });

  it("the anchor entries, the log's tree, its checkpoint and all signatures on it", () => {
    const entry = (subject: string, digest: unknown, size: number): string =>
      jcs({
        protocol: "OSA_PROOF_V3",
        type: "AnchorEntryV1",
        namespace_id: json("receipt")["namespace_id"],
        subject,
        digest,
        tree_size: size,
      });
    expect(block("list-entry")).toBe(entry("revocation_list", block("revocation-list-digest"), 1));
    expect(block("tree-entry")).toBe(entry("evidence_root", json("evidence-tree")["root"], 3));
    const hashes = [leaf(block("list-entry")), leaf(block("tree-entry"))];
    expect(json("log-tree")).toEqual({ leaf_hashes: hashes, root: node(hashes[0], hashes[1]) });
    const root = Buffer.from(bytes(json("log-tree")["root"])).toString("base64");
    expect(`${block("checkpoint")}\n`).toBe(`log.example.com/osa\n2\n${root}\n`);
    expect(block("cosignature-message")).toBe(`cosignature/v1\ntime 1767605100\n${block("checkpoint")}`);

    const lines = block("signed-note")
      .slice(`${block("checkpoint")}\n\n`.length)
      .split("\n");
    const signatures = lines.map((line) => Buffer.from(line.split(" ")[2] ?? "", "base64").subarray(4));
    const [log, first, second] = signatures;
    expect(isSigned("log-1", `${block("checkpoint")}\n`, log ?? new Uint8Array())).toBe(true);
    for (const [keyId, line, time] of [
      ["witness-1.example", first, 1767605100],
      ["witness-2.example", second, 1767605102],
    ] as const) {
      expect(Number(line?.readBigUInt64BE(0))).toBe(time);
      const message = `cosignature/v1\ntime ${time}\n${block("checkpoint")}\n`;
      expect(isSigned(keyId, message, line?.subarray(8) ?? new Uint8Array())).toBe(true);
    }
    const [magic, index, path, blank, ...rest] = block("tlog-proof").split("\n");
    expect([magic, index, blank]).toEqual(["c2sp.org/tlog-proof@v1", "index 1", ""]);
    expect(`0x${Buffer.from(path ?? "", "base64").toString("hex")}`).toBe(hashes[0]);
    expect(rest.join("\n")).toBe(block("signed-note"));
  });

  it("the vkeys are the pinned ones, with the key ids that their types ask for", () => {
    const { tlog } = json("trust-policy") as { tlog: { logs: Json[]; witnesses: Json[] } };
    const vkeys = block("vkeys").split("\n");
    expect([...tlog.logs, ...tlog.witnesses].map((pin) => pin["vkey"])).toEqual(vkeys);
    for (const vkey of vkeys) {
      const [name = "", keyId, base64 = ""] = vkey.split(/\+(?=[0-9a-f]{8}\+)|(?<=\+[0-9a-f]{8})\+/);
      expect(sha256(`${name}\n`, Buffer.from(base64, "base64")).slice(2, 10)).toBe(keyId);
    }
  });

  it("the bundle holds the very statements that the sections show", () => {
    const bundle = json("bundle") as Readonly<Record<string, readonly Json[]>>;
    const first = (name: string): unknown => bundle[name]?.[0];
    expect(first("agent_key_certificates")).toEqual(json("agent-key-certificate"));
    expect(first("identity_records")).toEqual(json("identity-record"));
    expect(first("runtime_key_certificates")).toEqual(json("runtime-key-certificate"));
    expect(first("delegations")).toEqual(json("delegation"));
    expect(first("receipts")).toEqual(json("receipt"));
    expect(first("session_closes")).toEqual(json("session-close"));
    expect(first("session_seals")).toEqual(json("session-seal"));
    expect(bundle["revocation_lists"]?.[0]?.["list"]).toEqual(json("revocation-list"));
    expect(bundle["evidence_trees"]?.[0]?.["root"]).toBe(json("evidence-tree")["root"]);
    expect(bundle["evidence_trees"]?.[0]?.["anchors"]).toEqual([
      { type: "tlog", proof: `${block("tlog-proof")}\n` },
    ]);
    expect(bundle["disclosures"]?.map(({ salt, value }) => [salt, jcs(value)])).toEqual(
      ["input", "output", "evidence"].map((name) => [block(`${name}-salt`), block(`${name}-value`)]),
    );
  });
});

describe("the bundle that docs/SPEC.md prints", () => {
  const text = (name: string): Uint8Array => new TextEncoder().encode(block(name));
  const at = block("verified-at");

  it("is ACCEPTED under the policy that it prints", () => {
    const report = verifyBundle(text("bundle"), text("trust-policy"), { at });
    expect(report.first_failure).toBeNull();
    expect(report.verdict).toBe("ACCEPTED");
    expect(report.checks.filter(({ status }) => status !== "PASS").map(({ check }) => check)).toEqual([
      "ATTESTATION",
    ]);
    expect(report.times.map((time) => time.anchored_at)).toEqual([
      "2026-01-05T09:25:02Z",
      "2026-01-05T09:25:02Z",
    ]);
  });

  it("is ACCEPTED with the expectations, supplement and known heads that it prints", () => {
    const report = verifyBundle(text("bundle"), text("trust-policy"), {
      at,
      expectations: text("expectations"),
      supplement: text("supplement"),
      heads: text("known-heads"),
    });
    expect(report.first_failure).toBeNull();
    expect(report.verdict).toBe("ACCEPTED");
  });

  it("is REJECTED after one changed character of the receipt", () => {
    const altered = new TextEncoder().encode(block("bundle").replace('"action-1"', '"action-2"'));
    expect(verifyBundle(altered, text("trust-policy"), { at }).verdict).toBe("REJECTED");
  });
});
