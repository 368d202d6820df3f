/** `osa-proof delegate`: what an agent allows a runtime, or another agent, to do. */
import type { Command } from "commander";
import { parseJson } from "../../encoding/json.js";
import type { JsonObject } from "../../encoding/json-value.js";
import { OsaProofError } from "../../errors.js";
import * as LIMITS from "../../limits.js";
import type { DelegationV1 } from "../../statements/delegation.js";
import { isAgentId } from "../../statements/fields.js";
import { isObject } from "../../statements/schema.js";
import { collectDigest, parseCount, parseDuration, parseInstant } from "../arguments.js";
import type { CommandContext, Register } from "../command.js";
import { readInput } from "../input.js";
import { jsonText, printable, short, writeLines } from "../print.js";
import { readRecording, toolNameOf, toolsOf } from "../recording.js";
import {
  addWorkspaceOptions,
  TRUST_FILE,
  type Workspace,
  type WorkspaceOptions,
  withWorkspace,
} from "../workspace.js";
import { makeDelegation } from "../workspace-delegation.js";

interface DelegateOptions extends WorkspaceOptions {
  readonly tool?: readonly string[];
  readonly toolsFrom?: string;
  readonly format?: string;
  readonly agent?: string;
  readonly mission?: string;
  readonly session?: string;
  readonly runtime?: string;
  readonly maxActions?: number;
  readonly validFor?: number;
  readonly notBefore?: string;
  readonly notAfter?: string;
  readonly policy?: string;
  readonly to?: string;
  readonly parent?: readonly string[];
  readonly json?: true;
}

export const register: Register = (program: Command, context: CommandContext) => {
  addWorkspaceOptions(program.command("delegate"))
    .description("sign a delegation: the tools that one runtime, or another agent, may use")
    .option(
      "--tool <name...>",
      "tools, by the names they are called by; osa.denied lets refusals be recorded",
    )
    .option("--tools-from <recording>", "the tools that a recorded session used")
    .option("--format <name>", "format of that recording (default: told from its content)")
    .option("--agent <agent_id>", "who delegates (default: the workspace's first agent)")
    .option("--mission <id>", "(default: that of the session, or a new one)")
    .option("--session <id>", "(default: a new one)")
    .option("--runtime <id>", "(default: a new one)")
    .option("--max-actions <count>", "most receipts under this delegation", parseCount)
    .option("--valid-for <duration>", "how long it holds, such as 30m or 8h (default: 8h)", parseDuration)
    .option("--not-before <time>", "begin of its window (default: now)", parseInstant)
    .option("--not-after <time>", "end of its window", parseInstant)
    .option("--policy <file>", "JSON object that is the policy")
    .option("--to <agent_id>", "the agent that may delegate on; this delegation then allows no action itself")
    .option("--parent <digest>", "the delegation that this one narrows", collectDigest)
    .option("--json", "print the delegation as JSON, for a runtime to read")
    .action((options: DelegateOptions) => delegate(context, options));
};

async function delegate(context: CommandContext, options: DelegateOptions): Promise<void> {
  if (options.validFor !== undefined && options.notAfter !== undefined) {
    throw new OsaProofError("USAGE", "--valid-for and --not-after exclude each other; give one");
  }
  if (options.to !== undefined && !isAgentId(options.to)) {
    throw new OsaProofError(
      "USAGE",
      `--to: expected @ai:, a lower-case DNS name and /segments, found ${short(options.to, 80)}`,
    );
  }
  if ((options.parent?.length ?? 0) > 1)
    throw new OsaProofError("USAGE", `--parent: expected one delegation, found ${options.parent?.length}`);
  const tools = await toolsAsked(context, options);
  const policy = options.policy === undefined ? undefined : await readPolicy(context, options.policy);
  await withWorkspace(context, options, async (workspace) => {
    const { agent, mission, session, runtime, maxActions, validFor, notBefore, notAfter, to } = options;
    const { statement, digest } = await makeDelegation(workspace, {
      ...{ agent, mission, session, runtime, maxActions, validFor, notBefore, notAfter, to },
      tools,
      policy,
      parent: options.parent?.[0],
    });
    await warnWhenNotTop(workspace, statement);
    if (options.json) {
      // The bare statement: a program hashes exactly what is printed.
      context.out(`${jsonText(statement)}\n`);
      return;
    }
    writeLines(context, [
      `Delegation ${digest}`,
      `  ${statement.delegate_agent_id === undefined ? `runtime ${statement.runtime_id}` : `to ${statement.delegate_agent_id}`}, session ${statement.session_id}, mission ${statement.mission_id}`,
      `  until ${statement.not_after}: ${printable(statement.tools.join(", "))}`,
      ...(statement.delegate_agent_id === undefined ? ["Next: osa-proof runtime issue"] : []),
    ]);
  });
}

/** A chain may begin only with an agent that auditors let begin one. */
async function warnWhenNotTop(workspace: Workspace, statement: DelegationV1): Promise<void> {
  if (statement.parent_delegation_digest !== undefined) return;
  const { namespaces } = await workspace.trust();
  const own = namespaces.find(({ namespace_id: id }) => id === statement.namespace_id);
  if (own?.top_delegators.includes(statement.agent_id)) return;
  workspace.context.err(
    `osa-proof: ${statement.agent_id} is no top delegator in ${workspace.shown(TRUST_FILE)}, which will reject what is done under this delegation; give it a --parent, or list the agent under top_delegators\n`,
  );
}

async function toolsAsked(context: CommandContext, options: DelegateOptions): Promise<readonly string[]> {
  const named = (options.tool ?? []).map(toolNameOf);
  const used =
    options.toolsFrom === undefined
      ? []
      : toolsOf((await readRecording(context, options.toolsFrom, options.format)).session);
  const tools = [...new Set([...named, ...used])];
  if (tools.length > 0) return tools;
  throw new OsaProofError(
    "USAGE",
    "a delegation lists at least one tool; name them with --tool or --tools-from",
  );
}

async function readPolicy(context: CommandContext, file: string): Promise<JsonObject> {
  const bytes = await readInput(context, "policy", file, LIMITS.maxSideInputBytes);
  const { value, faults } = parseJson(bytes, {
    maxBytes: LIMITS.maxSideInputBytes,
    maxDepth: LIMITS.maxFreeJsonDepth,
  });
  if (value !== undefined && faults.length === 0 && isObject(value)) return value;
  const found =
    faults[0] === undefined ? "something else" : `a fault at byte ${faults[0].offset}: ${faults[0].detail}`;
  throw new OsaProofError("USAGE", `--policy ${file}: expected a JSON object, found ${found}`);
}
