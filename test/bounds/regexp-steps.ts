/**
 * Counts the steps that a backtracking matcher takes, so that a test can see how work grows with the input without a
 * clock. Reads the syntax that this project's patterns use: literals, escapes, classes, groups, lookahead, anchors,
 * greedy quantifiers, alternation. Anything else is an error, so that no pattern is judged without being understood.
 */

type Matcher = (at: number, then: (at: number) => boolean) => boolean;

interface Node {
  /** Builds the matcher over one input; `step` is called for each unit looked at. */
  readonly build: (input: readonly string[], step: () => void) => Matcher;
  /** Characters that could match somewhere in this part, to make inputs of. */
  readonly samples: readonly string[];
}

const QUANTIFIER = /[*+?{]/;

/** The parts of a pattern; `unicode` as the flag u. */
export function parsePattern(source: string, unicode: boolean): Node {
  const units = [...source];
  let at = 0;
  const peek = (): string => units[at] ?? "";
  const take = (): string => units[at++] ?? "";

  function alternatives(): Node {
    const options = [sequence()];
    while (peek() === "|") {
      at += 1;
      options.push(sequence());
    }
    return options.length === 1 ? (options[0] ?? sequenceOf([])) : anyOf(options);
  }

  function sequence(): Node {
    const parts: Node[] = [];
    while (at < units.length && peek() !== "|" && peek() !== ")") parts.push(quantified(atom()));
    return sequenceOf(parts);
  }

  function quantified(inner: Node): Node {
    if (!QUANTIFIER.test(peek())) return inner;
    let [least, most] = [0, 1];
    const kind = take();
    if (kind === "+") [least, most] = [1, Number.POSITIVE_INFINITY];
    else if (kind === "*") most = Number.POSITIVE_INFINITY;
    else if (kind === "{") {
      const end = units.indexOf("}", at);
      const [low = "", high = low] = units.slice(at, end).join("").split(",");
      [least, most] = [Number(low), high === "" ? Number.POSITIVE_INFINITY : Number(high)];
      at = end + 1;
    }
    if (peek() === "?") throw new Error(`lazy quantifier in ${source}`);
    return repeat(inner, least, most);
  }

  function atom(): Node {
    const unit = take();
    if (unit === "^") return anchor((input, place) => place === 0 && input.length >= 0);
    if (unit === "$") return anchor((input, place) => place === input.length);
    if (unit === "(") return group();
    if (unit === "[") return characterClass();
    if (unit === "\\") return unitOf(escaped());
    if (unit === ".") return unitOf(".");
    return unitOf(escapeLiteral(unit));
  }

  function group(): Node {
    let ahead = false;
    if (peek() === "?") {
      at += 1;
      const kind = take();
      if (kind === "=") ahead = true;
      else if (kind !== ":") throw new Error(`group (?${kind} in ${source}`);
    }
    const inner = alternatives();
    if (take() !== ")") throw new Error(`open group in ${source}`);
    return ahead ? lookahead(inner) : inner;
  }

  function characterClass(): Node {
    const start = at;
    while (peek() !== "]") at += peek() === "\\" ? 2 : 1;
    at += 1;
    return unitOf(`[${units.slice(start, at - 1).join("")}]`);
  }

  function escaped(): string {
    const kind = take();
    if (/[bB1-9k]/.test(kind)) throw new Error(`\\${kind} in ${source}`);
    if (kind !== "p" && kind !== "u") return `\\${kind}`;
    const length = kind === "u" ? 4 : units.indexOf("}", at) + 1 - at;
    at += length;
    return `\\${kind}${units.slice(at - length, at).join("")}`;
  }

  /** One unit of input, judged by the engine itself: only repetition is ours to count. */
  function unitOf(pattern: string): Node {
    const one = new RegExp(`^${pattern}$`, unicode ? "su" : "s");
    return {
      samples: CANDIDATES.filter((candidate) => one.test(candidate)).slice(0, 3),
      build: (input, step) => (place, then) => {
        step();
        const unit = input[place];
        return unit !== undefined && one.test(unit) && then(place + 1);
      },
    };
  }

  const whole = alternatives();
  if (at < units.length) throw new Error(`unread ${units.slice(at).join("")} in ${source}`);
  return whole;
}

const CANDIDATES: readonly string[] = [
  ..."0159azfAZ.-+eE/=~!_*",
  " ",
  "\t",
  "\n",
  "\u0000",
  "\u0085",
  "\u20ac",
  "\ufffe",
  "\ufdd0",
  "\ud800",
];

function escapeLiteral(unit: string): string {
  return unit.replace(/[{}\]/]/, "\\$&");
}

function anchor(holds: (input: readonly string[], place: number) => boolean): Node {
  return { samples: [], build: (input) => (place, then) => holds(input, place) && then(place) };
}

function sequenceOf(parts: readonly Node[]): Node {
  return {
    samples: parts.flatMap(({ samples }) => samples),
    build(input, step) {
      const built = parts.map((part) => part.build(input, step));
      return built.reduceRight<Matcher>(
        (rest, part) => (place, then) => part(place, (next) => rest(next, then)),
        (place, then) => then(place),
      );
    },
  };
}

function anyOf(options: readonly Node[]): Node {
  return {
    samples: options.flatMap(({ samples }) => samples),
    build(input, step) {
      const built = options.map((option) => option.build(input, step));
      return (place, then) => built.some((option) => option(place, then));
    },
  };
}

function lookahead(inner: Node): Node {
  return {
    samples: inner.samples,
    build(input, step) {
      const built = inner.build(input, step);
      return (place, then) => built(place, () => true) && then(place);
    },
  };
}

function repeat(inner: Node, least: number, most: number): Node {
  return {
    samples: inner.samples,
    build(input, step) {
      const built = inner.build(input, step);
      const more = (count: number, place: number, then: (at: number) => boolean): boolean => {
        step();
        const again = count < most && built(place, (next) => next > place && more(count + 1, next, then));
        return again || (count >= least && then(place));
      };
      return (place, then) => more(0, place, then);
    },
  };
}

/** Steps to search `input` from each place on, as `exec` does, and whether anything was found; infinite above `most`. */
export function countSteps(
  pattern: Node,
  input: string,
  unicode: boolean,
  most: number,
): { readonly steps: number; readonly found: boolean } {
  const units = unicode ? [...input] : input.split("");
  let steps = 0;
  const matcher = pattern.build(units, () => {
    steps += 1;
    if (steps > most) throw new TooManySteps();
  });
  try {
    for (let start = 0; start <= units.length; start += 1) {
      if (matcher(start, () => true)) return { steps, found: true };
    }
  } catch (error) {
    if (error instanceof TooManySteps) return { steps: Number.POSITIVE_INFINITY, found: false };
    throw error;
  }
  return { steps, found: false };
}

class TooManySteps extends Error {}
