/** Tells anchors that somebody made from anchors that the sweep has altered. */
import { decodeBase64 } from "../../src/encoding/base64.js";
import { encodeHex } from "../../src/encoding/hex.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import { decodeUtf8 } from "../../src/encoding/utf8.js";
import { type Fixture, VALID } from "./fixtures.js";

/** A tlog-proof text in the parts that the verifier judges each by itself. */
interface Proof {
  /** All before the signature lines, without an `extra` line, which nothing authenticates. */
  readonly body: string;
  readonly origin: string;
  readonly signatures: readonly string[];
}

function partsOf(text: string): Proof | null {
  const match =
    /^(c2sp\.org\/tlog-proof@v1\n)(?:extra .*\n)?((?:index .*\n)(?:[^\n]+\n)*\n([^\n]*)\n(?:[^\n]+\n)*\n)((?:— .*\n)+)$/.exec(
      text,
    );
  if (match === null) return null;
  const [, magic = "", rest = "", origin = "", signatures = ""] = match;
  return { body: magic + rest, origin, signatures: signatures.split("\n").filter((line) => line !== "") };
}

function visitProofs(value: JsonValue, visit: (proof: Proof) => void): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, item] of Object.entries(value)) {
    const parts = name === "proof" && typeof item === "string" ? partsOf(item) : null;
    if (parts !== null) visit(parts);
    visitProofs(item, visit);
  }
}

const genuine = new Map<string, Set<string>>();
for (const { value } of VALID) {
  visitProofs(value, ({ body, signatures }) => {
    genuine.set(body, new Set([...(genuine.get(body) ?? []), ...signatures]));
  });
}

/** `name+keyid` of every pinned log and witness, and the origins of the pinned logs. */
function pinned(fixture: Fixture): {
  readonly keys: ReadonlySet<string>;
  readonly origins: ReadonlySet<string>;
} {
  const { tlog } = JSON.parse(decodeUtf8(fixture.trust ?? new Uint8Array()) ?? "{}");
  const keys = [...tlog.logs, ...tlog.witnesses].map(({ vkey }: { vkey: string }) =>
    vkey.split("+").slice(0, 2).join("+"),
  );
  return { keys: new Set(keys), origins: new Set(tlog.logs.map(({ origin }: { origin: string }) => origin)) };
}

/**
 * True when every part of the anchor that a verifier with this policy believes was made by those who signed it: the
 * proof, and each line of a pinned key. Also for an anchor that this policy does not count at all.
 */
export function isGenuine(anchor: JsonValue, fixture: Fixture): boolean {
  if (typeof anchor !== "object" || anchor === null || !("proof" in anchor)) return false;
  const { type, proof } = anchor;
  if (type !== "tlog") return true;
  const parts = typeof proof === "string" ? partsOf(proof) : null;
  if (parts === null) return false;
  const { keys, origins } = pinned(fixture);
  if (!origins.has(parts.origin)) return true;
  const known = genuine.get(parts.body);
  if (known === undefined) return false;
  return parts.signatures.every((line) => known.has(line) || !keys.has(keyOf(line)));
}

function keyOf(line: string): string {
  const [, name = "", signature = ""] = line.split(" ");
  const bytes = decodeBase64(signature) ?? new Uint8Array();
  return `${name}+${encodeHex(bytes.subarray(0, 4)).slice(2)}`;
}
