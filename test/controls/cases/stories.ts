/** Stories that the cases of the controls are told with. */

import { anchorEntryBytes } from "../../../src/anchors/anchor-entry.js";
import { encodeUtf8 } from "../../../src/encoding/utf8.js";
import type { TrustPolicyV1 } from "../../../src/verifier/trust-policy.js";
import type { InvalidCase } from "../../support/cases/invalid.js";
import { MINUTE } from "../../support/keys.js";
import { begin, type Story, story } from "../../support/story.js";
import { basePolicy, NAMESPACE } from "../../support/trust.js";
import { type Changes, type Draft, World } from "../../support/world.js";

export interface Plan {
  readonly changes?: Changes | undefined;
  readonly scope?: "causal" | "session";
  readonly targets?: readonly string[];
  readonly shown?: readonly string[];
  readonly trust?: Partial<TrustPolicyV1>;
  /** When the tree is anchored. */
  readonly anchored?: number;
}

async function packed(world: World, plan: Plan, targets: readonly string[]): Promise<Story> {
  await world.step("receipts");
  await world.tree("tree", plan.anchored ?? 40 * MINUTE);
  world.finish();
  const bundle = world.bundle(plan.scope ?? "causal", plan.targets ?? targets, plan.shown);
  return story(bundle, { trust: basePolicy(plan.trust) });
}

/** One runtime of one agent, and its close. In scope `causal` a close may list other certificates besides. */
export async function closed(
  plan: Plan & {
    readonly receipts?: number;
    readonly at?: number;
    readonly certificates?: readonly string[];
    readonly byAgent?: string;
  },
): Promise<Story> {
  const { receipts = 1, at = 15 * MINUTE, certificates, byAgent } = plan;
  const world = new World(plan.changes);
  await begin(world);
  await world.runtime("rt-1", "planner");
  await world.step("runtimes");
  await world.delegation("rt-1", "planner", "rt-1");
  for (let sequence = 1; sequence <= receipts; sequence += 1) {
    await world.receipt(`${sequence}`, { runtime: "rt-1", sequence, time: (4 + sequence) * MINUTE });
  }
  await world.close("rt-1", `${receipts}`, at, {
    ...(certificates === undefined ? {} : { certificates }),
    ...(byAgent === undefined ? {} : { byAgent }),
  });
  return packed(world, plan, [`${receipts}`]);
}

/** The planner acts, hands work to the coder, and goes on; `ends` makes the closes and seals. */
export async function handedOver(
  plan: Plan & { readonly ends?: (world: World) => Promise<void> },
): Promise<Story> {
  const world = new World(plan.changes);
  await begin(world);
  await world.agent("coder");
  await world.runtime("rt-1", "planner");
  await world.runtime("rt-2", "coder");
  await world.delegation("rt-1", "planner", "rt-1");
  await world.delegation("to-coder", "planner", "rt-1", { delegate: "coder" });
  await world.delegation("rt-2", "coder", "rt-2", { parent: "to-coder" });
  await world.receipt("1", { runtime: "rt-1", sequence: 1, time: 5 * MINUTE });
  await world.receipt("2", { runtime: "rt-2", sequence: 1, time: 6 * MINUTE, parents: ["1"] });
  await world.receipt("3", { runtime: "rt-1", sequence: 2, time: 7 * MINUTE, parents: ["2"] });
  await plan.ends?.(world);
  return packed(world, plan, ["3"]);
}

/** All three witnesses date the anchor of a label from this second on. */
export function dated(label: string, seconds: number): Pick<InvalidCase, "world"> {
  return {
    world: {
      anchors: {
        [label]: (making) => {
          making.cosigners = [1, 2, 3].map((witness, step) => ({ witness, time: seconds + step }));
        },
      },
    },
  };
}

/** The log holds the entry of this root and size in place of the tree's. */
export function logged(digest: string, treeSize: number): Pick<InvalidCase, "world"> {
  return {
    world: {
      anchors: {
        tree: (making) => {
          making.entry = anchorEntryBytes({
            namespaceId: NAMESPACE,
            subject: "evidence_root",
            digest,
            treeSize,
          });
        },
      },
    },
  };
}

export function setAll(values: Draft): (draft: Draft) => void {
  return (draft) => {
    Object.assign(draft, values);
  };
}

export function trustWith(values: Draft): Pick<InvalidCase, "side"> {
  return { side: ["trust", (trust) => Object.assign(trust, values)] };
}

/** Replaces text in bytes; a text that is not there is an error. */
export function replaceIn(bytes: Uint8Array | null, from: string, to: string): Uint8Array {
  const text = new TextDecoder().decode(bytes ?? new Uint8Array(0));
  if (!text.includes(from)) throw new Error(`${from} is not in the input`);
  return encodeUtf8(text.replace(from, () => to));
}
