/** `osa-proof init`: makes a workspace. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Command } from "commander";
import { ensureDirectory, readFileIfThere, writeFileDurably } from "../../collect/files.js";
import { createLocalLog, type LocalLog } from "../../collect/index.js";
import type { SigningAlgorithm } from "../../crypto/keys.js";
import { encodeHex } from "../../encoding/hex.js";
import { encodeUtf8 } from "../../encoding/utf8.js";
import { OsaProofError } from "../../errors.js";
import { newId } from "../../runtime/entropy.js";
import { agentDomain, isAgentId } from "../../statements/fields.js";
import type { TrustPolicyV1 } from "../../verifier/trust-policy.js";
import type { CommandContext, Register } from "../command.js";
import { pathOf } from "../input.js";
import { KeyStore, type Protection, passphraseProtection } from "../keystore.js";
import { Passphrase } from "../passphrase.js";
import { jsonText, short, writeLines } from "../print.js";
import {
  addWorkspaceOptions,
  CONFIG_FILE,
  fileText,
  KEY_DIRECTORY,
  LOG_DIRECTORY,
  lockWorkspace,
  TRUST_FILE,
  Workspace,
  type WorkspaceConfig,
  type WorkspaceOptions,
} from "../workspace.js";
import { createAgent, nextList } from "../workspace-authority.js";
import { anchorNow, commitWithSupplement } from "../workspace-ledger.js";
import { LINE_FILES, readState } from "../workspace-state.js";

interface InitOptions extends WorkspaceOptions {
  readonly namespace?: string;
  readonly agent: string;
  readonly algorithm: string;
  /** False after `--no-passphrase`. */
  readonly passphrase: boolean;
  readonly requireSessionSeal?: true;
  readonly json?: true;
}

const WITNESSES = 3;
const QUORUM = 2;

export const register: Register = (program: Command, context: CommandContext) => {
  addWorkspaceOptions(program.command("init"))
    .description("make a workspace: keys, agent, local log and witnesses, trust.json")
    .option("--namespace <id>", "name of the namespace (default: a new one)")
    .option("--agent <agent_id>", "the first agent", "@ai:localhost/agent")
    .option("--algorithm <name>", "ECDSA_P256 or ED25519", "ECDSA_P256")
    .option("--no-passphrase", "store the private keys without encryption")
    .option("--require-session-seal", "make trust.json ask for a session seal")
    .option("--json", "print what was made as JSON")
    .action((options: InitOptions) => init(context, options));
};

async function init(context: CommandContext, options: InitOptions): Promise<void> {
  const algorithm = options.algorithm;
  if (algorithm !== "ECDSA_P256" && algorithm !== "ED25519") {
    throw new OsaProofError(
      "USAGE",
      `--algorithm: expected ECDSA_P256 or ED25519, found ${short(algorithm, 40)}`,
    );
  }
  if (!isAgentId(options.agent)) {
    throw new OsaProofError(
      "USAGE",
      `--agent: expected @ai:, a lower-case DNS name and /segments, found ${short(options.agent, 80)}`,
    );
  }
  const namespaceId = options.namespace ?? newId("namespace");
  if (!/^[!-~]{1,128}$/.test(namespaceId)) {
    throw new OsaProofError(
      "USAGE",
      `--namespace: expected 1 to 128 printable ASCII characters without a space, found ${short(namespaceId, 80)}`,
    );
  }
  if (!options.passphrase && options.passphraseFd !== undefined) {
    throw new OsaProofError("USAGE", "--no-passphrase and --passphrase-fd exclude each other; give one");
  }
  const directory = pathOf(context, options.dir);
  await requireNoWorkspace(directory);
  const passphrase = new Passphrase(context, options.passphraseFd);
  if (options.passphrase) await passphrase.fresh();
  await ensureDirectory(directory);
  await lockWorkspace(context, directory, async () => {
    await requireNoWorkspace(directory);
    const keys = new KeyStore(join(directory, KEY_DIRECTORY), passphrase);
    const protection: Protection = options.passphrase
      ? passphraseProtection(context.keyCost)
      : { kind: "none" };
    await keys.initialize();
    const made = await makeWorkspace(context, directory, keys, protection, { algorithm, namespaceId });
    await furnish(made, options);
    // Last: a directory is a workspace once this file is there.
    await writeFileDurably(join(directory, CONFIG_FILE), encodeUtf8(fileText(made.workspace.config)), 0o644);
    report(context, made.workspace, options);
  });
}

async function requireNoWorkspace(directory: string): Promise<void> {
  if ((await readFileIfThere(join(directory, CONFIG_FILE))) !== null) {
    throw new OsaProofError(
      "WORKSPACE_INVALID",
      `${directory} is a workspace already, and a workspace is never overwritten; name another with --dir`,
    );
  }
  for (const name of [KEY_DIRECTORY, LOG_DIRECTORY, "statements", TRUST_FILE]) {
    const found = await readdir(directory).catch(() => [] as string[]);
    if (!found.includes(name)) continue;
    throw new OsaProofError(
      "WORKSPACE_INVALID",
      `${directory} holds ${name}, which init would overwrite; name another directory with --dir, or remove what is left of an init that was interrupted`,
    );
  }
}

interface Made {
  readonly workspace: Workspace;
  readonly log: LocalLog;
}

/** Keys of root, log and witnesses, and the empty log. */
async function makeWorkspace(
  context: CommandContext,
  directory: string,
  keys: KeyStore,
  protection: Protection,
  { algorithm, namespaceId }: { readonly algorithm: SigningAlgorithm; readonly namespaceId: string },
): Promise<Made> {
  const root = await keys.create(newId("root-key"), "root", algorithm, protection);
  const origin = `localhost/${newId("osa-proof")}`;
  const logSigner = await keys.create(newId("log-key"), "log", "ED25519", protection);
  const witnesses = [];
  for (let number = 1; number <= WITNESSES; number += 1) {
    const signer = await keys.create(newId("witness-key"), "witness", "ED25519", protection);
    witnesses.push({ name: `${origin}/witness-${number}`, signer });
  }
  const config: WorkspaceConfig = {
    format: "osa-proof-workspace-1",
    namespace_id: namespaceId,
    algorithm,
    root_key_id: root.keyId,
    root_public_key: encodeHex(root.publicKey),
    log: {
      origin,
      key_id: logSigner.keyId,
      witnesses: witnesses.map(({ name, signer }) => ({ name, key_id: signer.keyId })),
    },
  };
  for (const file of LINE_FILES) await writeFileDurably(join(directory, file), new Uint8Array(), 0o600);
  const log = await createLocalLog({ dir: join(directory, LOG_DIRECTORY), origin, logSigner, witnesses });
  return { workspace: new Workspace(context, directory, config, keys, await readState(directory)), log };
}

/** Agent, first revocation list with its anchor, and the trust policy. */
async function furnish({ workspace, log }: Made, options: InitOptions): Promise<void> {
  const root = await workspace.keys.signer(workspace.config.root_key_id, "root");
  const agent = await createAgent(workspace, options.agent, root);
  const list = await nextList(workspace, [], root);
  await workspace.commit({ ...agent, lists: [list] });
  const { listAnchors } = await anchorNow(workspace, { leaves: [], lists: workspace.state.lists });
  const policy = trustPolicyOf(workspace.config, log, options);
  await commitWithSupplement(workspace, { listAnchors }, [{ file: TRUST_FILE, content: fileText(policy) }]);
}

function trustPolicyOf(config: WorkspaceConfig, log: LocalLog, options: InitOptions): TrustPolicyV1 {
  return {
    protocol: "OSA_PROOF_V3",
    type: "TrustPolicyV1",
    namespaces: [
      {
        namespace_id: config.namespace_id,
        roots: [{ key_id: config.root_key_id, public_key: config.root_public_key, rotation_number: 0 }],
        agent_domains: [agentDomain(options.agent)],
        top_delegators: [options.agent],
        minimum_revocation_list_number: 1,
      },
    ],
    accepted_algorithms: [config.algorithm],
    tlog: {
      logs: [{ origin: log.origin, vkey: log.vkey, operator: "own" }],
      witnesses: log.witnesses.map(({ name, vkey }) => ({ name, vkey, operator: "own" })),
      groups: [
        { name: "local-witnesses", threshold: QUORUM, members: log.witnesses.map(({ name }) => name) },
      ],
      quorum: "local-witnesses",
    },
    require_session_close: true,
    require_session_seal: options.requireSessionSeal === true,
  };
}

function report(context: CommandContext, workspace: Workspace, options: InitOptions): void {
  const { config, state } = workspace;
  if (options.json) {
    const made = {
      directory: workspace.directory,
      namespace_id: config.namespace_id,
      root_key_id: config.root_key_id,
      agent_id: options.agent,
      agent_key_id: state.agentCertificates[0]?.statement.agent_key_id,
      agent_key_certificate_digest: state.agentCertificates[0]?.digest,
      log_origin: config.log.origin,
      trust: join(workspace.directory, TRUST_FILE),
    };
    context.out(`${jsonText(made)}\n`);
    return;
  }
  writeLines(context, [
    `Workspace made in ${workspace.shown("")} with agent ${options.agent} in namespace ${config.namespace_id}.`,
    `Give ${workspace.shown(TRUST_FILE)} to your auditors by a way that they trust. Its log and witnesses are your own.`,
    ...(options.passphrase
      ? []
      : ["The private keys are NOT encrypted: whoever reads them can sign as you."]),
    "Next: osa-proof delegate, or osa-proof record --from FILE --delegate",
  ]);
}
