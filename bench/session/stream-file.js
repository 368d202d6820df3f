/** Sessions in the streaming form, written to a file as they are signed: a million receipts fit no bundle in memory. */
import { closeSync, createReadStream, openSync, rmSync, writeSync } from "node:fs";
import { NO_COUNTS, streamLine } from "../../dist/bundle/stream-format.js";
import { runningDigest } from "../../dist/crypto/digest.js";
import { encodeHex } from "../../dist/encoding/hex.js";
import { statementDigest } from "../../dist/index.js";
import { GrowingRoot } from "../../dist/tree/growing-root.js";
import { closeOf, trustPolicy } from "../session.js";
import { anchor } from "./anchor.js";
import { at, chain, NAMESPACE, STEP } from "./chain.js";
import { eachReceipt } from "./receipts.js";

const DIGESTS_PER_LINE = 1_000;
const BUFFER_BYTES = 1_000_000;

/** Writes `count` receipts as lines to a file; gives their digests. */
async function writeReceipts(path, count, made, shape) {
  const file = openSync(path, "w");
  const digests = [];
  let [lines, size] = [[], 0];
  for await (const { receipt, digest } of eachReceipt(count, made, shape)) {
    digests.push(digest);
    const line = streamLine("receipts", receipt);
    lines.push(line);
    size += line.length;
    if (size < BUFFER_BYTES && digests.length < count) continue;
    writeSync(file, Buffer.concat(lines));
    [lines, size] = [[], 0];
  }
  closeSync(file);
  return digests;
}

/** The order of the tree: a chain's own; in a fan the first, then the others by digest. A merge comes after the one before too. */
function leavesOf(digests, closeDigest, shape) {
  const [first, ...rest] = digests;
  if (shape !== "fan") return [...digests, closeDigest];
  const last = digests[digests.length - 1];
  // The close may stand as soon as the last receipt does.
  const others = rest.sort();
  const free = others.indexOf(last) + 1;
  const behind = others.slice(free).findIndex((digest) => digest > closeDigest);
  const place = behind < 0 ? others.length : free + behind;
  return [first, ...others.slice(0, place), closeDigest, ...others.slice(place)];
}

/** Writes a session of `count` receipts; gives the trust policy and the time that accept it. */
export async function writeStream(path, count, shape = "mixed") {
  const made = await chain("ECDSA_P256");
  const body = `${path}.receipts`;
  const digests = await writeReceipts(body, count, made, shape);
  const last = digests[digests.length - 1];
  const close = await closeOf(made, count, last);
  const leaves = leavesOf(digests, statementDigest(close), shape);
  const root = new GrowingRoot();
  for (const leaf of leaves) root.add(Buffer.from(leaf.slice(2), "hex"), 0);
  const tree = { root: encodeHex(root.root()), size: leaves.length };
  const anchored = await anchor(tree, statementDigest(made.list), count);
  const tlog = (proof) => [{ type: "tlog", proof }];

  const file = openSync(path, "w");
  const counts = { ...NO_COUNTS, receipts: count };
  const digest = runningDigest();
  const write = (bytes) => {
    digest.update(bytes);
    writeSync(file, bytes);
  };
  const line = (name, value) => {
    if (name !== "header") counts[name] += 1;
    write(streamLine(name, value));
  };
  line("header", {
    protocol: "OSA_PROOF_V3",
    type: "ProofStreamV3",
    namespace_id: NAMESPACE,
    mission_id: "mission",
    scope: "session",
  });
  line("targets", [last]);
  line("identity_records", made.record);
  line("agent_key_certificates", made.agentCertificate);
  line("runtime_key_certificates", made.certificate);
  line("delegations", made.delegation);
  line("revocation_lists", { list: made.list, anchors: tlog(anchored.list) });
  for await (const piece of createReadStream(body, { highWaterMark: BUFFER_BYTES })) write(piece);
  rmSync(body);
  line("session_closes", close);
  line("evidence_trees", {
    root: tree.root,
    tree_size: tree.size,
    mode: "complete",
    anchors: tlog(anchored.tree),
  });
  for (let from = 0; from < leaves.length; from += DIGESTS_PER_LINE)
    line("leaves", leaves.slice(from, from + DIGESTS_PER_LINE));
  writeSync(file, streamLine("trailer", { counts, digest: digest.digest() }));
  closeSync(file);
  return {
    trust: JSON.stringify(trustPolicy(made, anchored.log, "ECDSA_P256")),
    at: at(count * STEP + 60_000),
  };
}
