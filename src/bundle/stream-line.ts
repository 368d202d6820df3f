/** Decodes one line of the streaming form: strict JSON in its one spelling, with one member of a closed schema. */

import { asciiJson } from "../encoding/ascii-json.js";
import { parseJson } from "../encoding/json.js";
import type { JsonValue } from "../encoding/json-value.js";
import { decodeUtf8 } from "../encoding/utf8.js";
import * as LIMITS from "../limits.js";
import { compareFaults, type Fault, Faults, isObject, type Schema } from "../statements/schema.js";
import { LINES, type LineName, streamHeader, streamTrailer } from "./stream-format.js";

/** The value of a line; undefined when its schema refused it, or when a fault ended the reading. */
export interface DecodedLine {
  readonly value: unknown;
  readonly ended: Fault | null;
}

/** Free JSON stands in policies, and in the values of disclosures. */
function isFreeNumber(path: readonly (string | number)[]): boolean {
  if (path[0] === "policies") return path.length > 0;
  return path[0] === "disclosures" && path[1] === "value" && path[2] === "json";
}

export class LineDecoder {
  readonly #refused: (fault: Fault, count: number) => void;

  /** `refused` hears of each fault that a schema finds, with how many of them it stands for. */
  constructor(refused: (fault: Fault, count: number) => void) {
    this.#refused = refused;
  }

  /** Reads a line, its end left out. */
  decode(name: LineName | "header" | "trailer", { at, offset }: LinePlace, line: Uint8Array): DecodedLine {
    // The line's own object takes the place of the bundle and of the array in it.
    const limits = {
      maxBytes: LIMITS.maxLineBytes,
      maxDepth: LIMITS.maxDepth - 1,
      isFreeNumber,
      exactNumbers: true,
    };
    const { value, faults } = parseJson(line, limits);
    const [fault] = [...faults].sort(compareFaults);
    if (fault !== undefined || value === undefined) {
      const inside = (fault?.pointer ?? "").slice(1 + name.length);
      return ended({
        code: fault?.code ?? "FORMAT_SYNTAX_INVALID",
        pointer: at + inside,
        detail: fault?.detail ?? "",
      });
    }
    const member = isObject(value) ? value[name] : undefined;
    if (member === undefined || asciiJson(value) !== decodeUtf8(line)) {
      const detail = "a line is written in its canonical form, with everything that is not ASCII escaped";
      return ended({ code: "FORMAT_SYNTAX_INVALID", pointer: at, detail });
    }
    if (isObject(value) && Object.keys(value).length > 1)
      return ended({ code: "FORMAT_SYNTAX_INVALID", pointer: at, detail: "a line has one member" });
    return { value: this.#byItsSchema(name, member, at, offset), ended: null };
  }

  #byItsSchema(
    name: LineName | "header" | "trailer",
    member: JsonValue,
    at: string,
    offset: number,
  ): unknown {
    const into = new Faults();
    const schema: Schema<unknown> =
      name === "header" ? streamHeader : name === "trailer" ? streamTrailer : LINES[name].schema;
    const value = schema.decode(member, at, into);
    const first = into.first();
    for (const [place, fault] of first.entries()) {
      const pointer = offset === 0 ? fault.pointer : moved(fault.pointer, at, offset);
      this.#refused({ ...fault, pointer }, place === 0 ? 1 + into.count - first.length : 1);
    }
    return into.count > 0 ? undefined : value;
  }
}

/** Where the value of a line would stand in a bundle of one piece. */
export interface LinePlace {
  readonly at: string;
  /** Elements of the same array that came in lines before. */
  readonly offset: number;
}

/** A pointer to an element of an array, counted on from those that came before. */
function moved(pointer: string, at: string, offset: number): string {
  const [, index = ""] = /^\/(\d+)$/.exec(pointer.slice(at.length)) ?? [];
  return index === "" ? pointer : `${at}/${offset + Number(index)}`;
}

function ended(fault: Fault): DecodedLine {
  return { value: undefined, ended: fault };
}
