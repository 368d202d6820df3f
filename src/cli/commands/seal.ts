/** `osa-proof seal`: an evidence tree over everything not sealed yet, anchored in the log with the revocation list. */
import type { Command } from "commander";
import { type PublicKey, parsePublicKey } from "../../crypto/keys.js";
import { verifySignature } from "../../crypto/signature.js";
import { decodeHex } from "../../encoding/hex.js";
import { parseTime } from "../../encoding/time.js";
import { OsaProofError } from "../../errors.js";
import { canonicalStatement } from "../../statements/canonical.js";
import { createSessionSeal, type SessionSealV1 } from "../../statements/session.js";
import { canonicalOrder, type OrderItem } from "../../tree/order.js";
import type { CommandContext, Register } from "../command.js";
import { pathOf } from "../input.js";
import { counted, jsonText, printable, writeLines } from "../print.js";
import {
  addWorkspaceOptions,
  SUPPLEMENT_FILE,
  type Workspace,
  type WorkspaceOptions,
  withWorkspace,
} from "../workspace.js";
import { agentOf, agentSigner, nextList, rootSigner } from "../workspace-authority.js";
import { takeJournal, takeJournals } from "../workspace-journals.js";
import { type AnchoredNow, anchorNow, commitWithSupplement, unanchoredLists } from "../workspace-ledger.js";

interface SealOptions extends WorkspaceOptions {
  readonly session?: string;
  readonly journal?: readonly string[];
  readonly sessionSeal?: true;
  /** True for `--new-list`, false for `--no-new-list`. */
  readonly newList?: boolean;
  readonly json?: true;
}

/** The protocol's default of how old a list may be; the workspace's own trust policy may say another. */
const DEFAULT_LIST_AGE_SECONDS = 86_400;

export const register: Register = (program: Command, context: CommandContext) => {
  addWorkspaceOptions(program.command("seal"))
    .description("anchor all receipts and closes that are not anchored yet, and the newest revocation list")
    .option("--session <id>", "only what belongs to this session")
    .option(
      "--journal <directory...>",
      "first take in these journals of sessions that have ended, besides those in the workspace",
    )
    .option(
      "--session-seal",
      "also sign that no runtime of the session is left out (default: when trust.json asks for it)",
    )
    .option(
      "--new-list",
      "issue a new revocation list whatever the age of the newest (default: when it is older than half of what trust.json allows)",
    )
    .option("--no-new-list", "never issue a new revocation list")
    .option("--json", "print what was made as JSON")
    .action((options: SealOptions) => seal(context, options));
};

async function seal(context: CommandContext, options: SealOptions): Promise<void> {
  await withWorkspace(context, options, async (workspace) => {
    const trust = await workspace.trust();
    await takeAll(context, workspace, options.journal ?? []);
    if (options.session !== undefined) requireSession(workspace, options.session);
    if (options.sessionSeal || trust.require_session_seal) await sealSessions(workspace, options.session);
    const maxAge = 1_000 * (trust.max_revocation_age_seconds ?? DEFAULT_LIST_AGE_SECONDS);
    if (options.newList ?? isOld(workspace, maxAge)) {
      await workspace.commit({ lists: [await nextList(workspace, [], await rootSigner(workspace))] });
    }
    const leaves = leavesToSeal(workspace, options.session);
    requireUnaltered(workspace, leaves);
    const lists = unanchoredLists(workspace);
    const done = leaves.length + lists.length === 0 ? null : await anchorNow(workspace, { leaves, lists });
    if (done !== null) {
      const trees = done.tree === null ? [] : [done.tree];
      await commitWithSupplement(workspace, { trees, listAnchors: done.listAnchors });
    }
    report(context, workspace, options, leaves.length, done);
  });
}

/** Journals that are named stay where they are; those of the workspace are part of it from now on. */
async function takeAll(
  context: CommandContext,
  workspace: Workspace,
  named: readonly string[],
): Promise<void> {
  for (const directory of named) await takeJournal(workspace, pathOf(context, directory));
  const { running } = await takeJournals(workspace);
  if (running.length === 0) return;
  context.err(
    `osa-proof: ${counted(running.length, "session")} still running and not sealed: ${running.map(printable).join(", ")}\n`,
  );
}

function requireSession({ state }: Workspace, session: string): void {
  if (state.receipts.some(({ statement }) => statement.session_id === session)) return;
  throw new OsaProofError(
    "WORKSPACE_INVALID",
    `session ${session} has no receipt in this workspace; see osa-proof status`,
  );
}

function isOld({ state, context }: Workspace, maxAge: number): boolean {
  const issued = parseTime(state.lists.at(-1)?.statement.issued_at ?? "") ?? 0;
  return context.now() - issued > maxAge / 2;
}

/** Receipts, closes and seals that stand in no evidence tree yet, in the tree's order. */
function leavesToSeal({ state }: Workspace, session: string | undefined): readonly string[] {
  const sealed = new Set(state.trees.flatMap((tree) => tree.leaves));
  const items: OrderItem[] = [];
  const add = (digest: string, sessionId: string, parents: readonly string[]): void => {
    if (sealed.has(digest) || (session !== undefined && session !== sessionId)) return;
    items.push({ digest, parents });
  };
  for (const { digest, statement } of state.receipts)
    add(digest, statement.session_id, statement.parent_receipt_digests);
  for (const { digest, statement } of state.closes)
    add(digest, statement.session_id, [statement.last_receipt_digest]);
  for (const { digest, statement } of state.seals)
    add(digest, statement.session_id, statement.session_close_digests);
  const order = canonicalOrder(items);
  if (order !== null) return order;
  throw new OsaProofError(
    "WORKSPACE_INVALID",
    "the receipts of this workspace form a cycle or repeat one another",
  );
}

/** A receipt that was changed after it was signed is found before it is anchored, which is for good. */
function requireUnaltered({ state }: Workspace, leaves: readonly string[]): void {
  const sealing = new Set(leaves);
  const keys = new Map<string, PublicKey | null>();
  for (const { statement } of state.runtimeCertificates) {
    keys.set(statement.runtime_key_id, parsePublicKey(decodeHex(statement.public_key) ?? new Uint8Array()));
  }
  for (const { digest, statement } of state.receipts) {
    if (!sealing.has(digest)) continue;
    const key = keys.get(statement.runtime_key_id);
    const signature = decodeHex(statement.signature);
    const { signedBytes } = canonicalStatement(statement);
    if (key && signature !== null && verifySignature(key, signedBytes, signature)) continue;
    throw new OsaProofError(
      "WORKSPACE_INVALID",
      `receipt ${statement.receipt_id} (number ${statement.sequence} of runtime ${statement.runtime_id}) is not what that runtime signed: statements/receipts.jsonl was changed; restore it from a copy`,
    );
  }
}

/** Signs a session seal for every agent of a session without one. Every runtime must be closed first. */
async function sealSessions(workspace: Workspace, only: string | undefined): Promise<void> {
  const { state, config } = workspace;
  const known = new Set(state.seals.map(({ statement }) => `${statement.agent_id} ${statement.session_id}`));
  const wanted = new Map<string, { readonly agentId: string; readonly sessionId: string }>();
  for (const { statement } of state.receipts) {
    const { agent_id: agentId, session_id: sessionId } = statement;
    const name = `${agentId} ${sessionId}`;
    if (known.has(name) || (only !== undefined && only !== sessionId)) continue;
    wanted.set(name, { agentId, sessionId });
  }
  const seals: SessionSealV1[] = [];
  for (const { agentId, sessionId } of wanted.values()) {
    const isOwn = ({ statement }: { statement: { agent_id: string; session_id: string } }): boolean =>
      statement.agent_id === agentId && statement.session_id === sessionId;
    const closes = state.closes.filter(isOwn);
    const closed = new Set(closes.map(({ statement }) => statement.runtime_id));
    const open = state.receipts.find((item) => isOwn(item) && !closed.has(item.statement.runtime_id));
    if (open !== undefined) {
      throw new OsaProofError(
        "WORKSPACE_INVALID",
        `session ${sessionId} cannot get its seal while runtime ${open.statement.runtime_id} is open; close it with osa-proof close`,
      );
    }
    const agent = agentOf(workspace, agentId);
    const draft = {
      namespace_id: config.namespace_id,
      issued_at: workspace.time(closes.map(({ statement }) => statement.issued_at)),
      agent_id: agentId,
      agent_key_certificate_digest: agent.certificate.digest,
      session_id: sessionId,
      session_close_digests: closes.map(({ digest }) => digest),
    };
    seals.push(await createSessionSeal(draft, await agentSigner(workspace, agent)));
  }
  if (seals.length > 0) await workspace.commit({ seals });
}

function report(
  context: CommandContext,
  { state, config }: Workspace,
  options: SealOptions,
  count: number,
  done: AnchoredNow | null,
): void {
  const list = state.lists.at(-1);
  if (options.json) {
    const result = {
      evidence_root: done?.root ?? null,
      tree_size: count,
      leaves: done?.tree?.leaves ?? [],
      log: { origin: config.log.origin, size: done?.logSize ?? null },
      revocation_list: {
        list_number: list?.statement.list_number,
        digest: list?.digest,
        issued_at: list?.statement.issued_at,
      },
    };
    context.out(`${jsonText(result)}\n`);
    return;
  }
  writeLines(context, [
    done?.root
      ? `${counted(count, "statement")} sealed under ${done.root}, in the local log with its own three witnesses.`
      : "There was nothing to seal: every receipt and close is in an evidence tree already.",
    `Revocation list ${list?.statement.list_number} of ${list?.statement.issued_at} is anchored${done?.listAnchors.length ? `; ${SUPPLEMENT_FILE} has changed` : ""}.`,
    ...(done?.root ? ["Next: osa-proof bundle -o FILE"] : []),
  ]);
}
