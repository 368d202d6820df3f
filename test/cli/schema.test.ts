import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, it } from "vitest";
import { encodeBundle, parseEither } from "../../src/bundle/codec.js";
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import { failureCodes } from "../../src/cli/commands/codes.js";
import { SCHEMAS, schemaId, schemaText } from "../../src/cli/schemas.js";
import type { JsonObject, JsonValue } from "../../src/encoding/json-value.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import * as LIMITS from "../../src/limits.js";
import { Faults, type Schema } from "../../src/statements/schema.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { at } from "../support/keys.js";
import { oneReceipt, VERIFIED_AT } from "../support/scenarios.js";
import { basePolicy } from "../support/trust.js";
import { richSession, run } from "./support.js";

const folder = new URL("../../schemas/", import.meta.url);

function committed(name: string): string {
  return readFileSync(new URL(`${name}.json`, folder), "utf8");
}

const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: false });
const validators = new Map<string, ValidateFunction>();

function validator(name: string): ValidateFunction {
  const known = validators.get(name) ?? ajv.compile(JSON.parse(committed(name)));
  validators.set(name, known);
  return known;
}

function decodes(schema: Schema<unknown>, value: JsonValue): boolean {
  const into = new Faults();
  return schema.decode(value, "", into) !== undefined && into.count === 0;
}

/** JSON with the parser's own kind of objects. */
function plain(value: unknown): JsonValue {
  const parsed = parseEither(encodeUtf8(JSON.stringify(value)), LIMITS.maxBundleBytes);
  if (parsed.value === undefined) throw new Error("a sample is not JSON");
  return parsed.value;
}

describe("schemas/", () => {
  it("holds exactly the schemas that the code generates", () => {
    const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
    expect(files.sort()).toEqual(SCHEMAS.map(({ name }) => `${name}.json`).sort());
    for (const entry of SCHEMAS) expect(committed(entry.name), entry.name).toBe(schemaText(entry));
  });

  it.each(SCHEMAS.map(({ name }) => name))(
    "%s has its $id, a title and a description, and compiles",
    (name) => {
      const document = JSON.parse(committed(name));
      expect(document.$schema).toBe("https://json-schema.org/draft/2020-12/schema");
      expect(document.$id).toBe(schemaId(name));
      expect(document.title).toMatch(/^[A-Z]/);
      expect(document.description).toMatch(/\.$/);
      expect(ajv.validateSchema(document)).toBe(true);
      expect(validator(name)).toBeTypeOf("function");
    },
  );
});

interface Sample {
  readonly name: string;
  readonly value: JsonObject;
}

function samplesOf(bundle: ProofBundleV3): readonly Sample[] {
  const kinds: readonly (readonly [string, readonly unknown[]])[] = [
    ["identity-record", bundle.identity_records],
    ["agent-key-certificate", bundle.agent_key_certificates],
    ["runtime-key-certificate", bundle.runtime_key_certificates],
    ["delegation", bundle.delegations],
    ["action-receipt", bundle.receipts],
    ["session-close", bundle.session_closes],
    ["session-seal", bundle.session_seals],
    ["revocation-list", bundle.revocation_lists.map(({ list }) => list)],
    ["root-rotation", bundle.root_rotations],
    ["evidence-tree", bundle.evidence_trees],
    ["disclosure", bundle.disclosures],
    ["committed-value", bundle.disclosures.map(({ value }) => value)],
    ["proof-bundle", [bundle]],
    ["trust-policy", [basePolicy()]],
    [
      "supplement",
      [
        {
          protocol: "OSA_PROOF_V3",
          type: "SupplementV1",
          namespace_id: bundle.namespace_id,
          root_rotations: bundle.root_rotations,
          revocation_lists: bundle.revocation_lists,
        },
      ],
    ],
    [
      "expectations",
      [
        {
          protocol: "OSA_PROOF_V3",
          type: "ExpectationsV1",
          scope: "session",
          tool: "shell.run",
          status: "failed",
        },
      ],
    ],
    ["failure-codes", [failureCodes()]],
  ];
  // Every sample is an object: statements, inputs and tables all are.
  return kinds.flatMap(([name, values]) =>
    values.map((value) => ({ name, value: JSON.parse(JSON.stringify(value)) as JsonObject })),
  );
}

/** One-member changes: a member added, taken away, given each other type, or spelled another way. */
function* mutations(value: JsonObject): Generator<readonly [string, JsonObject]> {
  yield ["unknown member", { ...value, unheard_of: 1 }];
  for (const [name, member] of Object.entries(value)) {
    const { [name]: _gone, ...rest } = value;
    yield [`without ${name}`, rest];
    for (const other of [null, true, 7, 1.5, -1, "", [], {}, [null]] as const) {
      yield [`${name} = ${JSON.stringify(other)}`, { ...value, [name]: other }];
    }
    if (typeof member !== "string") continue;
    for (const spelling of [
      member.toUpperCase(),
      ` ${member}`,
      `${member}\n`,
      `${member}*`,
      member.slice(1),
      member.slice(0, -1),
      member.repeat(40),
      member.replace("Z", "+00:00"),
    ]) {
      yield [`${name} spelled ${JSON.stringify(spelling).slice(0, 40)}`, { ...value, [name]: spelling }];
    }
  }
}

describe("decoder and JSON Schema", () => {
  let samples: readonly Sample[] = [];
  beforeAll(async () => {
    samples = [...samplesOf(await richSession()), ...samplesOf(await oneReceipt())];
  });

  it("agree on every real statement and on each one-member change of it", () => {
    const seen = new Set<string>();
    let refused = 0;
    for (const { name, value } of samples) {
      const schema = SCHEMAS.find((entry) => entry.name === name)?.schema;
      if (schema === undefined) throw new Error(`no schema is named ${name}`);
      const validate = validator(name);
      expect(decodes(schema, plain(value)), name).toBe(true);
      expect(validate(value), `${name} ${JSON.stringify(validate.errors)}`).toBe(true);
      seen.add(name);
      for (const [change, changed] of mutations(value)) {
        const accepted = decodes(schema, plain(changed));
        expect(validate(changed), `${name}, ${change}`).toBe(accepted);
        if (!accepted) refused += 1;
      }
    }
    expect(refused).toBeGreaterThan(5_000);
    // Reports and heads come out of a verification or a self-test and have tests of their own.
    const rest = SCHEMAS.map(({ name }) => name).filter((name) => !seen.has(name));
    expect(rest).toEqual(["known-heads", "verification-report", "selftest-report"]);
  });
});

describe("the schema of the report", () => {
  const trust = encodeUtf8(JSON.stringify(basePolicy()));
  const cases: readonly (readonly [string, () => Promise<Uint8Array>, Uint8Array, string])[] = [
    ["an accepted bundle", async () => encodeBundle(await oneReceipt()), trust, at(VERIFIED_AT)],
    ["a rejected one", async () => encodeBundle(await richSession()), trust, at(-1)],
    ["text that is no JSON", async () => encodeUtf8("{"), trust, at(VERIFIED_AT)],
    ["an empty policy", async () => encodeBundle(await oneReceipt()), encodeUtf8(""), at(VERIFIED_AT)],
    ["a time that is none", async () => encodeBundle(await oneReceipt()), trust, "yesterday"],
    ["a damaged bundle", async () => encodeBundle(await oneReceipt()).slice(0, -1), trust, at(VERIFIED_AT)],
  ];

  it.each(cases)("describes the report on %s", async (_name, make, policy, time) => {
    const report = verifyBundle(await make(), policy, { at: time });
    const validate = validator("verification-report");
    expect(validate(plain(report)), JSON.stringify(validate.errors)).toBe(true);
    const schema = SCHEMAS.find((entry) => entry.name === "verification-report")?.schema;
    expect(schema !== undefined && decodes(schema, plain(report))).toBe(true);
    // The report as it is given out has no undefined members that JSON would drop.
    expect(plain(report)).toEqual(report);
    expect(validate({ ...report, verdict: "UNSURE" })).toBe(false);
    expect(validate({ ...report, extra: 1 })).toBe(false);
    const heads = validator("known-heads");
    if (report.heads !== null) expect(heads(report.heads)).toBe(true);
    expect(heads({ ...report.heads, extra: 1 })).toBe(false);
  });
});

describe("osa-proof schema", () => {
  it("lists every schema", async () => {
    const { code, out } = await run(["schema"]);
    expect(code).toBe(0);
    for (const { name, title } of SCHEMAS) {
      expect(out).toContain(name);
      expect(out).toContain(title);
    }
  });

  it("prints one as it is in the folder, by any of its names", async () => {
    const expected = committed("action-receipt");
    for (const name of ["action-receipt", "action-receipt.json", "ActionReceiptV3"]) {
      expect(await run(["schema", name])).toEqual({ code: 0, out: expected, err: "" });
    }
  });

  it("refuses an unknown name and a second one", async () => {
    const unknown = await run(["schema", "receipt\u001b[31m"]);
    expect(unknown).toMatchObject({ code: 2, out: "" });
    expect(unknown.err).toContain('no schema "receipt\ufffd[31m"');
    expect(await run(["schema", "delegation", "session-seal"])).toMatchObject({
      code: 2,
      out: "",
    });
  });
});
