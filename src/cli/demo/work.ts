/** The demo's real work: invoices, and small programs that list, add up, count and check them. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const INVOICES: Readonly<Record<string, string>> = {
  "2026-11-03-paper.csv": "item,cents\npaper,1250\nenvelopes,480\n",
  "2026-11-12-train.csv": "item,cents\nticket to Lyon,8900\nticket back,8900\n",
  "2026-11-27-hosting.csv": "item,cents\nserver,4200\n",
};

const READ_LINES = `import { readFileSync, readdirSync, writeFileSync } from "node:fs";
const files = readdirSync("invoices").sort();
const lines = files.flatMap((file) => readFileSync("invoices/" + file, "utf8").trim().split("\\n").slice(1));
`;

const SCRIPTS: Readonly<Record<string, string>> = {
  "list.mjs": `${READ_LINES}writeFileSync("plan.txt", files.join("\\n") + "\\n");
console.log("found " + files.length + " invoices");
`,
  "sum.mjs": `${READ_LINES}const cents = lines.reduce((sum, line) => sum + Number(line.split(",")[1]), 0);
writeFileSync("sum.txt", String(cents) + "\\n");
console.log("sum " + cents);
`,
  "count.mjs": `${READ_LINES}writeFileSync("count.txt", lines.length + "\\n");
console.log("counted " + lines.length + " lines");
`,
  "check.mjs": `import { readFileSync, writeFileSync } from "node:fs";
const cents = Number(readFileSync("sum.txt", "utf8"));
const lines = Number(readFileSync("count.txt", "utf8"));
if (!Number.isInteger(cents) || lines < 1) throw new Error("the sum or the count is missing");
writeFileSync("report.txt", "November: " + lines + " lines, " + (cents / 100).toFixed(2) + " EUR\\n");
console.log("report written");
`,
  "pay.mjs": `import { writeFileSync } from "node:fs";
writeFileSync("payment.txt", "pay 237.30 EUR to account 7\\n");
console.log("payment ordered");
`,
};

/** Writes invoices and programs into a folder and gives its path. */
export async function prepareWork(folder: string): Promise<string> {
  const work = join(folder, "work");
  await mkdir(join(work, "invoices"), { recursive: true });
  for (const [name, text] of Object.entries(INVOICES)) await writeFile(join(work, "invoices", name), text);
  for (const [name, text] of Object.entries(SCRIPTS)) await writeFile(join(work, name), text);
  return work;
}
