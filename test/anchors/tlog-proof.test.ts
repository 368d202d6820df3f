import { describe, expect, it } from "vitest";
import { formatTlogProof, parseTlogProof } from "../../src/anchors/tlog-proof.js";
import { sha256Hex } from "../../src/crypto/digest.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { present, SAMPLE_PROOF } from "./support.js";

const HASH = "vBoGQ7EuTS18d5GPROD095qDi2z57FtcKD4fTYhZnms=\n";

/** The sample with so many bytes, by a line of this character at its end. */
function filled(length: number, character: string): string {
  const left = length - encodeUtf8(SAMPLE_PROOF).length - 1;
  const size = encodeUtf8(character).length;
  return `${SAMPLE_PROOF}${character.repeat(Math.floor(left / size))}${"x".repeat(left % size)}\n`;
}

/** Reading does not look into the checkpoint. */
const shortest = `${SAMPLE_PROOF.slice(0, SAMPLE_PROOF.indexOf("\n"))}\nindex 0\n\n`;

describe("parseTlogProof", () => {
  it("has the sample as it was made", () => {
    expect(sha256Hex(encodeUtf8(SAMPLE_PROOF))).toBe(
      "0xce3c73c53c32c2e2a2b89bff9aea942bd26d31b225615052197070004f3766fa",
    );
    expect(sha256Hex(encodeUtf8(present(parseTlogProof(SAMPLE_PROOF)).checkpoint))).toBe(
      "0xad0a66a0d320807ec5a144df9e8af830db704acae9f14b5d763f20383a72c20e",
    );
  });

  it.each([
    ["the sample", SAMPLE_PROOF, 5, 3],
    [
      "no hashes",
      SAMPLE_PROOF.replace(/(?:[A-Za-z0-9+/]{43}=\n){3}/, "").replace("index 5", "index 0"),
      0,
      0,
    ],
    ["63 hashes", SAMPLE_PROOF.replace(HASH, HASH.repeat(61)), 5, 63],
    ["the largest index", SAMPLE_PROOF.replace("index 5", "index 9007199254740991"), 9007199254740991, 3],
    ["an extra line", SAMPLE_PROOF.replace("index", "extra AAEC\nindex"), 5, 3],
    ["an empty extra line", SAMPLE_PROOF.replace("index", "extra \nindex"), 5, 3],
    ["65,536 bytes", filled(65_536, "x"), 5, 3],
    ["65,536 bytes in fewer characters", filled(65_536, "é"), 5, 3],
    ["65,536 bytes of ASCII", shortest.padEnd(65_536, "x"), 0, 0],
  ])("reads %s and writes it back", (_, text, index, hashes) => {
    const proof = present(parseTlogProof(text));
    expect(proof.index).toBe(index);
    expect(proof.path.length).toBe(hashes);
    expect(formatTlogProof(proof)).toBe(text);
  });

  it.each([
    ["nothing", ""],
    ["no first line", SAMPLE_PROOF.slice(SAMPLE_PROOF.indexOf("index"))],
    ["another version", SAMPLE_PROOF.replace("@v1", "@v2")],
    ["no index", SAMPLE_PROOF.replace("index 5\n", "")],
    ["a second index", SAMPLE_PROOF.replace("index 5\n", "index 5\nindex 5\n")],
    ["a leading zero", SAMPLE_PROOF.replace("index 5", "index 05")],
    ["a negative index", SAMPLE_PROOF.replace("index 5", "index -5")],
    ["an index beyond 2^53-1", SAMPLE_PROOF.replace("index 5", "index 9007199254740992")],
    ["extra behind the index", SAMPLE_PROOF.replace("index 5\n", "index 5\nextra AAEC\n")],
    ["two extra lines", SAMPLE_PROOF.replace("index", "extra AAEC\nextra AAEC\nindex")],
    ["extra that is no base64", SAMPLE_PROOF.replace("index", "extra !\nindex")],
    ["64 hashes", SAMPLE_PROOF.replace(HASH, HASH.repeat(62))],
    ["a hash of 31 bytes", SAMPLE_PROOF.replace(HASH, "vBoGQ7EuTS18d5GPROD095qDi2z57FtcKD4fTYhZng==\n")],
    ["a hash of 33 bytes", SAMPLE_PROOF.replace(HASH, "vBoGQ7EuTS18d5GPROD095qDi2z57FtcKD4fTYhZnmsA\n")],
    ["a hash with unused bits set", SAMPLE_PROOF.replace("Znms=", "Znmt=")],
    ["no checkpoint", SAMPLE_PROOF.slice(0, SAMPLE_PROOF.indexOf("\n\n") + 1)],
    ["more than 65,536 bytes", SAMPLE_PROOF.replace("index", `extra ${"AAAA".repeat(16_384)}\nindex`)],
    ["65,537 bytes", filled(65_537, "x")],
    ["65,537 bytes of ASCII", shortest.padEnd(65_537, "x")],
    ["65,537 bytes in fewer characters", filled(65_537, "é")],
    ["nothing but the first line", SAMPLE_PROOF.replace(/index 5\n(?:[A-Za-z0-9+/]{43}=\n){3}/, "")],
    ["a lone surrogate", SAMPLE_PROOF.replace("example.com/log", "\ud800")],
  ])("refuses %s", (_, text) => {
    expect(parseTlogProof(text)).toBeNull();
    expect(parseTlogProof(SAMPLE_PROOF)).not.toBeNull();
  });
});
