/** Single violations of a random story, each with the code it must be rejected by. */
import type { FailureCode } from "../../src/errors.js";
import { at, MINUTE, testDigest, testKey } from "../support/keys.js";
import { pinnedRoot, withNamespace } from "../support/trust.js";
import { type Changes, type Draft, revocationEntry } from "../support/world.js";
import type { Made, RandomStory } from "./random-story.js";

export interface Violation {
  readonly name: string;
  readonly code: FailureCode;
  /** The change, or null where this story has no place for it. */
  readonly apply: (story: RandomStory, chosen: Made, pick: number) => Changes | null;
}

function receipt(chosen: Made, draft: (statement: Draft) => void): Changes {
  return { statements: { [`receipt:${chosen.name}`]: { draft } } };
}

const set =
  (member: string, value: unknown) =>
  (statement: Draft): void => {
    statement[member] = value;
  };

export const VIOLATIONS: readonly Violation[] = [
  {
    name: "a member that the schema does not have",
    code: "FORMAT_UNKNOWN_MEMBER",
    apply: (_, chosen) => receipt(chosen, set("note", "x")),
  },
  {
    name: "another mission",
    code: "FORMAT_MIXED_RUN",
    apply: (_, chosen) => receipt(chosen, set("mission_id", "m-8")),
  },
  {
    name: "a tool outside the delegation",
    code: "DELEGATION_TOOL_OUT_OF_SCOPE",
    apply: (_, chosen) => receipt(chosen, set("tool", "shell.runs")),
  },
  {
    name: "a delegation with one tool more than its parent",
    code: "DELEGATION_WIDENED",
    apply: (_, { agent, delegation }) =>
      agent === 0
        ? null
        : {
            statements: {
              [`delegation:${delegation}`]: { draft: (made) => made["tools"].push("extra.tool") },
            },
          },
  },
  {
    name: "a delegation signed by a stranger",
    code: "DELEGATION_SIGNATURE_INVALID",
    apply: (_, { delegation }) => ({
      statements: { [`delegation:${delegation}`]: { key: testKey("stranger") } },
    }),
  },
  {
    name: "a revoked runtime key",
    code: "REVOCATION_KEY_REVOKED",
    apply: (_, { runtime }) => ({
      statements: {
        "list:1": {
          // The list names the key as either algorithm: the story chooses one of them.
          draft: set(
            "entries",
            (["ECDSA_P256", "ED25519"] as const).map((algorithm) =>
              revocationEntry(`${runtime}-key`, testKey(`${runtime}-key`, algorithm).thumbprint),
            ),
          ),
        },
      },
    }),
  },
  {
    name: "a receipt changed after it was signed",
    code: "RECEIPT_SIGNATURE_INVALID",
    apply: (_, chosen) => ({
      statements: { [`receipt:${chosen.name}`]: { signed: set("output_commitment", testDigest("other")) } },
    }),
  },
  {
    name: "a receipt dated past its key",
    code: "RECEIPT_OUTSIDE_KEY_WINDOW",
    apply: (_, chosen) => receipt(chosen, set("issued_at", at(30 * MINUTE))),
  },
  {
    name: "one more parent, which is not there",
    code: "DAG_PARENT_MISSING",
    apply: (_, chosen) =>
      receipt(chosen, (made) => made["parent_receipt_digests"].push(testDigest("nobody"))),
  },
  {
    name: "a sequence used twice",
    code: "DAG_EQUIVOCATION",
    apply: (_, chosen) =>
      chosen.sequence === 1 ? null : receipt(chosen, set("sequence", chosen.sequence - 1)),
  },
  {
    name: "a leaf left out of its tree",
    code: "EVIDENCE_NOT_INCLUDED",
    // With several trees the one chosen might lose its only leaf, and then nothing would refer to it.
    apply: ({ trees: [label, second], receipts }) =>
      label === undefined || second !== undefined || receipts.length < 2
        ? null
        : { leaves: { [label]: (leaves) => leaves.slice(0, -1) } },
  },
  {
    name: "one cosignature where two are needed",
    code: "ANCHOR_QUORUM_NOT_MET",
    apply: ({ trees }, _, pick) => ({
      anchors: {
        [trees[pick % trees.length] ?? ""]: (making) => {
          making.cosigners.length = 1;
        },
      },
    }),
  },
];

/** The policy of the story with another root pinned. */
export function withAnotherRoot({ story }: RandomStory): RandomStory["story"] {
  return { ...story, trust: withNamespace(story.trust, { roots: [pinnedRoot("root-9", 0)] }) };
}
