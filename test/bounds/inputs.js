/**
 * Hostile inputs that are too big to keep: made here from nothing, in one buffer each, so that making one costs no
 * more memory than holding it. Each function gets a reader for the files that the parent made, and gives the
 * arguments that differ from those of a small good bundle: `bundle`, `policy` (the trust policy), `options`.
 */
const HEAD =
  '{"protocol":"OSA_PROOF_V3","type":"ProofBundleV3","namespace_id":"org.example","mission_id":"m"';
const MILLION = 1_000_000;

/** `before`, then `unit` so many times, then `after`; texts as UTF-8, arrays as bytes. */
function repeated(before, unit, times, after) {
  const [first, part, last] = [before, unit, after].map((piece) => Buffer.from(piece));
  const middle = part.length * times;
  const bytes = Buffer.alloc(first.length + middle + last.length);
  first.copy(bytes);
  bytes.fill(part, first.length, first.length + middle);
  last.copy(bytes, first.length + middle);
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}

const json = (member, unit, times, after) => ({ bundle: repeated(`${HEAD},${member}`, unit, times, after) });

/** A CBOR head: major type, and the argument in 0 (inside the first byte), 1, 2, 4 or 8 bytes. */
function head(major, argument, size) {
  const info = size === 0 ? Number(argument) : 24 + Math.log2(size);
  const bytes = [(major << 5) | info];
  for (let at = size - 1; at >= 0; at -= 1) bytes.push(Number((BigInt(argument) >> BigInt(8 * at)) & 0xffn));
  return bytes;
}

/** A CBOR map of the one member `a`, which is an array of `times` copies of `unit`. */
const cbor = (unit, times) => ({
  bundle: repeated([0xa1, 0x61, 0x61, ...head(4, times, 4)], unit, times, []),
});

/** One policy more, whose member `a` is an array of `times` copies of `unit`, in a bundle that is good otherwise. */
function withPolicy(read, unit, times) {
  const bundle = Buffer.from(read("small.json"));
  const find = '"policies":[';
  const at = bundle.indexOf(find) + find.length;
  const rest = bundle[at] === "]".charCodeAt(0) ? "]}" : "]},";
  const policy = repeated(`{"a":[${unit}`, `,${unit}`, times - 1, rest);
  return { bundle: Buffer.concat([bundle.subarray(0, at), policy, bundle.subarray(at)]) };
}

/** Objects nested 55 deep whose names are never repeated: an engine keeps a layout for each. */
function differentNames(values) {
  const nests = [];
  for (let nest = 0; nest * 56 < values; nest += 1) {
    const opened = Array.from({ length: 55 }, (_, depth) => `{"k${nest}_${depth}":`);
    nests.push(Buffer.from(`${nest === 0 ? "" : ","}${opened.join("")}0${"}".repeat(55)}`));
  }
  return Buffer.concat(nests);
}

/** The bundle with a disclosed text, which is now `times` control characters in CBOR: each is six in JSON. */
function controlCharacters(read, times) {
  const bundle = Buffer.from(read("disclosed.cbor"));
  const find = Buffer.from([0xa1, 0x69, ...Buffer.from("exit_code"), 0]);
  const at = bundle.indexOf(find);
  if (at < 0) throw new Error("the bundle has no exit_code");
  const text = repeated(head(3, times, 4), [1], times, []);
  return { bundle: Buffer.concat([bundle.subarray(0, at), text, bundle.subarray(at + find.length)]) };
}

/** The good bundle with one text in it replaced by another; both are found byte by byte, since they may be long. */
function replaced(read, find, value) {
  const bundle = Buffer.from(read("disclosed.json"));
  const at = bundle.indexOf(find);
  if (at < 0) throw new Error(`the bundle has no ${find}`);
  return Buffer.concat([bundle.subarray(0, at), Buffer.from(value), bundle.subarray(at + find.length)]);
}

const DEEP = 100_000;
const deep = (unit) => repeated("", unit, DEEP, "");

/** A receipt member whose array has a million digests, and a bundle that is good otherwise. */
function parents(read) {
  const bundle = Buffer.from(read("small.json"));
  const find = '"parent_receipt_digests":[';
  const at = bundle.indexOf(find) + find.length;
  const digest = `"0x${"ab".repeat(32)}"`;
  const list = repeated(digest, `,${digest}`, MILLION - 1, "");
  return { bundle: Buffer.concat([bundle.subarray(0, at), list, bundle.subarray(at)]) };
}

export const INPUTS = {
  "json arrays": () => json('"policies":', "[", DEEP, ""),
  "json objects": () => json('"policies":', '{"a":', DEEP, ""),
  "cbor arrays": () => ({ bundle: repeated([0xa1, 0x61, 0x61], [0x81], DEEP, [0]) }),
  "cbor maps": () => ({ bundle: repeated([], [0xa1, 0x61, 0x61], DEEP, [0]) }),
  "deep trust policy": () => ({ policy: deep("[") }),
  "deep expectations": () => ({ options: { expectations: deep('{"a":') } }),
  "deep supplement": () => ({ options: { supplement: deep("[") } }),
  "deep heads": () => ({ options: { heads: deep("[") } }),

  "json text": () => json('"x":"', "a", 200 * MILLION, '"}'),
  "json text of wide characters": () => json('"x":"', "\u20ac", 67 * MILLION, '"}'),
  "json text of escapes": () => json('"x":"', "\\u0041", 33 * MILLION, '"}'),
  "json name": () => json('"', "a", 200 * MILLION, '":1}'),
  "json number": () => json('"policies":[{"a":0.', "3", 200 * MILLION, "}]}"),
  "cbor text": () => ({
    bundle: repeated([0xa1, 0x61, 0x61, ...head(3, 200 * MILLION, 4)], "a", 200 * MILLION, []),
  }),
  "cbor bytes": () => ({
    bundle: repeated([0xa1, 0x61, 0x61, ...head(2, 200 * MILLION, 4)], [7], 200 * MILLION, []),
  }),
  "disclosed text": (read) => ({
    bundle: replaced(read, '{"exit_code":0}', repeated('"', "a", 200 * MILLION, '"')),
  }),
  "name to escape": () => json('"', "~", 300 * MILLION, '":1}'),
  "names to escape": () => {
    const name = "~".repeat(MILLION);
    const names = Array.from({ length: 300 }, (_, index) => Buffer.from(`"${index}${name}":1`));
    const parts = names.flatMap((part, index) => (index === 0 ? [part] : [Buffer.from(","), part]));
    return { bundle: Buffer.concat([Buffer.from(`${HEAD},`), ...parts, Buffer.from("}")]) };
  },
  "cbor control characters": (read) => controlCharacters(read, 100 * MILLION),
  "cbor bytes beyond a text": () => ({
    bundle: repeated([0xa1, 0x61, 0x61, ...head(2, 300 * MILLION, 4)], [7], 300 * MILLION, []),
  }),

  "million delegations": () => json('"delegations":[1', ",1", MILLION - 1, "]}"),
  "million receipts": () => json('"receipts":[1', ",1", MILLION - 1, "]}"),
  "million receipts in cbor": () => ({
    bundle: repeated([0xa1, 0x68, ...Buffer.from("receipts"), ...head(4, MILLION, 4)], [1], MILLION, []),
  }),
  "million free numbers": () => json('"policies":[{"a":[1', ",1", MILLION - 1, "]}]}"),
  "million parents": parents,

  "faults of empty objects": () => json('"receipts":[{}', ",{}", 1_999_999, "]}"),
  "faults of long objects": () => json('"receipts":[1', ',{"x":"abc"}', 1_666_666, "]}"),
  "faults of names": () => {
    const names = Array.from({ length: 1_500_000 }, (_, index) => `"${index.toString(36)}x":1`);
    return { bundle: Buffer.from(`${HEAD},${names.join(",")}}`) };
  },
  "json of empty objects": () => json('"policies":[{"a":[{}', ",{}", 6_600_000, "]}]}"),
  "json of short arrays": () => json('"policies":[{"a":[[1]', ",[1]", 3_900_000, "]}]}"),
  "json of zeros": () => json('"policies":[{"a":[0', ",0", 30 * MILLION, "]}]}"),
  "json of empty arrays": () => json('"policies":[{"a":[[]', ",[]", 20 * MILLION, "]}]}"),
  "json of nested objects": () => json('"policies":[0', ',{"a":{"a":{}}}', 4 * MILLION, "]}"),
  "cbor of integers": () => cbor([1], 20 * MILLION),
  "cbor of empty maps": () => cbor([0xa0], 10 * MILLION),
  "cbor of nested maps": () => cbor([0xa1, 0x61, 0x61, 0xa0], 5 * MILLION),
  "most cbor integers": () => cbor([1], 8 * MILLION - 2),
  "most cbor empty maps": () => cbor([0xa0], 8 * MILLION - 2),
  "most zeros": (read) => withPolicy(read, "0", 7_999_000),
  "most empty objects": (read) => withPolicy(read, "{}", 7_999_000),
  "most empty arrays": (read) => withPolicy(read, "[]", 7_999_000),
  "most texts": (read) => withPolicy(read, '"0123456789abcdef"', 7_999_000),
  "most different names": (read) => withPolicy(read, differentNames(7_998_000), 1),

  "a chain of receipts": (read) => ({ bundle: read("chain.json") }),
  "a chain of receipts in cbor": (read) => ({ bundle: read("chain.cbor") }),
  "a chain of delegations": (read) => ({ bundle: read("delegations.json") }),
};
