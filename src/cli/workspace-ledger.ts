/** Putting entries of a workspace into its log, and the proofs back beside what they anchor. */
import { anchorEntryBytes } from "../anchors/anchor-entry.js";
import type { SealedTree } from "../bundle/assemble.js";
import { decodeHex, encodeHex } from "../encoding/hex.js";
import { merkleRoot } from "../tree/merkle.js";
import { fileText, SUPPLEMENT_FILE, type Workspace } from "./workspace.js";
import { currentSupplement } from "./workspace-authority.js";
import { type Additions, type ListAnchors, type Stored, withAdditions } from "./workspace-state.js";

/** What is to be anchored: leaves of a new evidence tree, in order, and revocation lists. */
export interface ToAnchor {
  readonly leaves: readonly string[];
  readonly lists: readonly Stored<object>[];
}

export interface AnchoredNow {
  readonly tree: SealedTree | null;
  /** The evidence root; null without leaves. */
  readonly root: string | null;
  readonly listAnchors: readonly ListAnchors[];
  readonly logSize: number;
}

/** Root of a tree over statement digests. */
export function rootOf(leaves: readonly string[]): string {
  return encodeHex(merkleRoot(leaves.map((leaf) => decodeHex(leaf) ?? new Uint8Array())));
}

/** Appends the entries, publishes a cosigned checkpoint and takes the proofs. @throws OsaProofError LEDGER_* */
export async function anchorNow(workspace: Workspace, { leaves, lists }: ToAnchor): Promise<AnchoredNow> {
  const namespaceId = workspace.config.namespace_id;
  const root = leaves.length === 0 ? null : rootOf(leaves);
  const entries = lists.map(({ digest }) =>
    anchorEntryBytes({ namespaceId, subject: "revocation_list", digest, treeSize: 1 }),
  );
  if (root !== null) {
    const subject = "evidence_root";
    entries.push(anchorEntryBytes({ namespaceId, subject, digest: root, treeSize: leaves.length }));
  }
  const log = await workspace.log();
  const places = await log.append(entries);
  await log.publish(Math.floor(workspace.context.now() / 1_000));
  const proofs: string[] = [];
  for (const { index } of places) proofs.push(await log.proof(index));
  const anchorsAt = (place: number): ListAnchors["anchors"] => [{ type: "tlog", proof: proofs[place] ?? "" }];
  return {
    tree: root === null ? null : { leaves, anchors: anchorsAt(lists.length) },
    root,
    listAnchors: lists.map(({ digest }, place) => ({ list_digest: digest, anchors: anchorsAt(place) })),
    logSize: (await log.size()).entries,
  };
}

/** Lists that have no anchor yet. */
export function unanchoredLists({ state }: Pick<Workspace, "state">): Workspace["state"]["lists"] {
  const anchored = new Set(state.listAnchors.map((item) => item.list_digest));
  return state.lists.filter(({ digest }) => !anchored.has(digest));
}

/** Commits additions together with the file of lists and rotations that auditors are given. */
export async function commitWithSupplement(
  workspace: Workspace,
  additions: Additions,
  files: readonly { readonly file: string; readonly content: string }[] = [],
): Promise<void> {
  const state = withAdditions(workspace.state, additions);
  const supplement = currentSupplement({ config: workspace.config, state });
  await workspace.commit(additions, [...files, { file: SUPPLEMENT_FILE, content: fileText(supplement) }]);
}
