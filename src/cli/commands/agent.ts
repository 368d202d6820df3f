/** `osa-proof agent add`: a further agent in the workspace, or a new key for one. */
import type { Command } from "commander";
import { OsaProofError } from "../../errors.js";
import { agentDomain, isAgentId } from "../../statements/fields.js";
import type { CommandContext, Register } from "../command.js";
import { jsonText, short, writeLines } from "../print.js";
import {
  addWorkspaceOptions,
  fileText,
  TRUST_FILE,
  type WorkspaceOptions,
  withWorkspace,
} from "../workspace.js";
import { agentIds, createAgent, rootSigner } from "../workspace-authority.js";

interface AddOptions extends WorkspaceOptions {
  readonly top?: true;
  readonly newKey?: true;
  readonly json?: true;
}

export const register: Register = (program: Command, context: CommandContext) => {
  const agent = program.command("agent").description("the agents of the workspace");
  addWorkspaceOptions(agent.command("add"))
    .description("add an agent, or give one a new key")
    .argument("<agent_id>", "@ai:, a lower-case DNS name and /segments")
    .option("--top", "let it make delegations without a parent")
    .option("--new-key", "give an agent that is there already a new key; the old one is not used any more")
    .option("--json", "print what was made as JSON")
    .action((agentId: string, options: AddOptions) => add(context, agentId, options));
};

async function add(context: CommandContext, agentId: string, options: AddOptions): Promise<void> {
  if (!isAgentId(agentId)) {
    throw new OsaProofError(
      "USAGE",
      `agent: expected @ai:, a lower-case DNS name and /segments, found ${short(agentId, 80)}`,
    );
  }
  await withWorkspace(context, options, async (workspace) => {
    const there = agentIds(workspace).includes(agentId);
    if (there && !options.newKey) {
      throw new OsaProofError(
        "WORKSPACE_INVALID",
        `agent ${agentId} is in this workspace already; give it a new key with --new-key`,
      );
    }
    if (!there && options.newKey) {
      throw new OsaProofError(
        "WORKSPACE_INVALID",
        `agent ${agentId} is not in this workspace; leave --new-key out`,
      );
    }
    const trust = await workspace.trust();
    const made = await createAgent(workspace, agentId, await rootSigner(workspace));
    const namespaces = trust.namespaces.map((namespace) =>
      namespace.namespace_id === workspace.config.namespace_id
        ? {
            ...namespace,
            agent_domains: withItem(namespace.agent_domains, agentDomain(agentId)),
            top_delegators: options.top
              ? withItem(namespace.top_delegators, agentId)
              : namespace.top_delegators,
          }
        : namespace,
    );
    const policy = { ...trust, namespaces };
    const changed = fileText(policy) !== fileText(trust);
    await workspace.commit(made, changed ? [{ file: TRUST_FILE, content: fileText(policy) }] : []);
    const certificate = workspace.state.agentCertificates.at(-1);
    if (options.json) {
      const result = {
        agent_id: agentId,
        agent_key_id: certificate?.statement.agent_key_id,
        agent_key_certificate_digest: certificate?.digest,
        identity_record_digest: workspace.state.identityRecords.at(-1)?.digest,
        trust_changed: changed,
      };
      context.out(`${jsonText(result)}\n`);
      return;
    }
    writeLines(context, [
      `Agent ${agentId} has key ${certificate?.statement.agent_key_id}.`,
      ...(changed ? [`${workspace.shown(TRUST_FILE)} has changed: give it to your auditors again.`] : []),
    ]);
  });
}

function withItem(items: readonly string[], item: string): readonly string[] {
  return items.includes(item) ? items : [...items, item];
}
