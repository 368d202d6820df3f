/**
 * The files of `schemas/`: JSON Schema (2020-12) generated from the closed schemas that the decoders use.
 * A schema describes shape and spelling. That a date exists, a key is a point on its curve or a signature
 * holds is for the verifier.
 */
import { anchoredList, disclosure, evidenceTreeShape, proofBundle } from "../bundle/format.js";
import type { JsonObject, JsonValue } from "../encoding/json-value.js";
import { committedValue } from "../statements/commitment.js";
import { delegation } from "../statements/delegation.js";
import { PROTOCOL } from "../statements/fields.js";
import { agentKeyCertificate, identityRecord, runtimeKeyCertificate } from "../statements/identity.js";
import { actionReceipt } from "../statements/receipt.js";
import { revocationList } from "../statements/revocation.js";
import { rootRotation } from "../statements/rotation.js";
import { array, nullable, object, type Schema, text, version } from "../statements/schema.js";
import { sessionClose, sessionSeal } from "../statements/session.js";
import { expectations, knownHeads, supplement } from "../verifier/inputs.js";
import { checkName, failureCode, verificationReport } from "../verifier/report-schema.js";
import { trustPolicy } from "../verifier/trust-policy.js";
import type { CodeEntry, FailureCodesV1 } from "./commands/codes.js";
import { jsonSchemaOf } from "./json-schema.js";
import { SCHEMA_RULES } from "./schema-rules.js";
import { selftestReport } from "./selftest/report-schema.js";

const anyText = text("text", () => true);

const failureCodeTable: Schema<FailureCodesV1> = object<FailureCodesV1>({
  protocol: version(PROTOCOL),
  type: version("FailureCodesV1"),
  codes: array(
    object<CodeEntry>({ code: failureCode, check: nullable(checkName), meaning: anyText, advice: anyText }),
    { maximum: 1_000, unique: true },
  ),
});

/** One file of `schemas/`. */
export interface SchemaEntry {
  /** Its name without `.json`, and the last part of its `$id`. */
  readonly name: string;
  /** The type it describes, as docs/SPEC.md names it. */
  readonly title: string;
  readonly description: string;
  readonly schema: Schema<unknown>;
}

function entry(name: string, title: string, schema: Schema<unknown>, description: string): SchemaEntry {
  return { name, title, description, schema };
}

/** Every schema, in the order of the data: statements, bundle, what the auditor gives, what the verifier gives. */
export const SCHEMAS: readonly SchemaEntry[] = [
  entry(
    "identity-record",
    "IdentityRecordV1",
    identityRecord,
    "Resolves an agent_id to the certificates of its keys; signed by the namespace root.",
  ),
  entry(
    "agent-key-certificate",
    "AgentKeyCertificateV1",
    agentKeyCertificate,
    "Names an agent's key; signed by the namespace root.",
  ),
  entry(
    "runtime-key-certificate",
    "RuntimeKeyCertificateV1",
    runtimeKeyCertificate,
    "Names the short-lived key of one runtime in one session; signed by the agent key.",
  ),
  entry(
    "delegation",
    "DelegationV1",
    delegation,
    "What an agent allows a runtime, or another agent, to do; signed by the agent key.",
  ),
  entry(
    "action-receipt",
    "ActionReceiptV3",
    actionReceipt,
    "One action of one runtime; signed by the runtime key.",
  ),
  entry(
    "committed-value",
    "CommittedValue",
    committedValue,
    "What an input, output or evidence commitment is made over, together with its salt.",
  ),
  entry(
    "session-close",
    "SessionCloseV1",
    sessionClose,
    "The last word of one runtime; signed by its own key or, after a crash, by its agent.",
  ),
  entry(
    "session-seal",
    "SessionSealV1",
    sessionSeal,
    "Names the close of every runtime of one agent in one session; signed by the agent key.",
  ),
  entry(
    "revocation-list",
    "RevocationListV1",
    revocationList,
    "Keys whose every signature is void; signed by the namespace root.",
  ),
  entry(
    "root-rotation",
    "RootRotationV1",
    rootRotation,
    "Hands a namespace from one root key to the next; signed by both.",
  ),
  entry(
    "evidence-tree",
    "EvidenceTreeV1",
    evidenceTreeShape,
    "An evidence root with its leaves or inclusion proofs, and its anchors.",
  ),
  entry("disclosure", "Disclosure", disclosure, "Opens one commitment of one receipt."),
  entry(
    "proof-bundle",
    "ProofBundleV3",
    proofBundle,
    "One file with everything a verifier needs beside its trust policy. The CBOR encoding holds the same content.",
  ),
  entry("trust-policy", "TrustPolicyV1", trustPolicy, "What the auditor pins; never taken from a bundle."),
  entry(
    "expectations",
    "ExpectationsV1",
    expectations,
    "What the auditor asked; each member present must hold.",
  ),
  entry(
    "supplement",
    "SupplementV1",
    supplement,
    "Revocation lists and root rotations that are newer than the bundle, and proof that logs continue what is known.",
  ),
  entry(
    "known-heads",
    "KnownHeadsV1",
    knownHeads,
    "The highest lists, rotations and checkpoints that a verifier has seen.",
  ),
  entry(
    "verification-report",
    "VerificationReportV1",
    verificationReport,
    "What a verification says; printed by verify --json.",
  ),
  entry(
    "failure-codes",
    "FailureCodesV1",
    failureCodeTable,
    "The closed table of failure codes; printed by codes --json.",
  ),
  entry(
    "selftest-report",
    "SelftestReportV1",
    selftestReport,
    "What a verifier made of the controls that it must reject; printed by selftest --json.",
  ),
];

/** Shapes that others hold, by the identity of their JSON: they become `$defs`, so that each is written once. */
const NAMED: ReadonlyMap<JsonObject, string> = new Map<JsonObject, string>([
  ...SCHEMAS.map(({ schema, title }) => [jsonSchemaOf(schema), title] as const),
  [jsonSchemaOf(anchoredList), "AnchoredRevocationList"],
]);

export function schemaId(name: string): string {
  return `urn:osa-proof:schema:${name}`;
}

/** The JSON Schema document of an entry. */
export function schemaDocument({ name, title, description, schema }: SchemaEntry): JsonObject {
  const definitions = new Map<string, JsonObject>();
  const body = writeShape(jsonSchemaOf(schema), definitions);
  const sorted = [...definitions].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: schemaId(name),
    title,
    description,
    ...body,
    ...(sorted.length === 0 ? {} : { $defs: Object.fromEntries(sorted) }),
  };
}

/** The text of an entry's file. */
export function schemaText(found: SchemaEntry): string {
  return `${JSON.stringify(schemaDocument(found), null, 2)}\n`;
}

/** A shape with its rules, its named parts replaced by references. Depth is that of our own schemas. */
function writeShape(shape: JsonObject, definitions: Map<string, JsonObject>): JsonObject {
  const members = Object.entries({ ...shape, ...SCHEMA_RULES.get(shape) });
  return Object.fromEntries(members.map(([key, value]) => [key, writePart(value, definitions)]));
}

function writePart(value: JsonValue, definitions: Map<string, JsonObject>): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => writePart(item, definitions));
  if (typeof value !== "object" || value === null) return value;
  // Array.isArray does not narrow a readonly array out of the type.
  const shape = value as JsonObject;
  const name = NAMED.get(shape);
  if (name === undefined) return writeShape(shape, definitions);
  if (!definitions.has(name)) {
    // Reserved first, so that the walk below does not enter it again.
    definitions.set(name, {});
    definitions.set(name, writeShape(shape, definitions));
  }
  return { $ref: `#/$defs/${name}` };
}
