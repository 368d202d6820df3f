/** The portable backend, which browsers get, on many receipts under one key, against noble used plainly. */
import { p256 } from "@noble/curves/nist.js";
import { backend } from "../../dist/crypto/backend-portable.js";
import { parsePublicKey } from "../../dist/crypto/keys.js";
import { verifySignatureWith } from "../../dist/crypto/signature.js";
import { decodeBundle } from "../../dist/index.js";
import { canonicalStatement } from "../../dist/statements/canonical.js";
import { interleave, ratios } from "../lib/rounds.js";
import { makeBundle } from "../session.js";

const RECEIPTS = 500;
const POINT_BYTES = 65;

async function measure({ rounds, quick }) {
  const bundle = decodeBundle((await makeBundle(quick ? RECEIPTS / 5 : RECEIPTS)).bytes);
  const bytes = (hex) => Uint8Array.from(Buffer.from(hex.slice(2), "hex"));
  const spki = bytes(bundle.runtime_key_certificates[0].public_key);
  const point = spki.slice(-POINT_BYTES);
  const signed = bundle.receipts.map((receipt) => [
    canonicalStatement(receipt).signedBytes,
    bytes(receipt.signature),
  ]);
  const plain = () => {
    for (const [message, signature] of signed) {
      if (!p256.verify(signature, message, point, { format: "der" })) throw new Error("wrong signature");
    }
  };
  const own = () => {
    // A new key object each round, so that making its table is part of the time.
    const key = parsePublicKey(spki);
    for (const [message, signature] of signed) {
      if (!verifySignatureWith(backend, key, message, signature)) throw new Error("wrong signature");
    }
  };
  const seconds = await interleave({ plain, own }, { rounds, warm: 1 });
  return { samples: ratios(seconds.plain, seconds.own) };
}

export const portable = {
  name: "portable",
  title: "portable backend, 500 receipts under one key: times faster than plain noble",
  unit: "x",
  better: "higher",
  target: 3.5,
  quick: true,
  measure,
};
