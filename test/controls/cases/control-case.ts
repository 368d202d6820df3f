/** Cases that only the controls use: sharper than a fixture, since nothing but one rule may stand against them. */
import type { FailureCode } from "../../../src/errors.js";
import { type Inputs, inputsOf } from "../../support/cases/files.js";
import { buildInvalid, type InvalidCase } from "../../support/cases/invalid.js";
import type { Story } from "../../support/stories.js";

/** The inputs of one verification; `options` are passed beside them, as a careless caller would. */
export interface ControlInputs extends Inputs {
  readonly options?: Readonly<Record<string, unknown>>;
}

export interface ControlCase {
  readonly code: FailureCode;
  readonly name: string;
  /** What is wrong, and why nothing else is. */
  readonly why: string;
  readonly make: () => Promise<ControlInputs>;
}

/** What the changes are of an invalid case, and what is done to its inputs after them. */
export type Derivation = Partial<InvalidCase> & {
  readonly edit?: (inputs: Inputs) => ControlInputs;
};

/** A case made from an accepted fixture, with as many changes as it takes. */
export function derived(
  code: FailureCode,
  name: string,
  parent: string,
  why: string,
  { edit = (inputs) => inputs, ...made }: Derivation,
): ControlCase {
  const entry: InvalidCase = { code, name, parent, pointer: "", why, how: "", ...made };
  return { code, name, why, make: async () => edit(await buildInvalid(entry)) };
}

/** A case with a story of its own. */
export function told(
  code: FailureCode,
  name: string,
  why: string,
  make: () => Promise<Story>,
  edit: (inputs: Inputs) => ControlInputs = (inputs) => inputs,
): ControlCase {
  return { code, name, why, make: async () => edit(inputsOf(await make(), "json")) };
}

/** Joins changes of several helpers, each of one world. */
export function together(...parts: readonly Pick<InvalidCase, "world">[]): Pick<InvalidCase, "world"> {
  const worlds = parts.map(({ world }) => world ?? {});
  return {
    world: {
      statements: Object.assign({}, ...worlds.map(({ statements }) => statements)),
      anchors: Object.assign({}, ...worlds.map(({ anchors }) => anchors)),
      leaves: Object.assign({}, ...worlds.map(({ leaves }) => leaves)),
      steps: Object.assign({}, ...worlds.map(({ steps }) => steps)),
    },
  };
}
