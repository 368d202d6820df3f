/** Fuzz targets of layer 5: everything that a log, a witness or an auditor writes as C2SP text. */
import { formatCheckpoint, parseCheckpoint } from "../../src/anchors/checkpoint.js";
import { formatNote, parseNote } from "../../src/anchors/note.js";
import { checkTlogProof } from "../../src/anchors/tlog.js";
import {
  checkTlogTrust,
  parseTlogPolicy,
  parseTlogTrust,
  trustFromPolicy,
} from "../../src/anchors/tlog-policy.js";
import { formatTlogProof, parseTlogProof } from "../../src/anchors/tlog-proof.js";
import { quorumMet, type TlogTrust } from "../../src/anchors/tlog-trust.js";
import { makeVerifierKey, parseVerifierKey } from "../../src/anchors/verifier-key.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { LOG_ORIGIN, logSigner, MemoryLog, witness } from "../support/log.js";
import { basePolicy } from "../support/trust.js";
import { type FuzzTarget, hold, textTarget } from "./target.js";

const ENTRY = encodeUtf8("the entry");
const TOKENS: readonly string[] = [
  ...[
    "c2sp.org/tlog-proof@v1\n",
    "index 0\n",
    "index 3\n",
    "extra AA==\n",
    "\n\n",
    "\n",
    "\u2014 ",
    "\u2014 a AAAAAAA=\n",
  ],
  ...[
    "+",
    "AA==",
    "9007199254740992",
    "00",
    "-1",
    "18446744073709551616",
    "\u0085",
    "\u00a0",
    " ",
    "\r\n",
    "\u0000",
  ],
];

let proofText = "";
let rootOfProof = "";

/** One genuine proof with three cosignatures, and the texts inside it. */
async function proof(): Promise<string> {
  if (proofText !== "") return proofText;
  const log = new MemoryLog();
  const cosigners = [1, 2, 3].map((number) => ({ witness: number, time: number }));
  proofText = (await log.anchor({ entry: ENTRY, cosigners })).proof;
  rootOfProof = log.head().root;
  return proofText;
}

async function note(): Promise<string> {
  return parseTlogProof(await proof())?.checkpoint ?? "";
}

function trustOf(): TlogTrust {
  const { tlog } = basePolicy();
  const read = parseTlogTrust({
    logs: tlog.logs.map(({ vkey, ...log }) => ({ ...log, key: vkey })),
    witnesses: tlog.witnesses.map(({ vkey, ...one }) => ({ ...one, key: vkey })),
    groups: tlog.groups,
    quorum: tlog.quorum,
  });
  if (read === null) throw new Error("the test policy must be usable");
  return read;
}

const trust = trustOf();

function runProof(text: string): void {
  const parsed = parseTlogProof(text);
  if (parsed !== null) hold(formatTlogProof(parsed) === text, "another text comes back");
  const outcome = checkTlogProof(text, ENTRY, trust);
  hold(parsed !== null || outcome.kind === "wrong", "a text that cannot be read proves something");
  if (outcome.kind !== "checked") return;
  hold(outcome.root === rootOfProof && outcome.index === 3, "proven in a tree that the log never signed");
  hold(outcome.cosigners.length === new Set(outcome.cosigners.map(({ name }) => name)).size, "counted twice");
  hold(outcome.quorumMet === outcome.cosigners.length >= 2, "the quorum is counted wrongly");
}

function runNote(text: string): void {
  const parsed = parseNote(text);
  if (parsed === null) return;
  hold(formatNote(parsed.text, parsed.signatures) === text, "another text comes back");
  const named = new Set(parsed.signatures.map(({ name, keyId }) => `${keyId} ${name}`));
  hold(named.size === parsed.signatures.length && named.size > 0, "a key signs twice, or nobody signs");
}

function runCheckpoint(text: string): void {
  const parsed = parseCheckpoint(text);
  if (parsed === null) return;
  hold(formatCheckpoint(parsed) === text, "another text comes back");
  hold(Number.isSafeInteger(parsed.size) && parsed.root.length === 32, "size or root out of range");
}

function runVerifierKey(text: string): void {
  const key = parseVerifierKey(text);
  if (key === null) return;
  hold(key.vkey === text, "another text comes back");
  hold(makeVerifierKey(key.name, key.type, key.key.spki)?.vkey === text, "another key comes back");
}

function runPolicy(text: string): void {
  const policy = parseTlogPolicy(text);
  if (policy === null) return;
  const reason = checkTlogTrust(trustFromPolicy(policy, []));
  hold(reason === null || policy.logs.length === 0, "a policy that is read is not usable");
  const all = new Set(policy.witnesses.map(({ name }) => name));
  hold(quorumMet(policy, all), "all witnesses together are not enough");
  hold(policy.quorum === "none" || !quorumMet(policy, new Set()), "nobody at all is enough");
}

function policyText(): string {
  const lines = [1, 2, 3].map(
    (number) => `witness w${number} ${witness(number).key.vkey} https://w${number}.example/`,
  );
  return `# a policy\nlog ${logSigner().key.vkey} https://log.example/\n${lines.join("\n")}\ngroup g 2 w1 w2 w3\ngroup all all g\nquorum g\n`;
}

export const ANCHOR_TARGETS: readonly FuzzTarget[] = [
  textTarget({
    name: "tlog-proof",
    seeds: async () => [await proof()],
    tokens: TOKENS,
    maxBytes: 4_096,
    run: runProof,
  }),
  textTarget({
    name: "note",
    seeds: async () => [await note()],
    tokens: TOKENS,
    maxBytes: 2_048,
    run: runNote,
  }),
  textTarget({
    name: "checkpoint",
    seeds: async () => [
      parseNote(await note())?.text ?? "",
      `${LOG_ORIGIN}\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\next\n`,
    ],
    tokens: TOKENS,
    maxBytes: 1_024,
    run: runCheckpoint,
  }),
  textTarget({
    name: "vkey",
    seeds: () => [logSigner().key.vkey, witness(1).key.vkey],
    tokens: TOKENS,
    maxBytes: 1_100,
    run: runVerifierKey,
  }),
  textTarget({
    name: "tlog-policy",
    seeds: () => [policyText()],
    tokens: [
      "log ",
      "witness ",
      "group ",
      "quorum ",
      "none",
      " any ",
      " all ",
      "\n",
      "\t",
      "#",
      " 0 ",
      " 2 ",
      "w1",
      "g",
      ...TOKENS,
    ],
    maxBytes: 2_048,
    run: runPolicy,
  }),
];
