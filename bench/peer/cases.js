/**
 * Other verifiers doing what comes nearest to checking one signed receipt, each on statements of its own format, from
 * text to verdict. A case is {name, version, checks, leaves, verifyAll, raw, bytes}: what it checks and what it
 * leaves to others, a function that checks every receipt once, the bare signature checks of the same messages,
 * and the bytes of all receipts.
 */
import { createPublicKey, generateKeyPairSync, sign, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { bundleFromJSON } from "@sigstore/bundle";
import { toSignedEntity, toTrustMaterial, Verifier } from "@sigstore/verify";
import {
  createReceiptV1,
  generateKeyPair,
  receiptSignaturePayloadV1,
  verifyReceiptV1Serialized,
} from "agent-passport-system";
import { decodeBundle } from "../../dist/index.js";
import { rawChecks, wholeCheck } from "../figures/verify.js";
import { makeBundle } from "../session.js";

function version(name) {
  const manifest = new URL(`./node_modules/${name}/package.json`, import.meta.url);
  return JSON.parse(readFileSync(manifest, "utf8")).version;
}

/** One cached key, messages at hand. */
function rawOver(digest, key, signed) {
  return () => {
    for (const [message, signature] of signed) {
      if (!verify(digest, message, key, signature)) throw new Error("a signature of the benchmark is wrong");
    }
  };
}

const sizeOf = (texts) => texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);

export async function osaProof(count) {
  const made = await makeBundle(count);
  return {
    name: "osa-proof",
    version: JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")).version,
    checks:
      "P-256 signature, closed schema and canonical form; certificates up to a pinned root; delegation; revocation; " +
      "parents, order and gaps; Merkle tree, its anchor in a log and a witness's time",
    leaves: "what a tool did in the world; attestation documents",
    verifyAll: wholeCheck(made),
    raw: rawChecks(decodeBundle(made.bytes)),
    bytes: made.bytes.length,
  };
}

/** Our own receipts as DSSE envelopes in Sigstore bundles, signed by a key that the verifier is given. */
export async function sigstore(count) {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { receipts } = decodeBundle((await makeBundle(count)).bytes);
  const type = "application/json";
  const signed = receipts.map((receipt) => {
    const payload = Buffer.from(JSON.stringify(receipt));
    // DSSE version 1, "PAE": what is signed in place of the payload alone.
    const message = Buffer.concat([Buffer.from(`DSSEv1 ${type.length} ${type} ${payload.length} `), payload]);
    return { payload, message, signature: sign("sha256", message, privateKey) };
  });
  const texts = signed.map(({ payload, signature }) =>
    JSON.stringify({
      mediaType: "application/vnd.dev.sigstore.bundle.v0.3+json",
      verificationMaterial: { publicKey: { hint: "runtime" }, tlogEntries: [] },
      dsseEnvelope: {
        payload: payload.toString("base64"),
        payloadType: type,
        signatures: [{ sig: signature.toString("base64"), keyid: "runtime" }],
      },
    }),
  );
  const none = { certificateAuthorities: [], timestampAuthorities: [], tlogs: [], ctlogs: [] };
  const found = { publicKey, validFor: () => true };
  const verifier = new Verifier(
    toTrustMaterial(none, () => found),
    { ctlogThreshold: 0, tlogThreshold: 0, timestampThreshold: 0 },
  );
  return {
    name: "@sigstore/verify",
    version: version("@sigstore/verify"),
    checks:
      "P-256 signature of a DSSE envelope under a key that is handed over; shape of the Sigstore bundle",
    leaves:
      "what stands in the payload, so no schema, delegation, revocation, order or gaps; certificates, log and time, " +
      "which it can check, are not asked for here",
    verifyAll: () => {
      // Throws for what does not verify.
      for (const text of texts) verifier.verify(toSignedEntity(bundleFromJSON(JSON.parse(text))));
    },
    raw: rawOver(
      "sha256",
      publicKey,
      signed.map(({ message, signature }) => [message, signature]),
    ),
    bytes: sizeOf(texts),
  };
}

/** Receipts in the package's own format, made by its own maker: it ships no sample of this format. */
export async function agentPassport(count) {
  const { publicKey, privateKey } = generateKeyPair();
  const receipts = Array.from({ length: count }, (_, index) =>
    createReceiptV1(
      {
        profile: "aps-receipt-v1",
        receipt_type: "aps:action:v1",
        issuer: "gateway.example",
        subject_agent: "agent.example",
        action_ref: index.toString(16).padStart(64, "0"),
        delegation_ref: "delegation-1",
        issued_at: "2026-01-01T00:00:00.000Z",
        evidence_refs: [],
        result: { status: "success", index },
      },
      [{ signer: "gateway.example", key_id: "runtime", private_key: privateKey }],
    ),
  );
  const texts = receipts.map((receipt) => JSON.stringify(receipt));
  const key = createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: Buffer.from(publicKey, "hex").toString("base64url") },
    format: "jwk",
  });
  const signed = receipts.map((receipt) => {
    const [{ value, ...signer }] = receipt.signatures;
    return [Buffer.from(receiptSignaturePayloadV1(receipt, signer)), Buffer.from(value, "hex")];
  });
  return {
    name: "agent-passport-system",
    version: version("agent-passport-system"),
    checks:
      "Ed25519 signature under a key that is handed over, small-order points refused; strict JSON, closed shape, the " +
      "receipt's own identifier",
    leaves:
      "`verifyReceiptV1Serialized` takes one receipt: no certificates, delegation, revocation, order, gaps, tree or " +
      "time (the package has other functions for some of them)",
    verifyAll: () => {
      for (const text of texts) {
        if (!verifyReceiptV1Serialized(text, () => publicKey).valid) throw new Error("a receipt was refused");
      }
    },
    raw: rawOver(null, key, signed),
    bytes: sizeOf(texts),
  };
}
