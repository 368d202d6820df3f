/**
 * Faults that tools of this kind are known to make, by number, each in one sentence, and the page that says which tests
 * stand against each. A number is covered when the title of a test names it; one without a test says what it waits for.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

export interface FieldFault {
  readonly number: string;
  /** What this project holds itself to. */
  readonly statement: string;
  /** What is not built yet, where no test, or not every part of one, can exist. */
  readonly waitsFor?: string;
}

export interface NamedTest {
  /** From the root of the project, with forward slashes. */
  readonly file: string;
  readonly title: string;
  readonly numbers: readonly string[];
}

const GROUPS: readonly (readonly [title: string, faults: readonly (readonly [number, string, string?])[]])[] =
  [
    [
      "Reading bytes and canonical form",
      [
        [1, "A member name that stands twice in one object is refused before anything is hashed."],
        [2, "Half a surrogate pair is refused wherever it stands, and is never replaced or escaped."],
        [3, "Numbers that doubles cannot hold exactly have one written answer each, and none becomes null."],
        [4, "Member names sort by UTF-16 code unit, outside the basic plane too."],
        [5, "Canonical bytes are RFC 8785; JSON that is merely sorted is told apart from it."],
        [7, "No order depends on a locale."],
        [9, "Null and absent are two different things, and each member says which it allows."],
        [10, "What is canonicalised is the value as read, without defaults put in or taken out."],
        [11, "A file that was laid out anew still verifies; one that was damaged fails by its encoding."],
        [13, "A member that the schema does not have is refused by that name."],
        [14, "An unknown or missing version is refused before the members beside it are looked at."],
        [16, "Input of any shape gets a verdict and never an exception."],
      ],
    ],
    [
      "Keys and signatures",
      [
        [18, "A signer cannot vouch for its own key."],
        [19, "Where nothing is pinned nothing is accepted."],
        [20, "Key type and algorithm label must agree, and a key of another type never verifies."],
        [21, "ECDSA signatures are read in strict DER only, alike on every platform."],
        [22, "Only low-S signatures are accepted, and signers make them so."],
        [24, "ECDSA signatures survive the way between DER and raw, leading zero bytes included."],
        [25, "A key holder that answers in DER and one that answers raw lead to the same bytes."],
        [26, "Every byte that a verdict rests on is under a signature or checked against one."],
        [28, "A hash or an HMAC cannot stand where a signature stands."],
        [30, "A signed record that something was denied, failed or is over does not open a gate."],
        [32, "Private key files are for their owner alone, and one that cannot be used stops the command."],
        [33, "No secret is taken from, or written to, arguments, messages or the environment of a command."],
        [34, "Rotation keeps old work valid, needs the old root's signature, and brings no root back."],
        [
          35,
          "Signers for PKCS#11 tokens and key services work against a software token.",
          "signers for PKCS#11 and KMS; `createExternalSigner` is the interface they will use",
        ],
      ],
    ],
    [
      "Delegation",
      [
        [
          36,
          "A chain that is forged, signed by a stranger, expired, revoked or circular fails, each by its reason.",
        ],
        [38, "Tools are compared whole: no wildcard, no prefix, no folding of case or path."],
        [39, "A delegation is worth something only to the agent and runtime it was given to."],
        [40, "A delegation must carry a signature and the signature must verify."],
        [42, "Every link's window is held against the time of the receipt."],
        [43, "That a child only narrows its parent is worked out, never believed."],
        [45, "Who may give a mandate is checked, not only that somebody signed it."],
      ],
    ],
    [
      "Revocation and freshness",
      [
        [46, "Having no revocation list is a failure of its own."],
        [48, "A list older than one that was seen is refused even before it expires."],
        [
          50,
          "Dating a receipt back does not save a revoked key, and neither does the mere presence of an anchor.",
        ],
        [51, "No position in a log, and no anchor on another log, excuses a revoked key."],
        [52, "A revocation list is dated by an anchor of its own."],
        [
          54,
          "A key record that was fetched and says revoked must count.",
          "key records fetched from a server; revocation comes in signed lists only, see 46 to 52",
        ],
        [
          55,
          "Old offline material is warned about, and refused when it is very old.",
          "an age of the trust policy itself, and the step of a warning before the refusal; for revocation lists the refusal is there",
        ],
      ],
    ],
    [
      "Graph of receipts",
      [
        [56, "A cut tail fails where a whole session is claimed, and is said where it is not."],
        [58, "Two receipts of one runtime under one sequence are reported with both digests."],
        [60, "Parents are a bounded set under the signature, and shared ancestors cost nothing extra."],
        [61, "A missing parent, a foreign one and a contradiction of order have different reasons."],
        [63, "Denied and failed actions are receipts and stand in the graph."],
        [64, "A link covers the parent's signature as well as its content."],
        [65, "Command and library give one report on one file."],
        [
          66,
          "Time and memory for 100,000 receipts are published.",
          "a measurement, which is no test because it depends on the machine: `npm run bench`",
        ],
      ],
    ],
    [
      "Trees and anchors",
      [
        [68, "Doubling the last leaf makes another root."],
        [70, "A genuine proof of another entry is refused as such."],
        [71, "Half an anchor is a wrong one, not a missing one."],
        [73, "A path counts under the log's signature only, wherever its line stands in the note."],
        [75, "The same tree may be cosigned again later."],
        [
          76,
          "Time-stamp tokens are bound to digest, nonce, chain, purpose and list of authorities.",
          "RFC 3161 anchors; today an anchor of that type is reported as not counted",
        ],
        [77, "Every cosignature that is there must verify, and a quorum counts distinct witnesses."],
        [79, "The verifier has no way to the network, the file system or the clock."],
        [80, "Nothing pinned is remembered between runs, so a change to it is noticed at once."],
        [
          82,
          "An anchor on another log, or past the head of its log, anchors nothing, and forks are refused.",
        ],
      ],
    ],
    [
      "Attestation",
      [
        [
          83,
          "Nitro documents are held to age, measurements, root and key.",
          "a decoder for Nitro documents; until then a required one fails",
        ],
        [
          84,
          "SEV-SNP reports are held to chain, data, TCB, chip, debug bit and level.",
          "a decoder for SEV-SNP reports; until then a required one fails",
        ],
      ],
    ],
    [
      "Verdicts and the command",
      [
        [85, "Empty input of any kind is never a pass."],
        [86, "Each question has its own line, and what could not be checked is neither pass nor fail."],
        [87, "Exit code and text agree, and no argument is dropped."],
        [
          89,
          "Each negative case is one change away from an accepted one, and fails by the rule it is named for.",
        ],
        [91, "Every report states what it does not prove."],
        [92, "A claim of whole work needs the records that make it whole."],
        [
          96,
          "The published cases pass on a fresh clone, on Windows as on Linux.",
          "a run on Windows; on Linux every case is compared byte for byte with what the generator writes",
        ],
      ],
    ],
    [
      "Privacy",
      [
        [97, "Equal values have different commitments, under 256-bit salts that no receipt holds."],
        [
          98,
          "A guessable argument or result is not found by trying values. The name of the tool is public by design.",
        ],
        [99, "An opening fits one field of one receipt."],
        [100, "A bundle without its openings still verifies."],
      ],
    ],
    [
      "Integration",
      [
        [
          102,
          "A hook before an action refuses when it cannot record; one after it can claim no decision.",
          "hooks and an MCP proxy",
        ],
        [103, "Failed and interrupted calls leave a receipt."],
        [105, "The verifier runs where there is no Node.js."],
        [
          106,
          "Arguments that were authorised are compared with those that ran.",
          "authorisations of single actions, which the MCP proxy and hooks will check",
        ],
        [
          107,
          "A receipt is on disk before the effect is reported.",
          "hooks and an MCP proxy; `osa-proof exec` records after the command has ended",
        ],
      ],
    ],
  ];

function nameOf(number: number): string {
  return `F${String(number).padStart(3, "0")}`;
}

export const FIELD_FAULTS: readonly FieldFault[] = GROUPS.flatMap(([, faults]) =>
  faults.map(([number, statement, waitsFor]) => ({
    number: nameOf(number),
    statement,
    ...(waitsFor === undefined ? {} : { waitsFor }),
  })),
);

/** A title that begins with numbers, as an argument of its own or in an array of titles. */
const TITLE = /(["'`])((?:F\d{3} )+)((?:(?!\1)[^\n\\]|\\.)+)\1/g;

/** Every test title under `test/` that begins with the numbers of faults, in the order of files and lines. */
export function namedTests(root: string): readonly NamedTest[] {
  const folder = join(root, "test");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join(folder, name))
    .sort();
  return files.flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(TITLE)].map((match) => ({
      file: relative(root, path).split(sep).join("/"),
      title: match[3] ?? "",
      numbers: (match[2] ?? "").trim().split(" "),
    })),
  );
}

/** The whole of docs/field-faults.md. */
export function fieldFaultsPage(tests: readonly NamedTest[]): string {
  const lines = [
    "# Field faults",
    "",
    "Mistakes that tools of this kind make in practice, and the tests that keep this one from them. Made by `npm run field-faults` from the titles of the tests; do not edit.",
    "",
  ];
  for (const [title, faults] of GROUPS) {
    lines.push(`## ${title}`, "");
    for (const [number, statement, waitsFor] of faults) {
      const name = nameOf(number);
      lines.push(`**${name}** ${statement}`, "");
      for (const test of tests.filter(({ numbers }) => numbers.includes(name))) {
        lines.push(`- \`${test.file}\`: ${test.title.replaceAll("|", "\\|")}`);
      }
      if (waitsFor !== undefined) lines.push(`- Waits for: ${waitsFor}.`);
      lines.push("");
    }
  }
  return `${lines.join("\n").trimEnd()}\n`;
}
