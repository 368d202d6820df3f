/** The whole of `fixtures/` in memory: every path with its bytes. */
import { encodeUtf8 } from "../../../src/encoding/utf8.js";
import { FAILURE_CODES, type FailureCode } from "../../../src/errors.js";
import { type Inputs, inputsOf, jsonFile } from "./files.js";
import { CANNOT_OCCUR, INVALID_CASES } from "./index.js";
import { buildInvalid, expectedCheck, type InvalidCase } from "./invalid.js";
import { VALID_CASES } from "./valid.js";

/** What `case.json` says. */
export interface CaseDescription {
  /** The verification time. */
  readonly at: string;
  readonly verdict: "ACCEPTED" | "REJECTED";
  readonly first_failure: {
    readonly code: FailureCode;
    readonly check: string;
    /** The input that the pointer leads into. */
    readonly source: string;
    readonly pointer: string;
  } | null;
  /** Directory of the valid case that this one is a single change away from. */
  readonly derived_from: string | null;
}

/** Paths below `fixtures/`, with `/` between folders, in the order of the cases. */
export async function fixtureFiles(): Promise<ReadonlyMap<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const put = (path: string, bytes: Uint8Array): void => {
    if (files.has(path)) throw new Error(`two cases write ${path}`);
    files.set(path, bytes);
  };
  for (const { name, make, encoding, indent, why } of VALID_CASES) {
    const inputs = inputsOf(await make(), encoding, indent);
    const description = {
      at: inputs.at,
      verdict: "ACCEPTED",
      first_failure: null,
      derived_from: null,
    } as const;
    putCase(put, `valid/${name}`, inputs, encoding, description, `# ${name}\n\n${why}\n`);
  }
  for (const entry of INVALID_CASES) {
    const inputs = await buildInvalid(entry);
    const encoding =
      entry.encoding ?? VALID_CASES.find(({ name }) => name === entry.parent)?.encoding ?? "json";
    const { code, name, parent, why, how } = entry;
    const text = `# ${code}: ${name}\n\n${why}\n\nMade from \`valid/${parent}\`. ${how}\n`;
    putCase(put, `invalid/${code}/${name}`, inputs, encoding, describe(entry, inputs), text);
  }
  put("README.md", encodeUtf8(readme()));
  return files;
}

function describe(entry: InvalidCase, inputs: Inputs): CaseDescription {
  return {
    at: inputs.at,
    verdict: "REJECTED",
    first_failure: {
      code: entry.code,
      check: expectedCheck(entry),
      source: entry.source ?? "bundle",
      pointer: entry.pointer,
    },
    derived_from: `valid/${entry.parent}`,
  };
}

function putCase(
  put: (path: string, bytes: Uint8Array) => void,
  directory: string,
  inputs: Inputs,
  encoding: "json" | "cbor",
  description: CaseDescription,
  text: string,
): void {
  put(`${directory}/README.md`, encodeUtf8(text));
  put(`${directory}/bundle.${encoding}`, inputs.bundle);
  put(`${directory}/case.json`, jsonFile(description));
  for (const side of ["trust", "expectations", "supplement", "heads"] as const) {
    const bytes = inputs[side];
    if (bytes !== null) put(`${directory}/${side}.json`, bytes);
  }
}

function readme(): string {
  const rows = (Object.keys(FAILURE_CODES) as FailureCode[]).map((code) => {
    const count = INVALID_CASES.filter((entry) => entry.code === code).length;
    return `| \`${code}\` | ${FAILURE_CODES[code]} | ${count} |`;
  });
  const never = Object.entries(CANNOT_OCCUR).map(([code, reason]) => `| \`${code}\` | ${reason} |`);
  return `# Fixtures

${VALID_CASES.length} cases that a verifier must accept and ${INVALID_CASES.length} that it must reject, each rejected one a single change away from
an accepted one. All of this folder is written by \`npm run fixtures\`; the same source always gives the same bytes,
and a test holds the folder to them. The keys come from published labels: never trust them outside of tests.

A case is a directory:

| file | holds |
| --- | --- |
| \`bundle.json\` or \`bundle.cbor\` | the bytes of the bundle, broken ones included |
| \`trust.json\` | the trust policy; where it is missing, none is given |
| \`expectations.json\`, \`supplement.json\`, \`heads.json\` | the optional inputs, where the case has them |
| \`case.json\` | verification time, verdict, and the first failure: code, check, JSON Pointer, and the input that the pointer leads into |
| \`README.md\` | why, and how it was made |

\`derived_from\` in \`case.json\` names the accepted case. Exactly one input differs from that one's: put the accepted
case's file (or time) in its place, and the verdict is ACCEPTED. What a changed statement supports is signed and
anchored again over the change, unless the case says otherwise, so that nothing but the change is wrong.

## Cases for each code

| code | meaning | cases |
| --- | --- | --- |
${rows.join("\n")}

## Codes without a case

| code | why it cannot occur in this version |
| --- | --- |
${never.join("\n")}
`;
}
