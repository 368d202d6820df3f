/** What a runtime pays for one receipt in memory, commitments and salts included, over the bare signature. */
import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto";
import { createNodeSigner, signAction } from "../../dist/runtime/index.js";
import { canonicalStatement } from "../../dist/statements/canonical.js";
import { interleave, ratios } from "../lib/rounds.js";

const RECEIPTS = 2_000;
const DIGEST = `0x${"11".repeat(32)}`;
const CONTEXT = {
  namespace_id: "bench",
  agent_id: "@ai:bench.example/agent",
  runtime_id: "runtime-1",
  session_id: "session",
  mission_id: "mission",
  delegation_digest: DIGEST,
  policy_digest: DIGEST,
};

async function measure({ rounds, quick }) {
  const items = quick ? RECEIPTS / 4 : RECEIPTS;
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const scalar = Buffer.from(privateKey.export({ format: "jwk" }).d, "base64url");
  const signer = createNodeSigner({ keyId: "runtime", algorithm: "ECDSA_P256", privateKey: scalar });
  // A key object made from bytes, as the signer has one.
  const key = createPrivateKey({
    key: privateKey.export({ format: "der", type: "pkcs8" }),
    format: "der",
    type: "pkcs8",
  });
  const record = async () => {
    const receipts = [];
    let parents = [];
    for (let index = 1; index <= items; index += 1) {
      const { receipt, digest } = await signAction({
        signer,
        context: CONTEXT,
        sequence: index,
        parents,
        tool: "shell",
        input: { json: { command: "cat report.txt", index } },
        output: { json: { exit_code: 0, lines: index } },
        status: "completed",
      });
      receipts.push(receipt);
      parents = [digest];
    }
    return receipts;
  };
  const messages = (await record()).map((receipt) => canonicalStatement(receipt).signedBytes);
  const raw = () => {
    for (const message of messages) sign("sha256", message, key);
  };
  const seconds = await interleave({ raw, record }, { rounds });
  return { samples: ratios(seconds.record, seconds.raw) };
}

export const recordAndSign = {
  name: "sign",
  title: "record and sign in memory, one thread: CPU over raw `crypto.sign`",
  unit: "x",
  target: 2.2,
  quick: true,
  measure,
};
