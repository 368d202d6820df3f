/** Our writer of canonical JSON over the engine's own writer, which sorts nothing and checks nothing. */
import { decodeBundle } from "../../dist/index.js";
import { canonicalText } from "../../dist/statements/canonical.js";
import { interleave, ratios } from "../lib/rounds.js";
import { makeBundle } from "../session.js";

const RECEIPTS = 1_000;
const REPEATS = 20;

async function measure({ rounds, quick }) {
  const { bytes } = await makeBundle(quick ? RECEIPTS / 2 : RECEIPTS);
  // Members in the order in which a maker gives them, which is not that of RFC 8785.
  const receipts = decodeBundle(bytes).receipts.map((receipt) =>
    Object.fromEntries(Object.entries(receipt).reverse()),
  );
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
  limit: 3,
  quick: true,
  measure,
};
