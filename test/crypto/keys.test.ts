import { createHash } from "node:crypto";
import { ed25519 as ed25519Curve } from "@noble/curves/ed25519.js";
import { describe, expect, it } from "vitest";
import { parsePublicKey, spkiFromEd25519, spkiFromP256Point } from "../../src/crypto/keys.js";
import { concatBytes } from "../../src/encoding/bytes.js";
import { OsaProofError } from "../../src/errors.js";
import { hex, keyOf, toHex } from "./helpers.js";

const x = "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6";
const y = "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299";
const p = "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff";
const prefix = "3059301306072a8648ce3d020106082a8648ce3d030107034200";
const p256 = hex(`${prefix}04${x}${y}`);
const edRaw = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
const ed25519 = hex(`302a300506032b6570032100${edRaw}`);

describe("public keys", () => {
  it("accepts one spelling of each kind and names it by the hash of its bytes", () => {
    for (const [spki, algorithm] of [
      [p256, "ECDSA_P256"],
      [ed25519, "ED25519"],
    ] as const) {
      const key = keyOf(spki);
      expect(key.algorithm).toBe(algorithm);
      expect(key.spki).toEqual(spki);
      expect(key.thumbprint).toBe(`0x${createHash("sha256").update(spki).digest("hex")}`);
    }
  });

  it("keeps a copy: the caller's array may change, and is not changed", () => {
    for (const spki of [p256, ed25519]) {
      for (const source of [new Uint8Array(spki), Buffer.from(spki)]) {
        const key = keyOf(source);
        expect(toHex(source)).toBe(toHex(spki));
        source.fill(0);
        expect(toHex(key.spki)).toBe(toHex(spki));
      }
    }
  });

  it("builds SPKI from raw points and refuses other lengths", () => {
    expect(spkiFromP256Point(hex(`04${x}${y}`))).toEqual(p256);
    expect(spkiFromEd25519(hex(edRaw))).toEqual(ed25519);
    for (const make of [() => spkiFromP256Point(hex(`02${x}`)), () => spkiFromEd25519(hex(`${edRaw}00`))]) {
      expect(make).toThrow(OsaProofError);
      expect(make).toThrow(expect.objectContaining({ code: "KEY_INVALID" }));
    }
  });

  it.each([
    ["nothing", ""],
    ["the bare point", `04${x}${y}`],
    ["the point at infinity", "3019301306072a8648ce3d020106082a8648ce3d03010703020000"],
    ["infinity padded to the usual length", `${prefix}00${"00".repeat(64)}`],
    ["x = y = 0", `${prefix}04${"00".repeat(64)}`],
    ["a compressed point", `3039301306072a8648ce3d020106082a8648ce3d030107032200 03${x}`],
    ["a compressed point behind the usual prefix", `${prefix}03${x}`],
    ["a hybrid point", `${prefix}07${x}${y}`],
    ["a hybrid point of the other parity", `${prefix}06${x}${y}`],
    ["a point off the curve", `${prefix}04${x}${y.slice(0, -2)}98`],
    ["x not reduced", `${prefix}04${p}${y}`],
    ["y not reduced", `${prefix}04${x}${p}`],
    ["a byte after", `${prefix}04${x}${y}00`],
    ["a byte missing", `${prefix}04${x}${y}`.slice(0, -2)],
    ["secp256k1's identifier", `3056301006072a8648ce3d020106052b8104000a034200 04${x}${y}`],
    ["unused bits in the bit string", `${prefix.slice(0, -2)}0104${x}${y}`],
    ["long-form outer length", `308159${prefix.slice(4)}04${x}${y}`],
    ["Ed25519 with a byte after", `302a300506032b6570032100${edRaw}00`],
    ["Ed25519 with a byte missing", `302a300506032b6570032100${edRaw}`.slice(0, -2)],
    ["an X25519 key", `302a300506032b656e032100${edRaw}`],
    ["Ed25519 with NULL parameters", `302c300706032b65700500032100${edRaw}`],
  ])("refuses %s", (_, digits) => {
    expect(parsePublicKey(hex(digits.replaceAll(" ", "")))).toBeNull();
  });

  it("accepts the point with x = 0, and not written a second way as x = p", () => {
    const root = "66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4";
    expect(parsePublicKey(hex(`${prefix}04${"00".repeat(32)}${root}`))?.algorithm).toBe("ECDSA_P256");
    expect(parsePublicKey(hex(`${prefix}04${p}${root}`))).toBeNull();
  });

  it("accepts the point with y = 1, and not written a second way as y = p + 1", () => {
    const one = "09e78d4ef60d05f750f6636209092bc43cbdd6b47e11a9de20a9feb2a50bb96c";
    expect(parsePublicKey(hex(`${prefix}04${one}${"1".padStart(64, "0")}`))?.algorithm).toBe("ECDSA_P256");
    const unreduced = "ffffffff00000001000000000000000000000001000000000000000000000000";
    expect(parsePublicKey(hex(`${prefix}04${one}${unreduced}`))).toBeNull();
    // The zero bytes before the 1 may not be left out either.
    expect(parsePublicKey(hex(`${prefix}04${one}${"1".padStart(62, "0")}`))).toBeNull();
  });

  it("tells the small-order points from those whose encoding differs in the top byte only", () => {
    let accepted = 0;
    for (const low of ["01", "ec", "00", "26"]) {
      for (let top = 1; top < 0x7f; top++) {
        const raw = hex(`${low}${"00".repeat(30)}${top.toString(16).padStart(2, "0")}`);
        let isPoint = true;
        try {
          ed25519Curve.Point.fromBytes(raw);
        } catch {
          isPoint = false;
        }
        expect(parsePublicKey(spkiFromEd25519(raw)) !== null, toHex(raw)).toBe(isPoint);
        if (isPoint) accepted += 1;
      }
    }
    expect(accepted).toBeGreaterThan(100);
  });

  it("refuses every one-bit change of a P-256 key", () => {
    for (let bit = 0; bit < p256.length * 8; bit++) {
      const changed = new Uint8Array(p256);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(parsePublicKey(changed), `bit ${bit}`).toBeNull();
    }
    expect(parsePublicKey(concatBytes(p256))).not.toBeNull();
  });
});
