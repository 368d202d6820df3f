/** What every command of the command line gets: its streams and surroundings, so that tests can hand in others. */
import type { Readable, Writable } from "node:stream";
import type { Command } from "commander";

export interface CommandContext {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Working directory that relative paths start from. */
  readonly cwd: string;
  /** True when stdout is a terminal and NO_COLOR is not set. */
  readonly colour: boolean;
  /** True when stderr is a terminal, so that long work may show progress there. */
  readonly progress: boolean;
  /** The one clock of a run, in milliseconds since 1970. */
  readonly now: () => number;
  /** Sets the exit code: 0 done or accepted, 1 rejected, 2 could not run; `exec` passes on its command's own. */
  readonly exit: (code: number) => void;
  /** Asks a person at the terminal without showing the answer; absent where there is no terminal. */
  readonly askSecret?: ((question: string) => Promise<string>) | undefined;
  /** What `exec` and `mcp` pass on byte for byte: their command's output and, for `mcp`, its input. */
  readonly streams: { readonly stdin: Readable; readonly stdout: Writable; readonly stderr: Writable };
  /** Binary logarithm of the scrypt cost of new key files; lowered by tests only. */
  readonly keyCost: number;
}

/** Adds one or more commands to the program. */
export type Register = (program: Command, context: CommandContext) => void;
