/** Check 3, DELEGATION: what was allowed, by a chain that only narrows. */
import { at, DAY, MINUTE, testDigest } from "../keys.js";
import { agentId } from "../trust.js";
import { TOOLS } from "../world.js";
import { added, casesFrom, type InvalidCase, resigned, signedBy } from "./invalid.js";

const entry = casesFrom("one-receipt");

const FORK = { parent: "fork-and-merge" } as const;
/** The coder's own delegation in the fork. */
const CHILD = "/delegations/2";

export const DELEGATION_CASES: readonly InvalidCase[] = [
  entry(
    "DELEGATION_MISSING",
    "no-delegation",
    "/receipts/0",
    "An action that nothing allowed is not accepted because the permission was left out.",
    "All delegations were taken out.",
    {
      bundle: (bundle) => {
        bundle["delegations"] = [];
      },
    },
  ),
  entry(
    "DELEGATION_MISSING",
    "no-parent",
    CHILD,
    "A child only narrows its parent, so without the parent nobody knows what it may allow.",
    "The planner's delegation to the coder was taken out.",
    {
      ...FORK,
      bundle: (bundle) => {
        bundle["delegations"].splice(1, 1);
      },
      pointer: "/delegations/1",
    },
  ),
  entry(
    "DELEGATION_SIGNATURE_INVALID",
    "by-the-runtime",
    "/delegations/0",
    "A runtime must not be able to allow itself anything.",
    "The runtime's key signed the delegation in the agent's name.",
    signedBy("delegation:rt-1", "rt-1-key"),
  ),
  entry(
    "DELEGATION_SIGNATURE_INVALID",
    "issuer-is-another-key",
    "/delegations/0",
    "The issuer must be the key of the certificate that the delegation names.",
    "`issuer_key_id` names another key of nobody; the agent's key signed.",
    resigned("delegation:rt-1", (delegation) => {
      delegation["issuer_key_id"] = "planner-key-2";
    }),
  ),
  entry(
    "DELEGATION_OUTSIDE_WINDOW",
    "action-after-its-end",
    "/receipts/0",
    "Windows are half-open: at the instant of its end a delegation no longer allows anything.",
    "The delegation ends at the very instant of the receipt.",
    resigned("delegation:rt-1", (delegation) => {
      delegation["not_after"] = at(5 * MINUTE);
    }),
  ),
  entry(
    "DELEGATION_OUTSIDE_WINDOW",
    "action-before-its-begin",
    "/receipts/0",
    "A delegation allows nothing before it begins, not even within the clock skew.",
    "The delegation begins one second after the receipt.",
    resigned("delegation:rt-1", (delegation) => {
      delegation["not_before"] = at(5 * MINUTE + 1);
    }),
  ),
  entry(
    "DELEGATION_OUTSIDE_WINDOW",
    "issued-after-the-action",
    "/receipts/0",
    "A permission given afterwards is none.",
    "The delegation was issued five minutes after the receipt, with the same window.",
    resigned("delegation:rt-1", (delegation) => {
      delegation["issued_at"] = at(10 * MINUTE);
    }),
  ),
  entry(
    "DELEGATION_OUTSIDE_WINDOW",
    "outlives-its-certificate",
    "/delegations/0",
    "A delegation lies inside the window of the agent key that signed it.",
    "The delegation ends two years later.",
    resigned("delegation:rt-1", (delegation) => {
      delegation["not_after"] = at(730 * DAY);
    }),
  ),
  entry(
    "DELEGATION_BINDING_MISMATCH",
    "another-runtime",
    "/receipts/0",
    "A delegation is for one runtime; another one cannot borrow it.",
    "The delegation names another runtime.",
    resigned("delegation:rt-1", (delegation) => {
      delegation["runtime_id"] = "rt-2";
    }),
  ),
  entry(
    "DELEGATION_BINDING_MISMATCH",
    "another-session",
    "/receipts/0",
    "A delegation is for one session; it does not carry over to the next.",
    "The delegation names another session.",
    resigned("delegation:rt-1", (delegation) => {
      delegation["session_id"] = "session-2";
    }),
  ),
  entry(
    "DELEGATION_BINDING_MISMATCH",
    "another-policy",
    "/receipts/0",
    "The receipt must act under the policy that the delegation is given under.",
    "The receipt names another policy digest.",
    resigned("receipt:1", (receipt) => {
      receipt["policy_digest"] = testDigest("another policy");
    }),
  ),
  entry(
    "DELEGATION_BINDING_MISMATCH",
    "only-delegates-on",
    "/receipts/0",
    "A delegation that names a delegate authorises no action, only children.",
    "The delegation of the acting runtime names the coder as its delegate.",
    resigned("delegation:rt-1", (delegation) => {
      delegation["delegate_agent_id"] = agentId("coder");
    }),
  ),
  entry(
    "DELEGATION_BINDING_MISMATCH",
    "child-of-another-policy",
    CHILD,
    "A child is given under its parent's policy.",
    "The planner's delegation to the coder is under another policy than the coder's own.",
    {
      ...FORK,
      ...resigned("delegation:to-coder", (delegation) => {
        delegation["policy_digest"] = testDigest("another policy");
      }),
    },
  ),
  entry(
    "DELEGATION_TOOL_OUT_OF_SCOPE",
    "tool-not-listed",
    "/receipts/0",
    "The agent used a tool that it was not allowed to use.",
    "The receipt is for `shell.sudo`.",
    resigned("receipt:1", (receipt) => {
      receipt["tool"] = "shell.sudo";
    }),
  ),
  entry(
    "DELEGATION_TOOL_OUT_OF_SCOPE",
    "differs-by-case",
    "/receipts/0",
    "Tool names are compared byte for byte: no case folding.",
    "The receipt is for `Shell.run`.",
    resigned("receipt:1", (receipt) => {
      receipt["tool"] = "Shell.run";
    }),
  ),
  entry(
    "DELEGATION_TOOL_OUT_OF_SCOPE",
    "below-a-listed-name",
    "/receipts/0",
    "A listed name is no prefix: `shell.run.root` is another tool than `shell.run`.",
    "The receipt is for `shell.run.root`.",
    resigned("receipt:1", (receipt) => {
      receipt["tool"] = "shell.run.root";
    }),
  ),
  entry(
    "DELEGATION_POLICY_NOT_ACCEPTED",
    "another-policy-required",
    "/delegations/0",
    "The auditor requires another policy than the one the agent acted under.",
    "`required_policy_digests` was added to the policy, with another digest.",
    {
      side: [
        "trust",
        (trust) => {
          trust["namespaces"][0].required_policy_digests = [testDigest("the policy we require")];
        },
      ],
    },
  ),
  entry(
    "DELEGATION_MAX_ACTIONS_EXCEEDED",
    "sequence-above",
    "/receipts/3",
    "`sequence` may not pass `max_actions`, so that cutting a session into several bundles gains nothing.",
    "The last receipt of the second runtime has sequence 3, two are allowed.",
    {
      parent: "max-actions",
      ...resigned("receipt:4", (receipt) => {
        receipt["sequence"] = 3;
      }),
    },
  ),
  entry(
    "DELEGATION_MAX_ACTIONS_EXCEEDED",
    "together-too-many",
    "/delegations/0",
    "Handing the budget to two runtimes must not double it: receipts count for every delegation above them.",
    "The planner's delegation allows three actions, and four stand under it.",
    {
      parent: "max-actions",
      ...resigned("delegation:to-coder", (delegation) => {
        delegation["max_actions"] = 3;
      }),
    },
  ),
  entry(
    "DELEGATION_TOP_NOT_ALLOWED",
    "not-a-top-delegator",
    "/delegations/0",
    "A chain may begin only with an agent that the auditor names.",
    "The policy names the coder as the only top delegator.",
    {
      side: [
        "trust",
        (trust) => {
          trust["namespaces"][0].top_delegators = [agentId("coder")];
        },
      ],
    },
  ),
  entry(
    "DELEGATION_TOP_NOT_ALLOWED",
    "delegate-drops-its-parent",
    "/delegations/1",
    "A delegate would simply drop its parent, and with it every bound, if anybody might start a chain.",
    "The coder's delegation names no parent and allows every tool; the planner's delegation to it was left out.",
    {
      ...FORK,
      ...resigned("delegation:rt-2", (delegation) => {
        delete delegation["parent_delegation_digest"];
        delegation["tools"] = [...TOOLS];
      }),
      bundle: (bundle) => {
        bundle["delegations"].splice(1, 1);
      },
    },
  ),
  entry(
    "DELEGATION_NOT_DELEGATE",
    "given-to-another",
    CHILD,
    "Only the agent that a delegation names may delegate on from it.",
    "The planner's delegation names a reviewer; the coder made a child of it.",
    {
      ...FORK,
      ...resigned("delegation:to-coder", (delegation) => {
        delegation["delegate_agent_id"] = agentId("reviewer");
      }),
    },
  ),
  entry(
    "DELEGATION_NOT_DELEGATE",
    "given-to-nobody",
    CHILD,
    "A delegation that names no delegate has no children.",
    "The planner's delegation names no delegate; the coder made a child of it.",
    {
      ...FORK,
      ...resigned("delegation:to-coder", (delegation) => {
        delete delegation["delegate_agent_id"];
      }),
    },
  ),
  entry(
    "DELEGATION_WIDENED",
    "one-tool-more",
    CHILD,
    "A child may only narrow: a tool that the parent does not have is the child's own invention.",
    "The planner's delegation does not list `file.write`, the coder's does.",
    {
      ...FORK,
      ...resigned("delegation:to-coder", (delegation) => {
        delegation["tools"] = ["file.read"];
      }),
    },
  ),
  entry(
    "DELEGATION_WIDENED",
    "longer-window",
    CHILD,
    "A child's window lies inside its parent's.",
    "The coder's delegation ends a second after the planner's.",
    {
      ...FORK,
      ...resigned("delegation:rt-2", (delegation) => {
        delegation["not_after"] = at(120 * MINUTE + 1);
      }),
    },
  ),
  entry(
    "DELEGATION_WIDENED",
    "bound-dropped",
    "/delegations/1",
    "Where the parent has a bound, the child has one, and no larger.",
    "The first runtime's delegation has no `max_actions`, its parent allows four.",
    {
      parent: "max-actions",
      ...resigned("delegation:rt-1", (delegation) => {
        delete delegation["max_actions"];
      }),
    },
  ),
  entry(
    "DELEGATION_TOO_DEEP",
    "nine-in-a-chain",
    "/delegations/8",
    "Chains end at eight delegations, so that a reader can bound its work.",
    "One delegation more was put before the last one.",
    {
      parent: "delegation-chain-of-8",
      world: {
        ...added("chain", (world) =>
          world.delegation("more", "coder", "rt-0", { parent: "6", delegate: "coder" }),
        ).world,
        ...resigned("delegation:rt-1", (delegation, world) => {
          delegation["parent_delegation_digest"] = world.digest("delegation:more");
        }).world,
      },
    },
  ),
];
