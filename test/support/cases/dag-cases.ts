/** Check 6, DAG: causes before effects, one story for each runtime, and how sessions end. */
import { at, DAY, MINUTE, testDigest } from "../keys.js";
import { added, casesFrom, type InvalidCase, resigned, signedBy } from "./invalid.js";

const entry = casesFrom("whole-session");

const FORK = { parent: "fork-and-merge" } as const;
const CLOSED = { parent: "session-without-seal" } as const;

export const DAG_CASES: readonly InvalidCase[] = [
  entry(
    "DAG_TARGET_MISSING",
    "target-elsewhere",
    "/claim/targets/1",
    "The bundle claims to be about a receipt that it does not hold.",
    "The digest of a receipt that is not in the bundle was added to the targets.",
    {
      ...FORK,
      bundle: (bundle) => {
        bundle["claim"].targets.push(testDigest("a receipt elsewhere"));
      },
    },
  ),
  entry(
    "DAG_PARENT_MISSING",
    "branch-left-out",
    "/receipts/2/parent_receipt_digests/1",
    "A receipt is only as good as its history, and a branch of this one is not shown.",
    "The second receipt, a parent of the merge, was taken out of the bundle.",
    {
      ...FORK,
      bundle: (bundle) => {
        bundle["receipts"].splice(1, 1);
      },
    },
  ),
  entry(
    "DAG_EQUIVOCATION",
    "sequence-twice",
    "/receipts/5",
    "One runtime signed two receipts with one sequence: it told two stories, or somebody replays its key.",
    "The first runtime signed another receipt with sequence 2, in the same session.",
    {
      ...CLOSED,
      ...added("receipts", (world) =>
        world.receipt("2b", { runtime: "rt-1", sequence: 2, time: 6 * MINUTE, parents: ["1"] }),
      ),
    },
  ),
  entry(
    "DAG_ORDER_CYCLE",
    "parent-after-child",
    "/receipts/0",
    "A runtime's sequence says what came first; parents that contradict it make a cycle.",
    "The first receipt, ancestor of all others, has a sequence above those of its runtime's later receipts.",
    {
      ...FORK,
      ...resigned("receipt:1", (receipt) => {
        receipt["sequence"] = 9;
      }),
    },
  ),
  entry(
    "DAG_TIME_ORDER",
    "child-before-parent",
    "/receipts/3",
    "An effect cannot be older than its cause, beyond the clock skew.",
    "The coder's receipt is dated 61 seconds after the merge that names it as parent.",
    {
      ...FORK,
      ...resigned("receipt:3", (receipt) => {
        receipt["issued_at"] = at(9 * MINUTE + 61);
      }),
    },
  ),
  entry(
    "DAG_TIME_ORDER",
    "sequence-before-its-predecessor",
    "/receipts/3",
    "The time rule holds along a runtime's sequence too, where no parent is named.",
    "The second runtime's last receipt names no parent, and is dated 61 seconds before the one before it.",
    {
      ...CLOSED,
      ...resigned("receipt:4", (receipt) => {
        receipt["parent_receipt_digests"] = [];
        receipt["issued_at"] = at(7 * MINUTE - 61);
      }),
    },
  ),
  entry(
    "DAG_TIME_ORDER",
    "one-millisecond-past-the-skew",
    "/receipts/1",
    "The clock skew is 60 seconds, and not a millisecond more.",
    "The first receipt is dated 60.001 seconds after its child.",
    {
      parent: "at-the-boundaries",
      ...resigned("receipt:1", (receipt) => {
        receipt["issued_at"] = at(MINUTE + 0.001);
      }),
    },
  ),
  entry(
    "DAG_SEQUENCE_GAP",
    "receipt-in-the-middle",
    "/receipts/4",
    "Scope `session` claims every receipt of the runtimes that appear, and one is missing.",
    "The first runtime's last receipt has sequence 4, as if 3 had been left out; its close agrees.",
    {
      ...CLOSED,
      ...resigned("receipt:5", (receipt) => {
        receipt["sequence"] = 4;
      }),
    },
  ),
  entry(
    "DAG_SEQUENCE_GAP",
    "tail-cut-off",
    "/receipts/1",
    "The close says that three receipts were made, so the end of the story was cut off.",
    "The first runtime's last receipt was taken out of the bundle and the claim is about the one before.",
    {
      ...CLOSED,
      bundle: (bundle) => {
        bundle["receipts"].splice(4, 1);
        bundle["claim"].targets = [bundle["evidence_trees"][0].leaves[0]];
      },
    },
  ),
  entry(
    "DAG_CLOSE_MISSING",
    "no-close",
    "/receipts/3",
    "Without a close nobody can tell whether the tail was cut off.",
    "The close of the second runtime was taken out.",
    {
      ...CLOSED,
      bundle: (bundle) => {
        bundle["session_closes"].pop();
      },
    },
  ),
  entry(
    "DAG_CLOSE_INVALID",
    "by-another-runtime",
    "/session_closes/0",
    "Only the runtime itself, or its agent, can say that nothing came after.",
    "The second runtime's key signed the first one's close.",
    { ...CLOSED, ...signedBy("close:rt-1", "rt-2-key") },
  ),
  entry(
    "DAG_CLOSE_INVALID",
    "agents-close-not-accepted",
    "/session_closes/1",
    "The close of a crashed runtime is its agent's word, and counts only if the policy says so.",
    "`accept_agent_close` was taken out of the policy.",
    {
      parent: "agent-close",
      side: [
        "trust",
        (trust) => {
          delete trust["accept_agent_close"];
        },
      ],
    },
  ),
  entry(
    "DAG_CLOSE_INVALID",
    "agents-close-by-the-runtime",
    "/session_closes/1",
    "A close that says it is the agent's must be signed by the agent's key.",
    "The runtime's key signed the agent's close.",
    { parent: "agent-close", ...signedBy("close:rt-2", "rt-2-key") },
  ),
  entry(
    "DAG_CLOSE_INVALID",
    "outside-the-keys-window",
    "/session_closes/0",
    "A key that has ended says nothing more, not even that it has.",
    "The first runtime's close is dated at the end of its key's window.",
    {
      ...CLOSED,
      ...resigned("close:rt-1", (close) => {
        close["issued_at"] = at(30 * MINUTE);
      }),
    },
  ),
  entry(
    "DAG_CLOSE_INVALID",
    "second-close",
    "/session_closes/2",
    "A runtime ends once; a key stolen later could sign a shorter ending.",
    "The first runtime signed a second close a minute later.",
    {
      ...CLOSED,
      ...added("receipts", (world) => world.close("rt-1", "5", 16 * MINUTE)),
    },
  ),
  entry(
    "DAG_CLOSE_MISMATCH",
    "ends-before-a-receipt",
    "/session_closes/0",
    "The close says that nothing came after sequence 2, and a receipt with sequence 3 is shown.",
    "`final_sequence`, `receipt_count` and `last_receipt_digest` of the close are those of the second receipt.",
    {
      ...CLOSED,
      ...resigned("close:rt-1", (close, world) => {
        close["final_sequence"] = 2;
        close["receipt_count"] = 2;
        close["last_receipt_digest"] = world.digest("receipt:2");
      }),
    },
  ),
  entry(
    "DAG_CLOSE_MISMATCH",
    "another-last-receipt",
    "/session_closes/0",
    "The close names another last receipt than the one with the final sequence.",
    "`last_receipt_digest` of the close is that of the second receipt.",
    {
      ...CLOSED,
      ...resigned("close:rt-1", (close, world) => {
        close["last_receipt_digest"] = world.digest("receipt:2");
      }),
    },
  ),
  entry(
    "DAG_CLOSE_MISMATCH",
    "count-is-not-the-sequence",
    "/session_closes/0",
    "Sequences run from 1 without a gap, so their count is the last of them.",
    "`receipt_count` of the close was set to 2.",
    {
      ...CLOSED,
      ...resigned("close:rt-1", (close) => {
        close["receipt_count"] = 2;
      }),
    },
  ),
  entry(
    "DAG_CLOSE_MISMATCH",
    "receipt-dated-after-it",
    "/session_closes/0",
    "Nothing comes after a close, beyond the clock skew.",
    "The close is dated 61 seconds before the last receipt.",
    {
      ...CLOSED,
      ...resigned("close:rt-1", (close) => {
        close["issued_at"] = at(9 * MINUTE - 61);
      }),
    },
  ),
  entry(
    "DAG_CLOSE_MISMATCH",
    "certificate-not-listed",
    "/session_closes/0",
    "A close names every certificate its runtime used, so that none can be slipped in.",
    "The close lists the second certificate only.",
    {
      parent: "key-renewal",
      ...resigned("close:rt-1", (close) => {
        close["runtime_key_certificate_digests"].shift();
      }),
    },
  ),
  entry(
    "DAG_SEAL_MISSING",
    "required-by-the-policy",
    "/session_seals",
    "Without a seal a whole runtime can be left out unseen; this policy requires one.",
    "`require_session_seal` was set in the policy.",
    {
      ...CLOSED,
      side: [
        "trust",
        (trust) => {
          trust["require_session_seal"] = true;
        },
      ],
    },
  ),
  entry(
    "DAG_SEAL_INVALID",
    "by-a-runtime",
    "/session_seals/0",
    "Only the agent can say which runtimes it had.",
    "A runtime's key signed the seal in the agent's name.",
    signedBy("seal:planner", "rt-1-key"),
  ),
  entry(
    "DAG_SEAL_INVALID",
    "outside-the-agents-window",
    "/session_seals/0",
    "An agent key that has ended seals nothing.",
    "The seal is dated a year later, when the agent's record still stands and its certificate does not.",
    resigned("seal:planner", (seal) => {
      seal["issued_at"] = at(365 * DAY);
    }),
  ),
  entry(
    "DAG_SEAL_INVALID",
    "second-seal",
    "/session_seals/1",
    "An agent seals a session once; two seals are two stories.",
    "The agent signed a second seal a minute later, over the same closes.",
    added("receipts", (world) => world.seal("planner", ["rt-1", "rt-2"], 21 * MINUTE)),
  ),
  entry(
    "DAG_SEAL_MISMATCH",
    "runtime-left-out",
    "/session_seals/0",
    "The seal names every runtime of the session, and does not name one that is shown.",
    "The seal names the close of the first runtime only.",
    resigned("seal:planner", (seal) => {
      seal["session_close_digests"].pop();
    }),
  ),
  entry(
    "DAG_SEAL_MISMATCH",
    "runtime-not-shown",
    "/session_seals/0",
    "The seal names a third runtime, which was left out of the bundle whole.",
    "The seal names the close of a runtime that is not shown.",
    resigned("seal:planner", (seal) => {
      seal["session_close_digests"].push(testDigest("the close of a third runtime"));
    }),
  ),
  entry(
    "DAG_SEAL_MISMATCH",
    "close-dated-after-it",
    "/session_seals/0",
    "A seal cannot name a close that was made after it.",
    "The seal is dated 61 seconds before the second close.",
    resigned("seal:planner", (seal) => {
      seal["issued_at"] = at(16 * MINUTE - 61);
    }),
  ),
];
