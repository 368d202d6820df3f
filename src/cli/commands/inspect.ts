/** `osa-proof inspect BUNDLE`: what is inside, without judging it. */
import type { Command } from "commander";
import { encodingOf } from "../../bundle/codec.js";
import type { CommittedValue } from "../../statements/commitment.js";
import { readBundle } from "../bundle-input.js";
import type { CommandContext, Register } from "../command.js";
import { type InspectionV1, inspectBundle } from "../inspection.js";
import { openBundle } from "../open-bundle.js";
import {
  byteSize,
  counted,
  jsonText,
  paint,
  printable,
  short,
  shortDigest,
  table,
  writeLines,
} from "../print.js";

/** Longest disclosed value shown on a terminal, in characters; --json shows all of it. */
const VALUE_CHARACTERS = 160;
/** Rows of one section; --json shows all. */
const SHOWN_ROWS = 50;

const NOTHING_VERIFIED =
  "Nothing here is verified; this is what the bundle says. To judge it: osa-proof verify";

function section(
  context: CommandContext,
  title: string,
  rows: readonly (readonly string[])[],
): readonly string[] {
  if (rows.length === 0) return [];
  const rest = rows.length - SHOWN_ROWS;
  return [
    paint(context, "heading", title),
    ...table(rows.slice(0, SHOWN_ROWS).map((row) => row.map(printable))),
    ...(rest > 0 ? [`  and ${rest} more; --json shows all`] : []),
  ];
}

/** One line of a committed value: its status, then its content, cut. */
export function valueText(value: CommittedValue): string {
  const status = value.status === undefined ? "" : `${value.status} `;
  if (value.blob !== undefined) {
    const { media_type: mediaType, size, sha256 } = value.blob;
    return `${status}blob of ${byteSize(size)}, ${short(mediaType, 60)}, SHA-256 ${sha256}`;
  }
  if (value.bytes !== undefined) {
    const bytes = (value.bytes.length - 2) / 2;
    return `${status}${byteSize(bytes)}: ${short(value.bytes, VALUE_CHARACTERS)}`;
  }
  return `${status}${short(JSON.stringify(value.json), VALUE_CHARACTERS)}`;
}

function lines(context: CommandContext, seen: InspectionV1, encoding: string): readonly string[] {
  const rows = (title: string, cells: readonly (readonly string[])[]): readonly string[] =>
    section(context, title, cells);
  const span = seen.first_issued_at === null ? "none" : `${seen.first_issued_at} to ${seen.last_issued_at}`;
  const anchors = (types: readonly string[]): string =>
    types.length === 0 ? "no anchor" : `anchors: ${types.join(", ")}`;
  return [
    paint(context, "heading", NOTHING_VERIFIED),
    ...table([
      ["namespace", printable(seen.namespace_id)],
      ["mission", printable(seen.mission_id)],
      ["claim", `scope ${seen.scope}, ${counted(seen.targets.length, "target")}`],
      ["receipts", `${seen.receipts}, issued ${span}`],
      [
        "size",
        `${byteSize(seen.bytes.given)} as ${encoding} (JSON ${byteSize(seen.bytes.json)}, CBOR ${byteSize(seen.bytes.cbor)})`,
      ],
      [
        "also",
        [
          counted(seen.root_rotations, "root rotation"),
          counted(seen.session_seals, "session seal"),
          counted(seen.policies, "policy document"),
          counted(seen.attestations.length, "attestation"),
        ].join(", "),
      ],
    ]),
    ...rows(
      "Targets",
      seen.targets.map((target) => [target]),
    ),
    ...rows(
      "Agents and runtimes",
      seen.agents.flatMap(({ agent_id: agent, runtimes }) =>
        runtimes.length === 0
          ? [[agent, "no runtime"]]
          : runtimes.map((runtime) => [
              agent,
              `runtime ${runtime.runtime_id}`,
              `session ${runtime.session_id}`,
              counted(runtime.receipts, "receipt"),
              runtime.closed_by === null
                ? "not closed"
                : `closed by its ${runtime.closed_by === "agent" ? "agent" : "own key"}`,
            ]),
      ),
    ),
    ...rows(
      "Tools",
      seen.tools.map(({ tool, receipts }) => [tool, counted(receipts, "receipt")]),
    ),
    ...rows(
      "Delegations",
      seen.delegations.map((delegation) => [
        delegation.delegation_id,
        `${delegation.agent_id} to ${delegation.to}`,
        `until ${delegation.not_after}`,
        short(delegation.tools.join(", "), 60),
      ]),
    ),
    ...rows(
      "Evidence trees",
      seen.evidence_trees.map((tree) => [
        shortDigest(tree.root),
        `${tree.mode}, ${tree.shown_leaves} of ${counted(tree.tree_size, "leaf", "leaves")} shown`,
        anchors(tree.anchors),
      ]),
    ),
    ...rows(
      "Revocation lists",
      seen.revocation_lists.map((list) => [
        `number ${list.list_number}`,
        `issued ${list.issued_at}, good until ${list.not_after}`,
        counted(list.entries, "revoked key"),
        anchors(list.anchors),
      ]),
    ),
    ...rows(
      "Disclosed values",
      seen.disclosures.map(({ receipt_digest: digest, tool, value }) => [
        shortDigest(digest),
        tool ?? "receipt not here",
        value.kind,
        valueText(value),
      ]),
    ),
  ];
}

async function inspect(context: CommandContext, file: string, options: { json?: true }): Promise<void> {
  const bytes = await readBundle(context, file);
  const seen = inspectBundle(openBundle(file, bytes), bytes.length);
  if (options.json) context.out(`${jsonText(seen)}\n`);
  else writeLines(context, lines(context, seen, encodingOf(bytes) === "cbor" ? "CBOR" : "JSON"));
}

export const register: Register = (program: Command, context: CommandContext) => {
  program
    .command("inspect")
    .description("show what is inside a bundle; verifies nothing")
    .argument("<bundle>", "the bundle, or - for standard input")
    .option("--json", "print it as JSON")
    .action((file: string, options: { json?: true }) => inspect(context, file, options));
};
