/** Random stories that keep every rule: agents in a chain, runtimes, a DAG of receipts, trees, perhaps whole sessions. */
import fc from "fast-check";
import { HOUR, MINUTE } from "../support/keys.js";
import { type Story, story } from "../support/story.js";
import { type Changes, TOOLS, World } from "../support/world.js";

export interface Plan {
  /** For each receipt: which runtime, which earlier receipts, which tool, which tree; all taken modulo what there is. */
  readonly receipts: readonly {
    readonly runtime: number;
    readonly parents: readonly number[];
    readonly tool: number;
    readonly tree: number;
  }[];
  /** Agents that hold runtimes; agent n was delegated to by agent n-1. */
  readonly agents: number;
  readonly trees: number;
  readonly scope: "causal" | "session";
  readonly algorithms: readonly ("ECDSA_P256" | "ED25519")[];
}

export const plans: fc.Arbitrary<Plan> = fc.record({
  receipts: fc.array(
    fc.record({
      runtime: fc.nat(3),
      parents: fc.array(fc.nat(20), { maxLength: 4 }),
      tool: fc.nat(10),
      tree: fc.nat(10),
    }),
    { minLength: 1, maxLength: 10 },
  ),
  agents: fc.integer({ min: 1, max: 4 }),
  trees: fc.integer({ min: 1, max: 3 }),
  scope: fc.constantFrom("causal", "session"),
  algorithms: fc.array(fc.constantFrom("ECDSA_P256", "ED25519"), { minLength: 4, maxLength: 4 }),
});

/** A receipt as it was made. */
export interface Made {
  readonly name: string;
  readonly runtime: string;
  readonly sequence: number;
  readonly delegation: string;
  readonly agent: number;
}

export interface RandomStory {
  readonly story: Story;
  readonly receipts: readonly Made[];
  readonly trees: readonly string[];
}

function agentName(place: number): string {
  return place === 0 ? "planner" : `agent-${place}`;
}

/** What is decided before anything is signed, so that nothing is made that nothing refers to. */
function layout({ receipts, agents }: Plan): {
  readonly made: readonly Made[];
  readonly parents: readonly string[][];
} {
  const counts = new Map<string, number>();
  const made = receipts.map((receipt, index): Made => {
    const runtime = `rt-${receipt.runtime}`;
    const sequence = (counts.get(runtime) ?? 0) + 1;
    counts.set(runtime, sequence);
    return { name: `${index}`, runtime, sequence, delegation: runtime, agent: receipt.runtime % agents };
  });
  const parents = receipts.map((receipt, index) => [
    ...new Set(index === 0 ? [] : receipt.parents.map((parent) => `${parent % index}`)),
  ]);
  return { made, parents };
}

export async function buildStory(plan: Plan, changes: Changes = {}): Promise<RandomStory> {
  const { made, parents } = layout(plan);
  const world = new World(changes);
  await world.list(1, -HOUR);
  const deepest = Math.max(...made.map(({ agent }) => agent));
  for (let agent = 0; agent <= deepest; agent++) {
    await world.agent(agentName(agent));
    if (agent === 0) continue;
    const parent = agent === 1 ? {} : { parent: `to-${agent - 1}` };
    await world.delegation(`to-${agent}`, agentName(agent - 1), "rt", {
      ...parent,
      delegate: agentName(agent),
    });
  }
  const runtimes = new Map(made.map((receipt) => [receipt.runtime, receipt.agent]));
  for (const [runtime, agent] of runtimes) {
    world.algorithmOf[`${runtime}-key`] = plan.algorithms[Number(runtime.slice(3))] ?? "ECDSA_P256";
    await world.runtime(runtime, agentName(agent));
    const parent = agent === 0 ? {} : { parent: `to-${agent}` };
    await world.delegation(runtime, agentName(agent), runtime, parent);
  }
  for (const [index, { name, runtime, sequence }] of made.entries()) {
    const tool = TOOLS[(plan.receipts[index]?.tool ?? 0) % TOOLS.length] ?? "shell.run";
    await world.receipt(name, {
      runtime,
      sequence,
      time: MINUTE + index,
      parents: parents[index] ?? [],
      tool,
    });
  }
  const closes = plan.scope === "session" ? await close(world, made) : [];
  const trees = await plant(world, plan, made, closes);
  world.finish();
  const named = new Set(parents.flat());
  const heads = made.filter(({ name }) => !named.has(name)).map(({ name }) => name);
  return { story: story(world.bundle(plan.scope, heads)), receipts: made, trees };
}

async function close(world: World, made: readonly Made[]): Promise<string[]> {
  const last = new Map(made.map(({ runtime, name }) => [runtime, name]));
  for (const [runtime, name] of last) await world.close(runtime, name, 20 * MINUTE);
  return [...last.keys()].map((runtime) => `close:${runtime}`);
}

async function plant(
  world: World,
  { receipts, trees }: Plan,
  made: readonly Made[],
  closes: readonly string[],
): Promise<string[]> {
  const groups = new Map<string, string[]>();
  for (const [index, { name }] of made.entries()) {
    const label = `tree-${(receipts[index]?.tree ?? 0) % trees}`;
    groups.set(label, [...(groups.get(label) ?? []), `receipt:${name}`]);
  }
  const [first] = groups.keys();
  if (first !== undefined) groups.get(first)?.push(...closes);
  for (const [label, leaves] of groups) await world.tree(label, 40 * MINUTE, { leaves });
  return [...groups.keys()];
}
