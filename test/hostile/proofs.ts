/** Changes of the lines of a tlog-proof text. */
import type { Replacement } from "./leaves.js";

const BASE64 = /^(?:— \S+ )?[A-Za-z0-9+/]+=*$/;

export function* proofChanges(proof: string): Generator<Replacement> {
  if (!proof.startsWith("c2sp.org/")) return;
  const changed = (detail: string, value: string): Replacement => ({ kind: "proof line", detail, value });
  const lines = proof.split("\n");
  const last = lines.length - 1;
  const first = lines.findIndex((line) => line.startsWith("— "));
  const rebuilt = (detail: string, other: readonly string[]): Replacement =>
    changed(detail, other.join("\n"));
  for (const [index, line] of lines.entries()) {
    if (index === last) continue;
    const what = `${describe(index, first)}${index}`;
    yield rebuilt(`${what} removed`, lines.toSpliced(index, 1));
    yield rebuilt(`${what} doubled`, lines.toSpliced(index, 0, line));
    yield rebuilt(`${what} swapped`, lines.toSpliced(index, 2, lines[index + 1] ?? "", line));
    yield rebuilt(`${what} upper-cased`, lines.with(index, line.toUpperCase()));
    yield rebuilt(`${what} padded`, lines.with(index, `${line} `));
    if (!BASE64.test(line)) continue;
    const start = line.lastIndexOf(" ") + 1;
    for (const place of new Set([start, start + 8, (start + line.length) >> 1, line.length - 3])) {
      const character = line[place] === "A" ? "B" : "A";
      yield rebuilt(
        `${what} flipped at ${place}`,
        lines.with(index, line.slice(0, place) + character + line.slice(place + 1)),
      );
    }
    yield rebuilt(`${what} truncated`, lines.with(index, line.slice(0, -4)));
    yield rebuilt(`${what} extended`, lines.with(index, `${line}AAAA`));
    yield rebuilt(`${what} unpadded`, lines.with(index, line.replaceAll("=", "")));
  }
  for (const index of ["0", "1", "2", "01", "9007199254740991", "9007199254740992", "-1", ""]) {
    yield changed(`index ${index}`, proof.replace(/^index .*$/m, `index ${index}`));
  }
  for (const size of ["0", "1", "100", "9007199254740991"]) {
    yield rebuilt(`size ${size}`, lines.with(first - 3, size));
  }
  yield changed("extra", lines.toSpliced(1, 0, "extra AAAA").join("\n"));
  yield changed("extra of nothing", lines.toSpliced(1, 0, "extra ").join("\n"));
  yield changed("extra not base64", lines.toSpliced(1, 0, "extra !").join("\n"));
  yield changed("line of an unknown key", `${proof}— other.example.com AAAAAAAA\n`);
  yield changed("carriage returns", proof.replaceAll("\n", "\r\n"));
  yield changed("last line feed cut", proof.slice(0, -1));
  yield changed("line feed behind", `${proof}\n`);
  yield changed("other version", proof.replace("@v1", "@v2"));
}

function describe(index: number, firstSignature: number): string {
  return index >= firstSignature ? `signature line ` : "line ";
}
