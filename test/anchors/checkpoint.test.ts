import { describe, expect, it } from "vitest";
import { formatCheckpoint, parseCheckpoint } from "../../src/anchors/checkpoint.js";
import { parseNote } from "../../src/anchors/note.js";
import { openNote } from "../../src/anchors/note-signature.js";
import { parseVerifierKey } from "../../src/anchors/verifier-key.js";
import { haveVectors, present, vectorText } from "./support.js";

const ROOT = "mb8QLQIs0Z0yP5Cstq6guj87oXWeC9gEM8oVikmm9Wk=";
const TEXT = `go.sum database tree\n6476701\n${ROOT}\n`;

describe("parseCheckpoint", () => {
  it.each([
    ["a real one", TEXT],
    ["extension lines", `${TEXT}Timestamp: 1\n \n`],
    ["the largest size", TEXT.replace("6476701", "9007199254740991")],
    ["an empty tree", "log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"],
  ])("reads %s and writes it back", (_, text) => {
    expect(formatCheckpoint(present(parseCheckpoint(text)))).toBe(text);
  });

  it.each([
    ["two lines", "log\n1\n"],
    ["no line end", TEXT.slice(0, -1)],
    ["an extension line without end", `${TEXT}Timestamp: 1`],
    ["a lone surrogate in the origin", TEXT.replace("go.sum", "\ud800")],
    ["a lone surrogate in an extension line", `${TEXT}\udfff\n`],
    ["an empty origin", TEXT.replace("go.sum database tree", "")],
    ["an empty extension line", `${TEXT}\n`],
    ["a size with a leading zero", TEXT.replace("6476701", "06476701")],
    ["a size with a sign", TEXT.replace("6476701", "+6476701")],
    ["a size with a space", TEXT.replace("6476701", " 6476701")],
    ["a hexadecimal size", TEXT.replace("6476701", "0x10")],
    ["a size with an exponent", TEXT.replace("6476701", "1e3")],
    ["a size beyond 2^53-1", TEXT.replace("6476701", "9007199254740992")],
    ["a size beyond 64 bits", TEXT.replace("6476701", "3438945738945739845734895735")],
    ["an empty size", TEXT.replace("6476701", "")],
    ["a root of 31 bytes", TEXT.replace(ROOT, "mb8QLQIs0Z0yP5Cstq6guj87oXWeC9gEM8oVikmm9Q==")],
    ["a root of 33 bytes", TEXT.replace(ROOT, "mb8QLQIs0Z0yP5Cstq6guj87oXWeC9gEM8oVikmm9WkA")],
    ["a root with unused bits set", TEXT.replace("9Wk=", "9Wl=")],
    ["a root in hex", TEXT.replace(ROOT, "00".repeat(32))],
    ["an empty tree with another root", `log\n0\n${ROOT}\n`],
  ])("refuses %s", (_, text) => {
    expect(parseCheckpoint(text)).toBeNull();
    expect(parseCheckpoint(TEXT)).not.toBeNull();
  });
});

describe.skipIf(!haveVectors)("public checkpoints", () => {
  it("refuses the bodies that are to be refused, and those whose root is not 32 bytes", () => {
    const bodies: { case: string; body: string; expect: string }[] = JSON.parse(
      vectorText("checkpoint-bodies.json"),
    );
    expect(bodies.length).toBe(8);
    for (const { body } of bodies) expect(parseCheckpoint(body)).toBeNull();
    // The same bodies with a root of the right length are read, so each refusal has its own reason.
    const repaired = bodies
      .filter((body) => body.expect === "parse")
      .map(({ body }) =>
        body
          .split("\n")
          .map((line, i) => (i === 2 ? ROOT : line))
          .join("\n"),
      );
    expect(repaired.length).toBe(3);
    for (const body of repaired) expect(parseCheckpoint(body)).not.toBeNull();
  });

  it.each([
    ["valid", true],
    ["error_header_body_separator", false],
    ["error_no_newline_after_signature", false],
    ["error_no_signatures", false],
    ["error_not_a_number", false],
    ["error_signature_format_invalid", false],
  ])("rekor %s", (name, good) => {
    const note = parseNote(vectorText(`rekor-checkpoints/${name}.txt`));
    const checkpoint = note === null ? null : parseCheckpoint(note.text);
    expect(checkpoint !== null).toBe(good);
    if (checkpoint !== null) expect(checkpoint.extensions.length).toBe(1);
  });

  it("opens every checkpoint of a public log and its mirror", () => {
    const key = present(
      parseVerifierKey("example.com/log/testdata+33d7b496+AeHTu4Q3hEIMHNqc6fASMsq3rKNx280NI+oO5xCFkkSx"),
    );
    for (let size = 0; size <= 15; size++) {
      const opened = present(openNote(vectorText(`tessera-log/checkpoint.${size}`), [key]));
      expect(parseCheckpoint(opened.text)?.size).toBe(size);
    }
    const mirror = present(
      parseVerifierKey("mirror.example.org+3fb148ef+BAAjjch9GyYz0sJsJx7ALhbdAtz2ov0unbzSl1vMp94O"),
    );
    expect(
      parseCheckpoint(present(openNote(vectorText("sunlight-mirror-300/checkpoint"), [mirror])).text)?.size,
    ).toBe(300);
  });
});
