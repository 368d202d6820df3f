/** All cases of the controls beside the fixtures. */
import { AUTHORITY_CASES } from "./authority-cases.js";
import type { ControlCase } from "./control-case.js";
import { EVIDENCE_CASES } from "./evidence-cases.js";
import { IDENTITY_CASES } from "./identity-cases.js";
import { INPUT_CASES } from "./input-cases.js";
import { READING_CASES } from "./reading-cases.js";
import { SESSION_CASES } from "./session-cases.js";

export const CONTROL_CASES: readonly ControlCase[] = [
  ...READING_CASES,
  ...INPUT_CASES,
  ...IDENTITY_CASES,
  ...AUTHORITY_CASES,
  ...SESSION_CASES,
  ...EVIDENCE_CASES,
];
