/** Public entry `osa-proof/audit`: verification that goes on from an earlier one. */
export { type Audited, type AuditOptions, continueAudit } from "./continue-audit.js";
