/** Layer 1: canonical text (RFC 8785) in ASCII only, so that no tool on the way can change it by its encoding. */
import { canonicalJson } from "./jcs.js";
import type { JsonValue } from "./json-value.js";
import { encodeUtf8 } from "./utf8.js";

const NOT_ASCII = /[\u0080-\uffff]/g;

/** `canonicalJson` with everything that is not ASCII escaped as `\\u` and four lowercase digits. Throws as it does. */
export function asciiJson(value: JsonValue): string {
  return canonicalJson(value).replace(NOT_ASCII, escapeUnit);
}

/** An object with this one member as a line: its bytes in that form, and the byte 0x0A. */
export function asciiLine(name: string, value: JsonValue): Uint8Array {
  return encodeUtf8(`${asciiJson({ [name]: value })}\n`);
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
