/** What no verdict proves (docs/SPEC.md, "Report"). */

/** The limits of every verdict, said in every report. */
export const DOES_NOT_PROVE: readonly string[] = [
  "That the runtime was clean: a compromised runtime signs what it is told, unless the policy requires attestation.",
  "That a tool told the truth: a receipt commits to what the tool returned, not to the world.",
  "That an action succeeded, unless its status is disclosed.",
  "That nothing else happened: scope causal is silent about what came after or beside, scope session about runtimes left out whole.",
  "That a key compromised after the last anchored revocation list is still good.",
];
