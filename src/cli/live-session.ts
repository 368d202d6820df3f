/** A session of a workspace that signs while an agent works: its key is in memory only, its receipts in a journal. */

import type { Command } from "commander";
import { isThere } from "../collect/files.js";
import { encodeHex } from "../encoding/hex.js";
import { OsaProofError } from "../errors.js";
import { newId } from "../runtime/entropy.js";
import { createNodeSigner } from "../runtime/node-signer.js";
import { generatePrivateKey } from "../runtime/private-key.js";
import type { CertifiedKey } from "../runtime/session/authority.js";
import { openSession, type Session } from "../runtime/session/session.js";
import type { DelegationV1 } from "../statements/delegation.js";
import { collectDigest, parseCount } from "./arguments.js";
import type { CommandContext } from "./command.js";
import type { Passphrase } from "./passphrase.js";
import { toolNameOf } from "./recording.js";
import { type Workspace, type WorkspaceOptions, withWorkspace } from "./workspace.js";
import { chooseDelegations, makeDelegation } from "./workspace-delegation.js";
import { journalDirectory, takeJournals } from "./workspace-journals.js";
import { issueRuntimeKey, type RuntimeName, runtimeOf } from "./workspace-runtime.js";
import type { Stored } from "./workspace-state.js";

/** How a person says under what a live session acts. */
export interface LiveOptions extends WorkspaceOptions {
  readonly tool?: readonly string[];
  readonly agent?: string;
  readonly session?: string;
  readonly runtime?: string;
  readonly mission?: string;
  readonly maxActions?: number;
  readonly delegation?: readonly string[];
}

/** Adds the options of {@link LiveOptions} but those of the workspace. */
export function addLiveOptions(command: Command): Command {
  return command
    .option(
      "--tool <name...>",
      "first delegate these tools to a new runtime; osa.denied lets refusals be recorded",
    )
    .option("--max-actions <count>", "most calls under the delegation that --tool makes", parseCount)
    .option("--mission <id>", "mission of the delegation that --tool makes")
    .option("--agent <agent_id>", "who delegates, or only delegations of this agent")
    .option("--session <id>", "session of the delegation that --tool makes, or only delegations of it")
    .option("--runtime <id>", "only delegations of this runtime")
    .option(
      "--delegation <digest...>",
      "delegations to act under (default: those of the newest runtime)",
      collectDigest,
    );
}

/** A session at work and how it ends. */
export interface LiveSession {
  readonly session: Session;
  readonly name: RuntimeName;
  /** Closes the session and takes it into the workspace; gives the number of its receipts. @throws OsaProofError */
  finish(): Promise<number>;
}

/**
 * Opens a session, or goes on with one that a crash ended. The agent's key is asked for now, and again whenever the
 * runtime key is renewed. @throws OsaProofError
 */
export async function openLiveSession(
  context: CommandContext,
  options: LiveOptions,
  passphrase: Passphrase,
): Promise<LiveSession> {
  requireOneWay(options);
  const inWorkspace = <T>(action: (workspace: Workspace) => Promise<T>): Promise<T> =>
    withWorkspace(context, options, action, passphrase);
  const opened = await inWorkspace(async (workspace) => {
    const delegations = await delegationsOf(workspace, options);
    const name = runtimeOf(delegations);
    const journal = journalDirectory(workspace, name.runtimeId);
    await requireFree(workspace, name, journal);
    const session = await openSession({
      ...(await certifiedKey(workspace, name)),
      delegation: delegations.map(({ statement }) => statement),
      journal,
      clock: context.now,
      renew: () => inWorkspace((later) => certifiedKey(later, name)),
    });
    return { session, name };
  });
  return {
    ...opened,
    finish: async () => {
      await opened.session.close();
      await inWorkspace((workspace) => takeJournals(workspace));
      return opened.session.sequence;
    },
  };
}

function requireOneWay(options: LiveOptions): void {
  const made = options.tool !== undefined;
  if (made && options.delegation !== undefined) {
    throw new OsaProofError("USAGE", "--tool and --delegation exclude each other; give one");
  }
  const name = options.mission !== undefined ? "--mission" : "--max-actions";
  if (!made && (options.mission !== undefined || options.maxActions !== undefined)) {
    throw new OsaProofError("USAGE", `${name}: only with --tool; a delegation that is there has its own`);
  }
}

async function delegationsOf(
  workspace: Workspace,
  options: LiveOptions,
): Promise<readonly Stored<DelegationV1>[]> {
  const { tool, agent, session, runtime, mission, maxActions, delegation: delegations } = options;
  if (tool === undefined) return chooseDelegations(workspace, { agent, session, runtime, delegations });
  const tools = [...new Set(tool.map(toolNameOf))];
  return [await makeDelegation(workspace, { tools, agent, session, runtime, mission, maxActions })];
}

/** What the runtime signed before stands in its journal, or there is nothing yet. */
async function requireFree(workspace: Workspace, name: RuntimeName, journal: string): Promise<void> {
  if (await isThere(journal)) return;
  if (!workspace.state.receipts.some(({ statement }) => statement.runtime_id === name.runtimeId)) return;
  throw new OsaProofError(
    "WORKSPACE_INVALID",
    `runtime ${name.runtimeId} has receipts in this workspace already; delegate to a new one with --tool or osa-proof delegate`,
  );
}

/** A new key, never written anywhere, with a certificate that the workspace keeps. */
async function certifiedKey(workspace: Workspace, name: RuntimeName): Promise<CertifiedKey> {
  const { algorithm } = workspace.config;
  const keyId = newId("runtime-key");
  const privateKey = generatePrivateKey(algorithm);
  const signer = createNodeSigner({ keyId, algorithm, privateKey });
  privateKey.fill(0);
  const given = { keyId, publicKey: encodeHex(signer.publicKey) };
  const certificate = await issueRuntimeKey(workspace, name, undefined, given);
  await workspace.commit({ runtimeCertificates: [certificate] });
  return { signer, certificate };
}
