/**
 * Layer 1: the canonical form, RFC 8785 (JCS): no white space, members in the order of the UTF-16 code units of
 * their names, strings and numbers as ECMAScript writes them.
 *
 * The writer is right for values that are JSON and says nothing about others, and a deep one overflows the stack, so
 * the check of the value always comes first. Tests hold it equal to the `canonicalize` package.
 */
import { OsaProofError } from "../errors.js";
import * as LIMITS from "../limits.js";
import { isJsonPrototype, type JsonObject, type JsonValue } from "./json-value.js";
import { encodeUtf8, hasNoncharacter, isWellFormed } from "./utf8.js";

/**
 * Canonical text of a value. Throws VALUE_NOT_JSON for anything that `isJsonValue` refuses.
 *
 * Numbers follow RFC 8785: negative zero becomes `0`, and 2^53 is written although `parseJson` refuses it as an
 * integer literal. Whether a value comes back unchanged is for the caller who commits to it to find out.
 */
export function canonicalJson(value: JsonValue): string {
  if (!isJsonValue(value)) {
    throw new OsaProofError(
      "VALUE_NOT_JSON",
      `only null, booleans, finite numbers, well-formed text without noncharacters, dense arrays and plain objects of these, nested at most ${LIMITS.maxDepth} deep and at most ${LIMITS.maxValues} of them, can be written as canonical JSON`,
    );
  }
  return writeJcs(value);
}

/**
 * Canonical text of a value that is known to be JSON: our parsers', a decoded statement, or what `isJsonValue` has
 * accepted. Members that are undefined are left out, as decoded statements leave out what is absent.
 */
export function writeJcs(value: JsonValue | undefined): string {
  if (typeof value === "string") return quoted(value);
  // The built-in writes finite numbers as RFC 8785 section 3.2.2.3 wants them.
  if (typeof value !== "object" || value === null) return String(value);
  let text = "";
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) text += i === 0 ? writeJcs(value[i]) : `,${writeJcs(value[i])}`;
    return `[${text}]`;
  }
  // An array's own sort, without a comparison of ours, is by UTF-16 code units.
  for (const name of Object.keys(value).sort()) {
    const member = (value as JsonObject)[name];
    if (member === undefined) continue;
    text += `${text === "" ? "" : ","}${writeMember(name, member)}`;
  }
  return `{${text}}`;
}

/** One member of an object in canonical text: its name, a colon and its value. */
export function writeMember(name: string, value: JsonValue): string {
  return beginningOf(name) + writeJcs(value);
}

/** Nothing but printable ASCII, and nothing of that to escape. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** The built-in escapes as RFC 8785 section 3.2.2.2 wants it; it is only asked where something may be escaped. */
function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** `"name":` for the first names that are met: those of statements come again with each of them. */
const beginnings = new Map<string, string>();
const MOST_BEGINNINGS = 512;
const LONGEST_KEPT_NAME = 64;

function beginningOf(name: string): string {
  const known = beginnings.get(name);
  if (known !== undefined) return known;
  const beginning = `${quoted(name)}:`;
  if (beginnings.size < MOST_BEGINNINGS && name.length <= LONGEST_KEPT_NAME) beginnings.set(name, beginning);
  return beginning;
}

/** UTF-8 bytes of `canonicalJson`: what is hashed and signed. */
export function canonicalBytes(value: JsonValue): Uint8Array {
  return encodeUtf8(canonicalJson(value));
}

/**
 * True for a value that has a canonical text: null, boolean, finite number, text without lone surrogates and
 * noncharacters (member names too), a dense array, or an object whose prototype is null or `Object.prototype` and
 * whose own properties are all enumerable data members with string names. Accessors, symbols, holes, extra
 * properties of an array, and anything with a `toJSON` function are refused, and so is nesting beyond
 * `LIMITS.maxDepth` (a cycle is such a nesting) and more than `LIMITS.maxValues` values. Runs no code of the value unless it is a Proxy.
 */
export function isJsonValue(value: unknown): value is JsonValue {
  return isValueAt(value, LIMITS.maxDepth, { left: LIMITS.maxValues });
}

/** How many more values may be met: arrays that share their elements can stand for far more than memory holds. */
interface Budget {
  left: number;
}

/** `depth` is how many more arrays or objects may be entered. */
function isValueAt(value: unknown, depth: number, budget: Budget): boolean {
  budget.left -= 1;
  if (budget.left < 0) return false;
  switch (typeof value) {
    case "string":
      return isText(value);
    case "number":
      return Number.isFinite(value);
    case "boolean":
      return true;
    case "object":
      if (value === null) return true;
      if (depth === 0 || hasToJson(value)) return false;
      return Array.isArray(value) ? isArrayAt(value, depth, budget) : isObjectAt(value, depth, budget);
    default:
      return false;
  }
}

function isArrayAt(array: readonly unknown[], depth: number, budget: Budget): boolean {
  if (Object.getPrototypeOf(array) !== Array.prototype) return false;
  // One property for each index and `length`: with every index present below, nothing else can be there.
  if (Reflect.ownKeys(array).length !== array.length + 1) return false;
  for (let i = 0; i < array.length; i++) {
    if (!isDataMember(array, i, depth, budget)) return false;
  }
  return true;
}

function isObjectAt(object: object, depth: number, budget: Budget): boolean {
  if (!isJsonPrototype(Object.getPrototypeOf(object))) return false;
  for (const name of Reflect.ownKeys(object)) {
    if (typeof name !== "string" || !isText(name) || !isDataMember(object, name, depth, budget)) return false;
  }
  return true;
}

function isDataMember(holder: object, name: string | number, depth: number, budget: Budget): boolean {
  const member = Object.getOwnPropertyDescriptor(holder, name);
  // An accessor could give one value to this check and another to the writer.
  return member?.enumerable === true && "value" in member && isValueAt(member.value, depth - 1, budget);
}

/** The writer would call such a function, an inherited one included, and write what it returns. */
function hasToJson(value: object): boolean {
  const member = findProperty(value, "toJSON");
  return member !== undefined && (!("value" in member) || typeof member.value === "function");
}

function findProperty(value: object, name: string): PropertyDescriptor | undefined {
  for (let holder: object | null = value; holder !== null; holder = Object.getPrototypeOf(holder)) {
    const member = Object.getOwnPropertyDescriptor(holder, name);
    if (member !== undefined) return member;
  }
  return undefined;
}

function isText(text: string): boolean {
  return isWellFormed(text) && !hasNoncharacter(text);
}
