/** Every input that fuzzing has kept, and every seed, still holds the invariants of its target. */
import { beforeAll, describe, expect, it } from "vitest";
import { readCorpus } from "./corpus.js";
import { mutate, randomFrom } from "./mutate.js";
import { TARGETS } from "./targets.js";

describe.each(TARGETS)("fuzz target $name", (target) => {
  let seeds: readonly Uint8Array[] = [];

  beforeAll(async () => {
    seeds = await target.seeds();
  });

  it("holds on its seeds and on what was kept", () => {
    const inputs = [...seeds, ...readCorpus(target.name)];
    expect(seeds.length).toBeGreaterThan(0);
    for (const input of inputs) target.run(input);
  });

  it("holds on 200 changed seeds", () => {
    const random = randomFrom(1);
    const tokens = target.tokens.map((token) => (typeof token === "string" ? Buffer.from(token) : token));
    for (let round = 0; round < 200; round++) {
      const [one, other] = [seeds[random(seeds.length)], seeds[random(seeds.length)]];
      if (one === undefined || other === undefined) throw new Error("expected seeds");
      target.run(mutate(one, other, tokens, target.maxBytes, random));
    }
  });
});
