import { expect } from "vitest";
import { type ImportedSession, type ImportFormat, importSession } from "../../src/collect/import/index.js";
import { OsaProofError } from "../../src/errors.js";

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function fromText(text: string, format?: ImportFormat): ImportedSession {
  return importSession(utf8(text), format);
}

export function fromJson(value: unknown, format?: ImportFormat): ImportedSession {
  return fromText(JSON.stringify(value), format);
}

export function lines(...entries: readonly unknown[]): string {
  return entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
}

/** The error of an import that must fail; its code is asserted here. */
export function refusal(run: () => unknown): OsaProofError {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(OsaProofError);
    if (error instanceof OsaProofError) {
      expect(error.code).toBe("IMPORT_INVALID");
      expect(error.message).toMatch(/: expected .+, found .+; .+/s);
      return error;
    }
  }
  throw new Error("the import was to be refused and was not");
}

export function parentsOf(session: ImportedSession): (readonly number[])[] {
  return session.calls.map((call) => call.parents);
}

export function statusesOf(session: ImportedSession): string[] {
  return session.calls.map((call) => call.status);
}

export function bytesText(value: unknown): string {
  if (typeof value === "object" && value !== null && "bytes" in value && value.bytes instanceof Uint8Array) {
    return new TextDecoder().decode(value.bytes);
  }
  throw new Error("the value is not kept as bytes");
}
