/** What the figures were taken on, and OpenSSL's own word beside them. No name of a host, no path. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { cpus } from "node:os";

const manifest = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));

export function machine() {
  const processors = cpus();
  return {
    version: manifest.version,
    date: new Date().toISOString().slice(0, 10),
    cpu: processors[0]?.model.trim() ?? "unknown",
    cores: processors.length,
    node: process.version,
    nodeOpenssl: process.versions.openssl,
    openssl: opensslVersion(),
  };
}

function openssl(...args) {
  const { status, stdout } = spawnSync("openssl", args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? stdout : null;
}

function opensslVersion() {
  return /^OpenSSL (\S+)/.exec(openssl("version") ?? "")?.[1] ?? null;
}

const LINES = {
  ecdsap256: /ecdsa \(nistp256\)\s+\S+s\s+\S+s\s+([\d.]+)\s+([\d.]+)/,
  ed25519: /EdDSA \(Ed25519\)\s+\S+s\s+\S+s\s+([\d.]+)\s+([\d.]+)/,
};

/**
 * Signatures per second of CPU time on one core by `openssl speed`, `{sign, verify}`; null when there is no
 * such command. `algorithm` is `ecdsap256` or `ed25519`. Takes two seconds.
 */
export function opensslSpeed(algorithm) {
  const [sign, verify] = (LINES[algorithm].exec(openssl("speed", "-seconds", "1", algorithm) ?? "") ?? [])
    .slice(1)
    .map(Number);
  return sign > 0 && verify > 0 ? { sign, verify } : null;
}
