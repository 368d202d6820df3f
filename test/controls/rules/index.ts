/** The whole table, and the steps of docs/SPEC.md that are no rules. */
import type { Rule } from "../rule.js";
import { ANCHOR_RULES } from "./anchor-rules.js";
import { CERTIFICATE_RULES } from "./certificate-rules.js";
import { DAG_RULES } from "./dag-rules.js";
import { DELEGATION_RULES } from "./delegation-rules.js";
import { EVIDENCE_RULES } from "./evidence-rules.js";
import { FORMAT_RULES } from "./format-rules.js";
import { QUESTION_RULES } from "./question-rules.js";
import { READING_RULES } from "./reading-rules.js";
import { RECEIPT_RULES } from "./receipt-rules.js";
import { REVOCATION_RULES } from "./revocation-rules.js";
import { SHAPE_RULES } from "./shape-rules.js";
import { TRUST_RULES } from "./trust-rules.js";
import { USE_RULES } from "./use-rules.js";

export const RULES: readonly Rule[] = [
  ...READING_RULES,
  ...TRUST_RULES,
  ...FORMAT_RULES,
  ...SHAPE_RULES,
  ...CERTIFICATE_RULES,
  ...USE_RULES,
  ...DELEGATION_RULES,
  ...REVOCATION_RULES,
  ...RECEIPT_RULES,
  ...DAG_RULES,
  ...EVIDENCE_RULES,
  ...ANCHOR_RULES,
  ...QUESTION_RULES,
];

/** Steps that reject nothing by themselves, with the reason. */
export const NO_RULES: Readonly<Record<string, string>> = {
  "reading.4+": "It says how far a pointer goes, of failures that steps 3 and 4 give.",
  "0.5": "It says when the run ends. What it ends on are the failures of steps 1 to 4.",
  "1.1": 'Its rules are those of "Reading bytes".',
  "referenced.10": "It keeps, and so refuses nothing.",
  "2.18+": "It introduces steps 19 to 21, whose code it names.",
  "tlog-proof.2":
    "It excuses an anchor from steps 3 to 9 and refuses none; a log of which no key is pinned could pass none of them.",
  "9.2+": "It reserves codes for decoders that this version does not have.",
};
