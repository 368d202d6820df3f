/** Check 6. */
import { resigned } from "../../support/cases/invalid.js";
import { at, MINUTE, testKey } from "../../support/keys.js";
import type { StatementChange, World } from "../../support/world.js";
import { type ControlCase, derived, together, told } from "./control-case.js";
import { closed, dated, handedOver, setAll, trustWith } from "./stories.js";

const GRAPH: readonly ControlCase[] = [
  derived(
    "DAG_PARENT_MISSING",
    "ancestor-left-out",
    "inclusion-proofs",
    "The target's parent and its proof were taken out; the target's own proof stands.",
    {
      bundle: (bundle) => {
        const [target] = bundle["claim"].targets;
        bundle["receipts"].shift();
        const [tree] = bundle["evidence_trees"];
        tree.proofs = tree.proofs.filter(
          (proof: { statement_digest: string }) => proof.statement_digest === target,
        );
      },
    },
  ),
  derived(
    "DAG_ORDER_CYCLE",
    "sequence-against-a-parent",
    "disclosures",
    "The child has sequence 1 and its parent sequence 2, a minute before: each is as old as the other, within the clock skew.",
    together(resigned("receipt:1", setAll({ sequence: 2 })), resigned("receipt:2", setAll({ sequence: 1 }))),
  ),
];

const INVALID = "DAG_CLOSE_INVALID";
const MISMATCH = "DAG_CLOSE_MISMATCH";

/** Closed and sealed by their own agents, but for what `more` says of one of these statements. */
function ended(label: string, change: StatementChange): () => ReturnType<typeof handedOver> {
  return () =>
    handedOver({
      scope: "session",
      trust: { accept_agent_close: true },
      changes: { statements: { [label]: change } },
      ends: async (world) => {
        await world.close("rt-1", "3", 15 * MINUTE, { byAgent: "planner" });
        await world.close("rt-2", "2", 16 * MINUTE);
        await world.seal("planner", ["rt-1"], 20 * MINUTE);
      },
    });
}

/** The coder's certificate and key vouch for what says it is the planner's. */
const byTheCoder: StatementChange = {
  draft: (statement, world) => {
    statement["agent_key_certificate_digest"] = world.digest("agent:coder");
    statement["issuer_key_id"] = "coder-key";
  },
  key: testKey("coder-key"),
};
const anotherIssuer: StatementChange = { draft: setAll({ issuer_key_id: "planner-key-2" }) };
const anotherLabel: StatementChange = { draft: setAll({ signing_algorithm: "ED25519" }) };

const CLOSERS: readonly ControlCase[] = [
  told(
    INVALID,
    "agents-close-in-anothers-name",
    "The coder's key closed the planner's runtime.",
    ended("close:rt-1", byTheCoder),
  ),
  told(
    INVALID,
    "agents-close-issuer-is-another-key",
    "The agent's close names another key of nobody; the agent's key signed.",
    ended("close:rt-1", anotherIssuer),
  ),
  told(
    INVALID,
    "agents-close-label-of-another-algorithm",
    "The agent's close is labelled Ed25519 and signed by the agent's P-256 key.",
    ended("close:rt-1", anotherLabel),
  ),
  told(
    INVALID,
    "agents-close-outside-its-window",
    "The agent's close is dated a minute after the end of the agent's key, and was anchored later.",
    () =>
      closed({
        scope: "session",
        byAgent: "planner",
        at: 126 * MINUTE,
        anchored: 130 * MINUTE,
        trust: { accept_agent_close: true },
        changes: resigned("agent:planner", setAll({ not_after: at(125 * MINUTE) })).world,
      }),
  ),
  derived(
    INVALID,
    "issuer-is-another-key",
    "session-without-seal",
    "The runtime's close names another key of nobody; the runtime's key signed.",
    resigned("close:rt-1", setAll({ issuer_key_id: "rt-1-key-2" })),
  ),
  derived(
    INVALID,
    "by-another-runtimes-certificate",
    "session-without-seal",
    "The close lists the other runtime's certificate last, and that one's key signed it.",
    {
      world: {
        statements: {
          "close:rt-1": {
            draft: (close, world) => {
              close["runtime_key_certificate_digests"].push(world.digest("runtime:rt-2"));
              close["issuer_key_id"] = "rt-2-key";
            },
            key: testKey("rt-2-key"),
          },
        },
      },
    },
  ),
  derived(
    INVALID,
    "label-of-another-algorithm",
    "session-without-seal",
    "The runtime's close is labelled Ed25519 and signed by the runtime's P-256 key.",
    resigned("close:rt-1", setAll({ signing_algorithm: "ED25519" })),
  ),
];

/** In scope `causal` the planner's runtime alone is closed, with more receipts than are shown. */
function unfinished(last: (world: World) => string): () => ReturnType<typeof handedOver> {
  return () =>
    handedOver({
      changes: resigned("close:rt-1", (close, world) => {
        Object.assign(close, { final_sequence: 9, receipt_count: 9, last_receipt_digest: last(world) });
      }).world,
      ends: (world) => world.close("rt-1", "3", 15 * MINUTE),
    });
}

const CLOSED: readonly ControlCase[] = [
  told(
    MISMATCH,
    "agents-close-of-another-session",
    "The agent's close names another session than the receipts of its runtime.",
    () =>
      closed({
        byAgent: "planner",
        trust: { accept_agent_close: true },
        changes: resigned("close:rt-1", setAll({ session_id: "session-2" })).world,
      }),
  ),
  told(
    MISMATCH,
    "ends-with-another-runtimes-receipt",
    "The close says that nine receipts were made and that the other runtime's one was the last.",
    unfinished((world) => world.digest("receipt:2")),
  ),
  told(
    MISMATCH,
    "ends-with-an-earlier-receipt",
    "The close says that nine receipts were made and that the second was the last.",
    unfinished((world) => world.digest("receipt:3")),
  ),
  told(
    MISMATCH,
    "lists-another-runtimes-certificate",
    "The close lists the certificate of the coder's runtime before its own.",
    () =>
      handedOver({
        changes: resigned("close:rt-1", (close, world) => {
          close["runtime_key_certificate_digests"].unshift(world.digest("runtime:rt-2"));
        }).world,
        ends: (world) => world.close("rt-1", "3", 15 * MINUTE),
      }),
  ),
  derived(
    MISMATCH,
    "causal-close-leaves-one-out",
    "key-renewal",
    "In scope `causal` the close lists the second certificate of its runtime only.",
    {
      ...resigned("close:rt-1", (close) => {
        close["runtime_key_certificate_digests"].shift();
      }),
      ...trustWith({ require_session_close: false }),
      bundle: (bundle) => {
        bundle["claim"].scope = "causal";
      },
    },
  ),
];

const WHOLE: readonly ControlCase[] = [
  derived(
    "DAG_CLOSE_MISSING",
    "never-closed",
    "one-receipt",
    "Scope `session`, and no close was ever made.",
    {
      bundle: (bundle) => {
        bundle["claim"].scope = "session";
      },
    },
  ),
  told(
    "DAG_SEQUENCE_GAP",
    "tail-behind-a-proof",
    "The close says that two receipts were made; the second is not shown, and the tree shows what is by proofs.",
    () => closed({ scope: "session", receipts: 2, targets: ["1"], shown: ["receipt:1", "close:rt-1"] }),
  ),
];

const SEALS: readonly ControlCase[] = [
  told(
    "DAG_SEAL_INVALID",
    "in-anothers-name",
    "The coder's key sealed the planner's session.",
    ended("seal:planner", byTheCoder),
  ),
  told(
    "DAG_SEAL_INVALID",
    "issuer-is-another-key",
    "The seal names another key of nobody; the agent's key signed.",
    ended("seal:planner", anotherIssuer),
  ),
  told(
    "DAG_SEAL_INVALID",
    "label-of-another-algorithm",
    "The seal is labelled Ed25519 and signed by the agent's P-256 key.",
    ended("seal:planner", anotherLabel),
  ),
  derived(
    "DAG_SEAL_INVALID",
    "at-the-end-of-its-key",
    "whole-session",
    "The seal is dated at the end of the agent's key, and was anchored five minutes later.",
    together(
      resigned("agent:planner", setAll({ not_after: at(125 * MINUTE) })),
      resigned("seal:planner", setAll({ issued_at: at(125 * MINUTE) })),
      dated("tree", 130 * MINUTE),
    ),
  ),
];

export const SESSION_CASES: readonly ControlCase[] = [...GRAPH, ...CLOSERS, ...CLOSED, ...WHOLE, ...SEALS];
