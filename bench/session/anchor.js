/** A local log with one witness, which dates what the benchmark's bundles hold. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anchorEntryBytes } from "../../dist/anchors/anchor-entry.js";
import { createLocalLog } from "../../dist/collect/index.js";
import { NAMESPACE, START, STEP, signer } from "./chain.js";

/** Anchors the tree's root and the list in a local log, in a folder that is removed again. */
export async function anchor(tree, listDigest, count) {
  const dir = mkdtempSync(join(tmpdir(), "osa-proof-bench-"));
  try {
    const log = await createLocalLog({
      dir,
      origin: "bench.example/log",
      logSigner: signer("log", "ED25519"),
      witnesses: [{ name: "witness.example", signer: signer("witness", "ED25519") }],
    });
    const entries = [
      anchorEntryBytes({
        namespaceId: NAMESPACE,
        subject: "evidence_root",
        digest: tree.root,
        treeSize: tree.size,
      }),
      anchorEntryBytes({
        namespaceId: NAMESPACE,
        subject: "revocation_list",
        digest: listDigest,
        treeSize: 1,
      }),
    ];
    const [root, list] = await log.append(entries);
    await log.publish(Math.floor(START / 1_000) + Math.ceil((count * STEP) / 1_000));
    return { log, tree: await log.proof(root.index), list: await log.proof(list.index) };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
