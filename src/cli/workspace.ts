/** A workspace: the directory in which one operator makes keys, statements, receipts and bundles. */
import { join, relative } from "node:path";
import type { Command } from "commander";
import { readFileIfThere } from "../collect/files.js";
import { type LocalLog, openLocalLog } from "../collect/index.js";
import { withLock } from "../collect/lock.js";
import type { SigningAlgorithm } from "../crypto/keys.js";
import { formatTime } from "../encoding/time.js";
import { OsaProofError } from "../errors.js";
import * as LIMITS from "../limits.js";
import * as fields from "../statements/fields.js";
import { array, object, type Schema, text, version } from "../statements/schema.js";
import { type TrustPolicyV1, trustPolicy } from "../verifier/trust-policy.js";
import type { CommandContext } from "./command.js";
import { pathOf } from "./input.js";
import { KeyStore, type Protection } from "./keystore.js";
import { Passphrase } from "./passphrase.js";
import { jsonText, printable, sayWaiting } from "./print.js";
import { commitChange, decodeJson, recoverChange } from "./workspace-files.js";
import { type Additions, linesOf, readState, type State, withAdditions } from "./workspace-state.js";

/** What a workspace is, fixed when it was made. Everything that changes is a statement. */
export interface WorkspaceConfig {
  readonly format: "osa-proof-workspace-1";
  readonly namespace_id: string;
  readonly algorithm: SigningAlgorithm;
  /** The namespace's first root. */
  readonly root_key_id: string;
  readonly root_public_key: string;
  readonly log: {
    readonly origin: string;
    readonly key_id: string;
    readonly witnesses: readonly { readonly name: string; readonly key_id: string }[];
  };
}

const line = text("one line of text", (value) => /^[!-~]{1,200}$/.test(value));

const workspaceConfig: Schema<WorkspaceConfig> = object<WorkspaceConfig>({
  format: version("osa-proof-workspace-1"),
  namespace_id: fields.identifier,
  algorithm: fields.signingAlgorithm,
  root_key_id: fields.identifier,
  root_public_key: fields.publicKey,
  log: object<WorkspaceConfig["log"]>({
    origin: line,
    key_id: fields.identifier,
    witnesses: array(
      object<WorkspaceConfig["log"]["witnesses"][number]>({ name: line, key_id: fields.identifier }),
      { minimum: 1, maximum: 16 },
    ),
  }),
});

export const CONFIG_FILE = "workspace.json";
/** For auditors: what to pin. */
export const TRUST_FILE = "trust.json";
/** For auditors: the newest revocation lists and rotations, with their anchors. */
export const SUPPLEMENT_FILE = "revocations.json";
export const KEY_DIRECTORY = "keys";
export const LOG_DIRECTORY = "log";
const LOCK_WAIT_MILLISECONDS = 10_000;

/** Options that every command on a workspace has. */
export interface WorkspaceOptions {
  readonly dir: string;
  readonly passphraseFd?: number;
}

/** Adds `--dir` and `--passphrase-fd`. */
export function addWorkspaceOptions(command: Command): Command {
  return command
    .option("--dir <directory>", "the workspace", parseDirectory, ".")
    .option("--passphrase-fd <number>", "read the passphrase from this file descriptor", parseDescriptor);
}

/** @throws OsaProofError USAGE */
export function parseDirectory(value: string): string {
  if (value !== "") return value;
  throw new OsaProofError("USAGE", "--dir: expected a directory, found nothing");
}

/** @throws OsaProofError USAGE */
export function parseDescriptor(value: string): number {
  if (/^(0|[1-9][0-9]{0,5})$/.test(value)) return Number(value);
  throw new OsaProofError("USAGE", "--passphrase-fd: expected the number of an open file descriptor");
}

export class Workspace {
  readonly directory: string;
  readonly config: WorkspaceConfig;
  readonly keys: KeyStore;
  readonly context: CommandContext;
  #state: State;

  constructor(
    context: CommandContext,
    directory: string,
    config: WorkspaceConfig,
    keys: KeyStore,
    state: State,
  ) {
    this.context = context;
    this.directory = directory;
    this.config = config;
    this.keys = keys;
    this.#state = state;
  }

  get state(): State {
    return this.#state;
  }

  /** The time of a statement made now. Never before what it must come after, so that a clock set back is noticed. */
  time(after: readonly string[] = []): string {
    const now = formatTime(this.context.now());
    const latest = after.reduce((a, b) => (Date.parse(b) > Date.parse(a) ? b : a), now);
    if (Date.parse(latest) - this.context.now() <= 60_000) return latest;
    throw new OsaProofError(
      "WORKSPACE_INVALID",
      `this computer's clock says ${now}, and the workspace holds something made at ${latest}; set the clock right`,
    );
  }

  /** Stores statements and files as one change. */
  async commit(
    additions: Additions,
    files: readonly { readonly file: string; readonly content: string }[] = [],
  ): Promise<void> {
    await commitChange(this.directory, { appends: linesOf(additions), files });
    this.#state = withAdditions(this.#state, additions);
  }

  /** The protection of keys that are made later: that of the first root key or, when it is gone, the log key. */
  async protection(): Promise<Protection> {
    return this.keys.protectionOf(this.config.log.key_id);
  }

  /** @throws OsaProofError WORKSPACE_INVALID */
  async trust(): Promise<TrustPolicyV1> {
    const path = join(this.directory, TRUST_FILE);
    const bytes = await readFileIfThere(path);
    if (bytes === null) {
      throw new OsaProofError("WORKSPACE_INVALID", `there is no ${path}; restore it from a copy`);
    }
    return decodeJson(trustPolicy, bytes, LIMITS.maxSideInputBytes, path);
  }

  async log(): Promise<LocalLog> {
    const { origin, key_id: keyId, witnesses } = this.config.log;
    const signers = [];
    for (const { name, key_id: witnessKey } of witnesses) {
      signers.push({ name, signer: await this.keys.signer(witnessKey, "witness") });
    }
    return openLocalLog({
      dir: join(this.directory, LOG_DIRECTORY),
      origin,
      logSigner: await this.keys.signer(keyId, "log"),
      witnesses: signers,
    });
  }

  /** A path in the workspace as the person at the terminal would write it. */
  shown(file: string): string {
    const path = join(this.directory, file);
    const near = relative(this.context.cwd, path);
    return printable(near.startsWith("..") ? path : near || ".");
  }
}

/** Runs `action` on a workspace while no other command changes it. @throws OsaProofError WORKSPACE_INVALID */
export async function withWorkspace<T>(
  context: CommandContext,
  options: WorkspaceOptions,
  action: (workspace: Workspace) => Promise<T>,
  passphrase: Passphrase = new Passphrase(context, options.passphraseFd),
): Promise<T> {
  const directory = pathOf(context, options.dir);
  const config = await readConfig(directory);
  return lockWorkspace(context, directory, async () => {
    if (await recoverChange(directory)) {
      context.err(
        `osa-proof: finished a change that an earlier command could not: ${printable(directory)}\n`,
      );
    }
    const keys = new KeyStore(join(directory, KEY_DIRECTORY), passphrase);
    return action(new Workspace(context, directory, config, keys, await readState(directory)));
  });
}

/** Runs `action` under the workspace's lock. */
export async function lockWorkspace<T>(
  context: CommandContext,
  directory: string,
  action: () => Promise<T>,
): Promise<T> {
  const path = join(directory, ".lock");
  return withLock(path, LOCK_WAIT_MILLISECONDS, action, sayWaiting(context, path));
}

async function readConfig(directory: string): Promise<WorkspaceConfig> {
  const path = join(directory, CONFIG_FILE);
  const bytes = await readFileIfThere(path);
  if (bytes !== null) return decodeJson(workspaceConfig, bytes, LIMITS.maxSideInputBytes, path);
  throw new OsaProofError(
    "WORKSPACE_INVALID",
    `${directory} is not a workspace: expected ${CONFIG_FILE} in it; name one with --dir, or make one with osa-proof init`,
  );
}

/** Indented JSON of a file that people read and give to others. */
export function fileText(value: object): string {
  return `${jsonText(value)}\n`;
}
