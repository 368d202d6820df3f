// Runs the first verifier, as a black box, over every *.jsonl file of a directory.
// A line holds the inputs of one case in base64; the answer goes to stdout, one line for each case.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const { verifyBundle } = await import(process.env.OSA_PROOF_VERIFIER ?? "../../dist/verifier/index.js");
const directory = process.argv[2];
const bytes = (text) =>
  text === null || text === undefined ? undefined : new Uint8Array(Buffer.from(text, "base64"));

for (const name of readdirSync(directory)
  .filter((entry) => entry.endsWith(".jsonl"))
  .sort()) {
  for (const line of readFileSync(join(directory, name), "utf8").split("\n")) {
    if (line === "") continue;
    const inputs = JSON.parse(line);
    const options = { at: inputs.at };
    for (const member of ["expectations", "supplement", "heads"]) {
      const given = bytes(inputs[member]);
      if (given !== undefined) options[member] = given;
    }
    const report = verifyBundle(bytes(inputs.bundle), bytes(inputs.trust), options);
    const { verdict, first_failure: first, expectations_digest, supplement_digest, heads_digest } = report;
    const given = [expectations_digest, supplement_digest, heads_digest].map((digest) => digest !== null);
    const failure = first && {
      code: first.code,
      check: first.check,
      pointer: first.pointer,
      source: first.source,
    };
    process.stdout.write(`${JSON.stringify({ verdict, first_failure: failure, given })}\n`);
  }
}
