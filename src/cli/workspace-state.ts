/** What a workspace holds: every statement beside its digest, in the order of making. */
import { join } from "node:path";
import type { SealedTree } from "../bundle/assemble.js";
import { type Anchor, anchor } from "../bundle/format.js";
import type { JsonObject } from "../encoding/json-value.js";
import * as LIMITS from "../limits.js";
import type { Openings } from "../runtime/action.js";
import { openings } from "../runtime/openings.js";
import { canonicalText, statementDigest } from "../statements/canonical.js";
import { type DelegationV1, delegation } from "../statements/delegation.js";
import * as fields from "../statements/fields.js";
import {
  type AgentKeyCertificateV1,
  agentKeyCertificate,
  type IdentityRecordV1,
  identityRecord,
  type RuntimeKeyCertificateV1,
  runtimeKeyCertificate,
} from "../statements/identity.js";
import { type ActionReceiptV3, actionReceipt } from "../statements/receipt.js";
import { type RevocationListV1, revocationList } from "../statements/revocation.js";
import { type RootRotationV1, rootRotation } from "../statements/rotation.js";
import { array, isObject, object, type Schema, wrongType } from "../statements/schema.js";
import { type SessionCloseV1, type SessionSealV1, sessionClose, sessionSeal } from "../statements/session.js";
import { readLines } from "./workspace-files.js";

export interface Stored<T> {
  readonly statement: T;
  readonly digest: string;
}

/** The anchors of one revocation list. */
export interface ListAnchors {
  readonly list_digest: string;
  readonly anchors: readonly Anchor[];
}

/** Kinds of statement and what each file holds. */
export interface Statements {
  readonly identityRecords: IdentityRecordV1;
  readonly agentCertificates: AgentKeyCertificateV1;
  readonly runtimeCertificates: RuntimeKeyCertificateV1;
  readonly delegations: DelegationV1;
  readonly rotations: RootRotationV1;
  readonly lists: RevocationListV1;
  readonly receipts: ActionReceiptV3;
  readonly closes: SessionCloseV1;
  readonly seals: SessionSealV1;
}

/** Kinds of line that are no signed statement. */
export interface Records {
  readonly policies: JsonObject;
  readonly trees: SealedTree;
  readonly listAnchors: ListAnchors;
}

export type State = { readonly [K in keyof Statements]: readonly Stored<Statements[K]>[] } & {
  readonly [K in keyof Records]: readonly Records[K][];
};

const policy: Schema<JsonObject> = {
  shape: { kind: "object" },
  decode: (value, pointer, into) => (isObject(value) ? value : wrongType(into, pointer, "object", value)),
};
const anchors = array(anchor, { maximum: LIMITS.maxAnchorsPerTree });

const STATEMENT_FILES: {
  readonly [K in keyof Statements]: { readonly file: string; readonly schema: Schema<Statements[K]> };
} = {
  identityRecords: { file: "statements/identity-records.jsonl", schema: identityRecord },
  agentCertificates: { file: "statements/agent-key-certificates.jsonl", schema: agentKeyCertificate },
  runtimeCertificates: { file: "statements/runtime-key-certificates.jsonl", schema: runtimeKeyCertificate },
  delegations: { file: "statements/delegations.jsonl", schema: delegation },
  rotations: { file: "statements/root-rotations.jsonl", schema: rootRotation },
  lists: { file: "statements/revocation-lists.jsonl", schema: revocationList },
  receipts: { file: "statements/receipts.jsonl", schema: actionReceipt },
  closes: { file: "statements/session-closes.jsonl", schema: sessionClose },
  seals: { file: "statements/session-seals.jsonl", schema: sessionSeal },
};

const RECORD_FILES: {
  readonly [K in keyof Records]: { readonly file: string; readonly schema: Schema<Records[K]> };
} = {
  policies: { file: "statements/policies.jsonl", schema: policy },
  trees: {
    file: "statements/evidence-trees.jsonl",
    schema: object<SealedTree>({
      leaves: array(fields.digest, { minimum: 1, maximum: LIMITS.maxReceipts }),
      anchors,
    }),
  },
  listAnchors: {
    file: "statements/revocation-list-anchors.jsonl",
    schema: object<ListAnchors>({ list_digest: fields.digest, anchors }),
  },
};

/** Salts and committed values: apart from the receipts, and never given away as a whole. */
export const OPENINGS_FILE = "openings.jsonl";

/** Every file that lines are appended to. */
export const LINE_FILES: readonly string[] = [
  ...Object.values(STATEMENT_FILES).map(({ file }) => file),
  ...Object.values(RECORD_FILES).map(({ file }) => file),
  OPENINGS_FILE,
];

/** Additions to a workspace, by kind. */
export type Additions = { readonly [K in keyof Statements]?: readonly Statements[K][] } & {
  readonly [K in keyof Records]?: readonly Records[K][];
} & { readonly openings?: readonly Openings[] };

/** Additions as lines to append. Openings come first: no receipt is ever stored without them. */
export function linesOf(
  additions: Additions,
): { readonly file: string; readonly lines: readonly string[] }[] {
  const files: Readonly<Record<string, { readonly file: string }>> = {
    openings: { file: OPENINGS_FILE },
    ...RECORD_FILES,
    ...STATEMENT_FILES,
  };
  const given: Readonly<Record<string, readonly object[] | undefined>> = { ...additions };
  return Object.entries(files).flatMap(([kind, { file }]) => {
    const values = given[kind] ?? [];
    return values.length === 0 ? [] : [{ file, lines: values.map(canonicalText) }];
  });
}

/** Reads everything but the openings. @throws OsaProofError WORKSPACE_INVALID, IO_FAILED */
export async function readState(directory: string): Promise<State> {
  const stored = async <K extends keyof Statements>(kind: K): Promise<readonly Stored<Statements[K]>[]> => {
    const { file, schema } = STATEMENT_FILES[kind];
    const statements = await readLines<Statements[K]>(join(directory, file), schema);
    return statements.map((statement) => ({ statement, digest: statementDigest(statement) }));
  };
  const records = async <K extends keyof Records>(kind: K): Promise<readonly Records[K][]> => {
    const { file, schema } = RECORD_FILES[kind];
    return readLines<Records[K]>(join(directory, file), schema);
  };
  return {
    identityRecords: await stored("identityRecords"),
    agentCertificates: await stored("agentCertificates"),
    runtimeCertificates: await stored("runtimeCertificates"),
    delegations: await stored("delegations"),
    rotations: await stored("rotations"),
    lists: await stored("lists"),
    receipts: await stored("receipts"),
    closes: await stored("closes"),
    seals: await stored("seals"),
    policies: await records("policies"),
    trees: await records("trees"),
    listAnchors: await records("listAnchors"),
  };
}

/** The state with additions behind what it has; what a command made earlier in its own run is then found. */
export function withAdditions(state: State, made: Additions): State {
  return {
    identityRecords: appended(state.identityRecords, made.identityRecords),
    agentCertificates: appended(state.agentCertificates, made.agentCertificates),
    runtimeCertificates: appended(state.runtimeCertificates, made.runtimeCertificates),
    delegations: appended(state.delegations, made.delegations),
    rotations: appended(state.rotations, made.rotations),
    lists: appended(state.lists, made.lists),
    receipts: appended(state.receipts, made.receipts),
    closes: appended(state.closes, made.closes),
    seals: appended(state.seals, made.seals),
    policies: [...state.policies, ...(made.policies ?? [])],
    trees: [...state.trees, ...(made.trees ?? [])],
    listAnchors: [...state.listAnchors, ...(made.listAnchors ?? [])],
  };
}

function appended<T extends object>(
  before: readonly Stored<T>[],
  made: readonly T[] = [],
): readonly Stored<T>[] {
  return [...before, ...made.map((statement) => ({ statement, digest: statementDigest(statement) }))];
}

/** All openings, by receipt id. */
export async function readOpenings(directory: string): Promise<ReadonlyMap<string, Openings>> {
  const all = await readLines(join(directory, OPENINGS_FILE), openings);
  return new Map(all.map((item) => [item.receipt_id, item]));
}
