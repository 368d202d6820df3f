/** Each kind of field at its edges: the shortest and longest that it takes, and the nearest that it does not. */

import { describe, expect, it } from "vitest";
import { jsonSchemaOf } from "../../src/cli/json-schema.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import * as LIMITS from "../../src/limits.js";
import { commit, committedValue, openCommitment } from "../../src/statements/commitment.js";
import * as fields from "../../src/statements/fields.js";
import { revocationList } from "../../src/statements/revocation.js";
import { Faults, type Schema } from "../../src/statements/schema.js";
import { sessionClose } from "../../src/statements/session.js";

function takes(schema: Schema<unknown>, value: JsonValue): boolean {
  const into = new Faults();
  const decoded = schema.decode(value, "", into);
  expect(decoded === undefined).toBe(into.count > 0);
  return decoded !== undefined;
}

function faults(schema: Schema<unknown>, value: JsonValue): string[] {
  const into = new Faults();
  schema.decode(value, "/at", into);
  return into.first().map(({ code, pointer }) => `${code} ${pointer}`);
}

const hex = (bytes: number): string => `0x${"ab".repeat(bytes)}`;
const label = "a".repeat(63);
const name253 = `${label}.${label}.${label}.${"a".repeat(61)}`;
const atBound = `@ai:a.example/${"x".repeat(LIMITS.maxAgentIdCharacters - "@ai:a.example/".length)}`;
const ed25519 = "0x302a300506032b6570032100d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

const good: readonly [string, Schema<unknown>, readonly string[]][] = [
  ["digest", fields.digest, [hex(32)]],
  ["hexBytes", fields.hexBytes, ["0x", hex(1), hex(1000)]],
  ["signature", fields.signature, [hex(8), hex(9), hex(71), hex(72)]],
  ["publicKey", fields.publicKey, [ed25519]],
  ["time", fields.time, ["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Z"]],
  ["identifier", fields.identifier, ["!", "~", "!~", "a b".replace(" ", "_"), "x".repeat(128)]],
  ["toolName", fields.toolName, ["!", "~", "shell", "osa", "osa_x", "osa.denied", "x".repeat(128)]],
  ["dnsName", fields.dnsName, ["a", "a.b", "a-b.c", "0.1", label, `a${"-".repeat(61)}b`, name253]],
  ["agentId", fields.agentId, ["@ai:a/b", "@ai:a.example/x/y-z_0.A", "@ai:a/...", "@ai:a/.x", atBound]],
];

const bad: readonly [string, Schema<unknown>, readonly string[]][] = [
  ["digest", fields.digest, [hex(31), hex(33), hex(32).toUpperCase(), `${hex(31)}a`, ""]],
  ["hexBytes", fields.hexBytes, ["", "0", "0x0", "0X00", "ab", hex(2).toUpperCase()]],
  ["signature", fields.signature, ["0x", hex(7), hex(73), `0x${"xy".repeat(8)}`, `0x${"a".repeat(17)}`]],
  ["publicKey", fields.publicKey, ["", "x", "0x", ed25519.slice(0, -2), `${ed25519}00`, hex(44), hex(91)]],
  ["time", fields.time, ["", "2026-01-01", "2026-01-01T00:00:00", "2026-13-01T00:00:00Z"]],
  ["identifier", fields.identifier, ["", " ", "a b", "\u007f", "é", "a\n", "x".repeat(129)]],
  ["toolName", fields.toolName, ["", "*", "a*", "osa.", "osa.x", "osa.denied2", "x".repeat(129)]],
  [
    "dnsName",
    fields.dnsName,
    ["", ".", "a.", ".a", "a..b", "-a", "a-", "A", "a_b", "é", `${label}a`, `${name253}a`, `a.${name253}`],
  ],
  [
    "agentId",
    fields.agentId,
    [
      "",
      "a/b",
      "@ai:",
      "@ai:a",
      "@ai:a/",
      "@ai:/b",
      "@AI:a/b",
      "xai:a/b",
      "@ai:a/b/",
      "@ai:a//b",
      "@ai:a/.",
      "@ai:a/..",
      "@ai:a/./b",
      "@ai:a/../b",
      "@ai:a/b c",
      "@ai:a/é",
      "@ai:A/b",
      `${atBound}x`,
    ],
  ],
];

describe("fields", () => {
  it.each(good)("%s takes what is in its spelling", (_, schema, values) => {
    for (const value of values) expect(takes(schema, value), value).toBe(true);
  });

  it.each(bad)("%s refuses what is next to it", (_, schema, values) => {
    for (const value of values) expect(takes(schema, value), value).toBe(false);
    for (const value of [null, 1, true, [], {}]) {
      expect(faults(schema, value)).toEqual(["FORMAT_WRONG_TYPE /at"]);
    }
  });

  it("has the pattern say what the code does", () => {
    for (const [name, schema, values] of [...good, ...bad]) {
      const { pattern, maxLength } = jsonSchemaOf(schema);
      const isGood = good.some(([, , others]) => others === values);
      if (typeof pattern !== "string" || name === "time" || name === "publicKey") continue;
      for (const value of values) {
        const fits = new RegExp(pattern, "u").test(value) && value.length <= Number(maxLength ?? 1e9);
        expect(fits, `${name} ${value}`).toBe(isGood);
      }
    }
  });

  it("cuts the DNS name out of an agent_id", () => {
    expect(fields.agentDomain("@ai:a.example/x/y")).toBe("a.example");
  });
});

describe("a committed value", () => {
  const value = { kind: "input", receipt_id: "r" };
  const blob = { media_type: "text/plain", size: 0, sha256: hex(32) };

  it("has exactly one content", () => {
    for (const content of [{ json: null }, { bytes: "0x" }, { blob }]) {
      expect(faults(committedValue, { ...value, ...content })).toEqual([]);
    }
    expect(faults(committedValue, value)).toEqual(["FORMAT_MISSING_MEMBER /at/json"]);
    expect(faults(committedValue, { ...value, json: null, bytes: "0x" })).toEqual([
      "FORMAT_VALUE_INVALID /at",
    ]);
    expect(faults(committedValue, { ...value, bytes: "0x", blob })).toEqual(["FORMAT_VALUE_INVALID /at"]);
  });

  it("has a status exactly in an output", () => {
    const output = { kind: "output", receipt_id: "r", json: 1 };
    expect(faults(committedValue, { ...output, status: "completed" })).toEqual([]);
    expect(faults(committedValue, output)).toEqual(["FORMAT_MISSING_MEMBER /at/status"]);
    for (const kind of ["input", "evidence"]) {
      expect(faults(committedValue, { ...output, kind })).toEqual([]);
      expect(faults(committedValue, { ...output, kind, status: "failed" })).toEqual([
        "FORMAT_UNKNOWN_MEMBER /at/status",
      ]);
    }
  });

  it("names a media type of 1 to the pinned number of printable characters", () => {
    const named = (media_type: string): JsonValue => ({ ...value, blob: { ...blob, media_type } });
    expect(faults(committedValue, named("x".repeat(LIMITS.maxMediaTypeCharacters)))).toEqual([]);
    for (const wrong of ["", "a b", "é", "x".repeat(LIMITS.maxMediaTypeCharacters + 1)]) {
      expect(faults(committedValue, named(wrong))).toEqual(["FORMAT_VALUE_INVALID /at/blob/media_type"]);
    }
  });

  it("is refused with the place at fault", () => {
    const salt = new Uint8Array(32);
    const made = (json: JsonValue, with_: Uint8Array = salt): unknown => {
      try {
        return commit({ kind: "input", receipt_id: "r", json }, with_).commitment.length;
      } catch (error) {
        return error;
      }
    };
    expect(made({ a: [1] })).toBe(66);
    expect(made({ a: [1] }, new Uint8Array(31))).toMatchObject({
      code: "ARGUMENT_INVALID",
      pointer: "/salt",
    });
    expect(made({ a: [2 ** 53] })).toMatchObject({ code: "VALUE_NOT_JSON", pointer: "/json/a/0" });
    expect(made(2 ** 53)).toMatchObject({ code: "VALUE_NOT_JSON", pointer: "/json" });
    expect(made(2 ** 53)).toMatchObject({ message: expect.stringContaining("2^53-1") });
    expect(made(null, "x" as unknown as Uint8Array)).toMatchObject({ pointer: "/salt" });
  });

  it("is opened by a salt of 32 bytes only", () => {
    const {
      commitment,
      salt,
      value: opened,
    } = commit({ kind: "input", receipt_id: "r", json: 1 }, new Uint8Array(32));
    expect(openCommitment(commitment, salt, opened)).toBe(true);
    // A salt that borrows its last bytes from the value hashes the same input, and is no opening.
    for (const wrong of [salt.slice(0, -2), `${salt}00`, "0x", "", salt.slice(2), null]) {
      expect(openCommitment(commitment, wrong as string, opened)).toBe(false);
    }
  });
});

describe("the rules over several members", () => {
  const digest = hex(32);
  const issued = {
    protocol: "OSA_PROOF_V3",
    namespace_id: "n",
    issued_at: "2026-01-01T00:00:00Z",
    issuer_key_id: "k",
    digest_algorithm: "SHA-256",
    canonicalization: "RFC8785_JCS",
    signing_algorithm: "ED25519",
    signature: hex(64),
  };
  const close = {
    ...issued,
    type: "SessionCloseV1",
    agent_id: "@ai:a/b",
    runtime_id: "rt",
    session_id: "s",
    final_sequence: 1,
    receipt_count: 1,
    last_receipt_digest: digest,
    runtime_key_certificate_digests: [digest],
    closed_by: "runtime",
  };

  it("a close names the agent's certificate exactly when the agent closes", () => {
    const named = { agent_key_certificate_digest: digest };
    expect(faults(sessionClose, close)).toEqual([]);
    expect(faults(sessionClose, { ...close, ...named, closed_by: "agent" })).toEqual([]);
    expect(faults(sessionClose, { ...close, closed_by: "agent" })).toEqual([
      "FORMAT_MISSING_MEMBER /at/agent_key_certificate_digest",
    ]);
    expect(faults(sessionClose, { ...close, ...named })).toEqual([
      "FORMAT_UNKNOWN_MEMBER /at/agent_key_certificate_digest",
    ]);
  });

  it("a revocation has a reason of 1 to the pinned number of characters", () => {
    const list = (reason: string): JsonValue => ({
      ...issued,
      type: "RevocationListV1",
      list_number: 1,
      not_after: "2026-01-02T00:00:00Z",
      entries: [{ key_id: "k", key_thumbprint: digest, revoked_at: "2026-01-01T00:00:00Z", reason }],
      previous_list_digest: null,
    });
    for (const reason of ["x", "x".repeat(LIMITS.maxReasonCharacters)]) {
      expect(faults(revocationList, list(reason))).toEqual([]);
    }
    for (const reason of ["", "x".repeat(LIMITS.maxReasonCharacters + 1)]) {
      expect(faults(revocationList, list(reason))).toEqual(["FORMAT_VALUE_INVALID /at/entries/0/reason"]);
    }
  });
});
