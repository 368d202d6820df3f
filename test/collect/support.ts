import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach } from "vitest";
import type { TlogTrust } from "../../src/anchors/tlog.js";
import { parseVerifierKey } from "../../src/anchors/verifier-key.js";
import type { LocalLog, LocalLogOptions } from "../../src/collect/local-log.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { OsaProofError } from "../../src/errors.js";
import { LOG_SEED, present, testSigner, W1_SEED, W2_SEED, W3_SEED } from "../anchors/support.js";

const made: string[] = [];

/** A fresh directory, removed after the test. */
export async function temporaryDirectory(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "osa-proof-log-"));
  made.push(dir);
  return dir;
}

/** Call once at the top of a test file. */
export function removeDirectoriesAfterEach(): void {
  afterEach(async () => {
    for (const dir of made.splice(0)) await rm(dir, { recursive: true, force: true });
  });
}

/** The sample log with its three witnesses, whose memory lies in the log's directory. */
export function sampleOptions(dir: string): LocalLogOptions {
  return {
    dir,
    origin: "example.com/log",
    logSigner: testSigner(LOG_SEED),
    witnesses: [
      { name: "w1.example", signer: testSigner(W1_SEED) },
      { name: "w2.example", signer: testSigner(W2_SEED) },
      { name: "w3.example", signer: testSigner(W3_SEED) },
    ],
    lockWaitMilliseconds: 5000,
  };
}

/** The code and message of what an operation throws; "resolved" when it does not. */
export async function thrown(operation: Promise<unknown>): Promise<string> {
  try {
    await operation;
    return "resolved";
  } catch (error) {
    return error instanceof OsaProofError ? `${error.code}: ${error.message}` : `not ours: ${String(error)}`;
  }
}

export const NOW: number = 1_700_000_000;

/** What an auditor pins for a log: all of its witnesses are needed. */
export function trustOf(log: LocalLog): TlogTrust {
  const witnesses = log.witnesses.map(({ name, vkey }) => ({
    name,
    key: present(parseVerifierKey(vkey)),
    operator: "own" as const,
  }));
  const members = witnesses.map(({ name }) => name);
  return {
    logs: [{ origin: log.origin, key: present(parseVerifierKey(log.vkey)), operator: "own" }],
    witnesses,
    groups: [{ name: "all", threshold: members.length, members }],
    quorum: "all",
  };
}

export function entry(i: number): Uint8Array {
  return encodeUtf8(`entry ${i}`);
}

export function entries(from: number, to: number): Uint8Array[] {
  return Array.from({ length: to - from }, (_, i) => entry(from + i));
}
