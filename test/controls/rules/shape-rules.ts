/** Closed schemas, what is referenced, and audit paths: numbered steps that the checks refer to. */
import { net, type Rule, rulesOf } from "../rule.js";

const schema = rulesOf("statements/schema.ts");

const SCHEMAS: readonly Rule[] = [
  schema(
    "schemas.1",
    "Not an object",
    "TRUST_POLICY_INVALID/limits-as-an-array",
    'if (!isObject(value)) return wrongType(into, pointer, "object", value);',
    "",
    { as: "FORMAT_WRONG_TYPE" },
  ),
  schema(
    "schemas.2",
    "with another text than the schema's",
    "FORMAT_VERSION_UNSUPPORTED/bundle-of-version-2",
    "if (value === text) return text;",
    "return text;",
  ),
  schema(
    "schemas.3",
    "Each member that the schema does not have",
    "FORMAT_UNKNOWN_MEMBER/in-the-bundle",
    "if (known.has(name)) continue;",
    "continue;",
  ),
  schema(
    "schemas.4",
    "Each required member that is absent",
    "FORMAT_MISSING_MEMBER/receipt-without-action-id",
    "} else if (!schema.optional) {",
    "} else if (false) {",
  ),
  schema(
    "schemas.5",
    "Each member by its own kind",
    "FORMAT_WRONG_TYPE/action-id-as-number",
    'if (typeof value !== "string") return wrongType(into, pointer, "string", value);\n      if (accepts(value)) return value;',
    "if (accepts(value as string)) return value as string;",
  ),
  schema(
    "schemas.5",
    "Each member by its own kind",
    "FORMAT_VALUE_INVALID/space-in-an-action-id",
    "if (accepts(value)) return value;",
    "return value;",
  ),
  schema(
    "schemas.5",
    "Each member by its own kind",
    "FORMAT_VALUE_INVALID/unknown-anchor-type",
    "if (same !== undefined) return same;",
    "return value as never;",
  ),
  schema(
    "schemas.5",
    "an array with more items than allowed",
    "FORMAT_TOO_LARGE/too-many-anchors",
    "if (value.length > bounds.maximum) {",
    "if (false) {",
  ),
  schema(
    "schemas.5",
    "Fewer than allowed",
    "FORMAT_VALUE_INVALID/seal-over-no-close",
    "if (value.length < minimum) {",
    "if (false) {",
  ),
  schema(
    "schemas.5",
    "at each item equal to an earlier one",
    "FORMAT_VALUE_INVALID/known-parent-twice",
    "if (seen?.has(decoded)) fault(",
    "if (false) fault(",
  ),
  schema(
    "schemas.6",
    "Rules over several members",
    "FORMAT_UNKNOWN_MEMBER/agent-certificate-in-a-runtimes-close",
    "const found = rule(decoded, pointer);",
    "const found = null;",
  ),
];

const kept = rulesOf("bundle/references.ts");

const REFERENCED: readonly Rule[] = [
  kept(
    "referenced.1",
    "Then every ancestor",
    "FORMAT_UNREFERENCED/receipt-beside-the-targets",
    "if (claimed.flags[position] !== 1) this.#failUnreferenced(receipts.placeOf(position));",
    "{}",
    { file: "verifier/format-rules.ts" },
  ),
  kept(
    "referenced.2",
    "The delegations that these receipts name",
    "FORMAT_UNREFERENCED/delegation",
    "const runtimes = new Set(claimed.map((binding) => binding.runtime_id));",
    "for (const item of contents.delegations) kept.add(item);\n  const runtimes = new Set(claimed.map((binding) => binding.runtime_id));",
  ),
  kept(
    "referenced.3",
    "whose `runtime_id` is that of a receipt of step 1, and the seals whose `session_id` is that of one",
    "FORMAT_UNREFERENCED/end-of-another-session",
    "keep(kept, contents.closes, (close) => runtimes.has(close.statement.runtime_id));\n  const seals = keep(kept, contents.seals, (seal) => sessions.has(seal.statement.session_id));",
    "keep(kept, contents.closes, () => true);\n  const seals = keep(kept, contents.seals, () => true);",
  ),
  kept(
    "referenced.4",
    "The runtime key certificates",
    "FORMAT_UNREFERENCED/runtime-certificate",
    "keyNames.has(runtimeKeyName(certificate.statement)) || namedByClose.has(certificate.digest)",
    "true",
  ),
  kept(
    "referenced.5",
    "The agent key certificates",
    "FORMAT_UNREFERENCED/agent-certificate",
    "namedCertificates.has(certificate.digest)",
    "true",
  ),
  kept(
    "referenced.6",
    "The identity records of the agents",
    "FORMAT_UNREFERENCED/record-of-another-agent",
    "agents.has(record.statement.agent_id)",
    "true",
  ),
  kept(
    "referenced.7",
    "The policies whose digest",
    "FORMAT_UNREFERENCED/policy-document",
    "policies.has(policy.digest)",
    "true",
  ),
  kept(
    "referenced.7",
    "the attestations whose document's SHA-256",
    "FORMAT_UNREFERENCED/attestation",
    "attested.has(attestation.digest)",
    "true",
  ),
  kept(
    "referenced.8",
    "The trees in which",
    "FORMAT_UNREFERENCED/tree-of-nothing-shown",
    "if (!shown.leaves.some(isKept)) ",
    "if (false) ",
    {
      file: "verifier/format-rules.ts",
      ...net(
        "EVIDENCE_PROOF_INVALID",
        "check 7 refuses a leaf or proof of a statement that is not in the bundle",
      ),
    },
  ),
  kept(
    "referenced.9",
    "The disclosures of receipts",
    "FORMAT_UNREFERENCED/disclosure-of-nothing",
    "if (!isKept(receipt)) ",
    "if (false) ",
    { file: "verifier/format-rules.ts" },
  ),
];

const path = rulesOf("tree/proof.ts");

const AUDIT_PATH: readonly Rule[] = [
  path(
    "audit-path.1",
    "index < size, else it does not fit",
    "EVIDENCE_ITEM_NOT_INCLUDED/place-beyond-the-tree",
    " || index >= size",
    "",
  ),
  path(
    "audit-path.2",
    "none left: it does not fit",
    "EVIDENCE_ITEM_NOT_INCLUDED/hash-missing",
    "if (!isHash(neighbour)) return null;",
    "if (!isHash(neighbour)) continue;",
  ),
  path(
    "audit-path.3",
    "all its hashes were taken",
    "EVIDENCE_ITEM_NOT_INCLUDED/hash-left-over",
    "return used === path.length ? hash.slice() : null;",
    "return hash.slice();",
  ),
  path(
    "audit-path.3",
    "it proves the leaf when h then equals the root",
    "EVIDENCE_ITEM_NOT_INCLUDED/another-root",
    "isHash(claim.root) && equalBytes(root, claim.root)",
    "isHash(claim.root)",
  ),
];

export const SHAPE_RULES: readonly Rule[] = [...SCHEMAS, ...REFERENCED, ...AUDIT_PATH];
