/** Keys, certificates and the delegation behind the benchmark's one runtime. */
import { encodeHex } from "../../dist/encoding/hex.js";
import { formatTime } from "../../dist/encoding/time.js";
import { statementDigest } from "../../dist/index.js";
import { createNodeSigner } from "../../dist/runtime/node-signer.js";
import { generatePrivateKey } from "../../dist/runtime/private-key.js";
import {
  createAgentKeyCertificate,
  createDelegation,
  createIdentityRecord,
  createRevocationList,
  createRuntimeKeyCertificate,
} from "../../dist/statements/index.js";

export const START = Date.UTC(2026, 0, 1);
export const NAMESPACE = "bench";
export const AGENT = "@ai:bench.example/agent";
export const POLICY = `0x${"11".repeat(32)}`;
/** Milliseconds from one receipt to the next: a million fit the window of a runtime key. */
export const STEP = 1;

export function signer(keyId, algorithm = "ECDSA_P256") {
  return createNodeSigner({ keyId, algorithm, privateKey: generatePrivateKey(algorithm) });
}

/** The time so many milliseconds after the start. */
export const at = (milliseconds) => formatTime(START + milliseconds);

/** `algorithm` is that of the runtime key; the keys above it are P-256 ones. */
export async function chain(algorithm) {
  const [root, agent, runtime] = [signer("root"), signer("agent"), signer("runtime", algorithm)];
  const common = { namespace_id: NAMESPACE, issued_at: at(0) };
  const window = { not_before: at(0), not_after: at(1_700_000) };
  const agentCertificate = await createAgentKeyCertificate(
    { ...common, ...window, agent_id: AGENT, agent_key_id: "agent", public_key: encodeHex(agent.publicKey) },
    root,
  );
  const named = { agent_id: AGENT, agent_key_certificate_digest: statementDigest(agentCertificate) };
  const record = await createIdentityRecord(
    {
      ...common,
      ...window,
      agent_id: AGENT,
      record_number: 1,
      agent_key_certificate_digests: [named.agent_key_certificate_digest],
    },
    root,
  );
  const run = { session_id: "session", runtime_id: "runtime-1" };
  const certificate = await createRuntimeKeyCertificate(
    {
      ...common,
      ...named,
      ...run,
      ...window,
      runtime_key_id: "runtime",
      public_key: encodeHex(runtime.publicKey),
    },
    agent,
  );
  const delegation = await createDelegation(
    {
      ...common,
      ...named,
      ...run,
      ...window,
      delegation_id: "delegation-1",
      mission_id: "mission",
      policy_digest: POLICY,
      tools: ["shell"],
    },
    agent,
  );
  const list = await createRevocationList(
    { ...common, list_number: 1, not_after: at(86_400_000), entries: [], previous_list_digest: null },
    root,
  );
  return { root, runtime, agentCertificate, record, certificate, delegation, list, run };
}
