/** Our writer of canonical JSON over the engine's own writer, which sorts nothing and checks nothing. */
import { canonicalText } from "../../dist/statements/canonical.js";
import { interleave, ratios } from "../lib/rounds.js";
import { chain } from "../session/chain.js";
import { signReceipts } from "../session/receipts.js";

const RECEIPTS = 1_000;
const REPEATS = 20;

async function measure({ rounds, quick }) {
  // Members stand as the maker put them, which is not the order of RFC 8785.
  const { receipts } = await signReceipts(quick ? RECEIPTS / 2 : RECEIPTS, await chain("ECDSA_P256"));
  let length = 0;
  const write = (writer) => () => {
    for (let repeat = 0; repeat < REPEATS; repeat += 1) {
      for (const receipt of receipts) length += writer(receipt).length;
    }
  };
  const { own, native } = await interleave(
    { native: write((receipt) => JSON.stringify(receipt)), own: write((receipt) => canonicalText(receipt)) },
    { rounds },
  );
  if (length === 0) throw new Error("nothing was written");
  return { samples: ratios(own, native) };
}

export const canonicalWriter = {
  name: "canonical",
  title: "canonical form of a receipt: CPU over `JSON.stringify`",
  unit: "x",
  target: 1.7,
  quick: true,
  measure,
};
