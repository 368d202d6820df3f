import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anchorEntryBytes } from "../../src/anchors/anchor-entry.js";
import { formatNote } from "../../src/anchors/note.js";
import { checkTlogProof, type TlogOutcome, type TlogTrust } from "../../src/anchors/tlog.js";
import { parseVerifierKey } from "../../src/anchors/verifier-key.js";
import { decodeUtf8, encodeUtf8 } from "../../src/encoding/utf8.js";
import {
  CT_LEAVES,
  haveVectors,
  LOG_SEED,
  logKey,
  logLine,
  makeProof,
  present,
  SAMPLE_PROOF,
  sampleTrust,
  seed,
  vectorBytes,
  vectorText,
  W1_SEED,
  W2_SEED,
  W3_SEED,
  witnessKey,
  witnessLine,
} from "./support.js";

const ENTRY = present(CT_LEAVES[5]);
const TRUST = sampleTrust();

/** The sample log, and three witnesses of which two are enough. */
const TWO_OF_THREE = sampleTrust({
  witnesses: [
    { name: "w1", key: witnessKey("w1.example", W1_SEED) },
    { name: "w2", key: witnessKey("w2.example", W2_SEED), operator: "own" },
    { name: "w3", key: witnessKey("w3.example", W3_SEED) },
  ],
  groups: [{ name: "most", threshold: 2, members: ["w1", "w2", "w3"] }],
  quorum: "most",
});

/** A proof signed by the sample log and by these witnesses at these times. */
function cosigned(...times: readonly (number | null)[]): string {
  return makeProof({
    sign: (text) => [
      logLine("example.com/log", LOG_SEED, text),
      ...times.flatMap((time, i) =>
        time === null
          ? []
          : [witnessLine(`w${i + 1}.example`, present([W1_SEED, W2_SEED, W3_SEED][i]), text, time)],
      ),
    ],
  });
}

/** The code of a wrong outcome, or the kind of another. */
function verdict(outcome: TlogOutcome): string {
  return outcome.kind === "wrong" ? outcome.code : outcome.kind;
}

describe("checkTlogProof", () => {
  it("checks the sample in full", () => {
    expect(checkTlogProof(SAMPLE_PROOF, ENTRY, TRUST)).toEqual({
      kind: "checked",
      origin: "example.com/log",
      operator: "own",
      size: 8,
      root: "0x5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
      index: 5,
      cosigners: [
        { name: "w1", time: 1_700_000_000, operator: "independent" },
        { name: "w2", time: 1_700_000_001, operator: "independent" },
      ],
      quorumMet: true,
      time: 1_700_000_001_000,
    });
  });

  it("checks every leaf of every tree of up to nine leaves", () => {
    const leaves = Array.from({ length: 9 }, (_, i) => Uint8Array.of(i));
    for (let size = 1; size <= leaves.length; size++) {
      for (let index = 0; index < size; index++) {
        const proof = makeProof({ leaves: leaves.slice(0, size), index });
        const outcome = checkTlogProof(proof, present(leaves[index]), sampleTrust({ quorum: "none" }));
        expect(outcome).toMatchObject({ kind: "checked", size, index, quorumMet: true, time: null });
      }
    }
  });

  it("F070 a genuine proof of another entry folds, but is not for this one", () => {
    for (const [i, leaf] of CT_LEAVES.entries()) {
      expect(verdict(checkTlogProof(SAMPLE_PROOF, leaf, TRUST))).toBe(
        i === 5 ? "checked" : "ANCHOR_ENTRY_MISMATCH",
      );
    }
  });

  it.each([
    ["without its hashes", SAMPLE_PROOF.replace(/(?:[A-Za-z0-9+/]{43}=\n){3}\n/, "\n")],
    ["without its last hash", SAMPLE_PROOF.replace("037kGJdt2VdTwcc4Yrk5j6Kiz5tP8P3+izDNlSCWFLc=\n", "")],
    [
      "with a hash too many",
      SAMPLE_PROOF.replace("037k", "037kGJdt2VdTwcc4Yrk5j6Kiz5tP8P3+izDNlSCWFLc=\n037k"),
    ],
    ["without index", SAMPLE_PROOF.replace("index 5\n", "")],
    ["without checkpoint", SAMPLE_PROOF.slice(0, SAMPLE_PROOF.indexOf("example.com"))],
    ["without signature lines", SAMPLE_PROOF.slice(0, SAMPLE_PROOF.indexOf("\u2014"))],
    ["without root", SAMPLE_PROOF.replace("XcnaeacGWamtVZy3Ad7ZoqudgjqtL0lgz+Nw7/RgQyg=\n", "")],
    ["that is empty", ""],
  ])("F071 half an anchor is a wrong one: a proof %s", (_, proof) => {
    expect(verdict(checkTlogProof(proof, ENTRY, TRUST))).toBe("ANCHOR_PROOF_INVALID");
    expect(verdict(checkTlogProof(SAMPLE_PROOF, ENTRY, TRUST))).toBe("checked");
  });

  it("F073 a path without the log's signature proves nothing, and the reason says so", () => {
    const unsigned = makeProof({ sign: (text) => [witnessLine("w1.example", W1_SEED, text, 5)] });
    expect(checkTlogProof(unsigned, ENTRY, TRUST)).toEqual({
      kind: "wrong",
      code: "ANCHOR_PROOF_INVALID",
      detail:
        'the checkpoint claims the pinned origin "example.com/log" and has no signature line by its pinned key',
    });
    // A line of the same name by another key is a line of an unknown key.
    const impostor = makeProof({ sign: (text) => [logLine("example.com/log", seed(7), text)] });
    expect(verdict(checkTlogProof(impostor, ENTRY, TRUST))).toBe("ANCHOR_PROOF_INVALID");
    expect(verdict(checkTlogProof(makeProof(), ENTRY, TRUST))).toBe("checked");
  });

  it("F073 the log's signature counts wherever its line stands", () => {
    const last = makeProof({
      sign: (text) => [
        logLine("unknown.example", seed(9), text),
        witnessLine("w2.example", W2_SEED, text, 3),
        witnessLine("w1.example", W1_SEED, text, 2),
        logLine("example.com/log", LOG_SEED, text),
      ],
    });
    expect(checkTlogProof(last, ENTRY, TRUST)).toMatchObject({
      kind: "checked",
      quorumMet: true,
      time: 3000,
    });
  });

  it("F075 the same tree cosigned again later is as good, and dated later", () => {
    expect(checkTlogProof(cosigned(100, 100), ENTRY, TRUST)).toMatchObject({
      quorumMet: true,
      time: 100_000,
    });
    expect(checkTlogProof(cosigned(900, 900), ENTRY, TRUST)).toMatchObject({
      quorumMet: true,
      time: 900_000,
    });
    expect(checkTlogProof(cosigned(100, 900), ENTRY, TRUST)).toMatchObject({
      quorumMet: true,
      time: 900_000,
    });
  });

  it("an origin that is not pinned is unpinned, whatever else is wrong with it", () => {
    const elsewhere = { origin: "other.example/log" };
    const own = { ...elsewhere, sign: (text: string) => [logLine("other.example/log", seed(1), text)] };
    const bad = { ...elsewhere, sign: (text: string) => [logLine("example.com/log", LOG_SEED, `${text} `)] };
    for (const proof of [makeProof(own), makeProof(bad), makeProof({ ...own, path: [] })]) {
      expect(checkTlogProof(proof, ENTRY, TRUST)).toEqual({ kind: "unpinned", origin: "other.example/log" });
    }
  });

  it("a log is its origin and its key: the name in the key may differ, another pinned log's key does not do", () => {
    const named = makeProof({ sign: (text) => [logLine("key.example", LOG_SEED, text)] });
    const log = {
      origin: "example.com/log",
      key: logKey("key.example", LOG_SEED),
      operator: "independent",
    } as const;
    const other = {
      origin: "other.example",
      key: logKey("other.example", seed(8)),
      operator: "own",
    } as const;
    const trust: TlogTrust = { ...TRUST, logs: [log, other] };
    expect(checkTlogProof(named, ENTRY, trust)).toMatchObject({ kind: "checked", operator: "independent" });
    expect(verdict(checkTlogProof(named, ENTRY, TRUST))).toBe("ANCHOR_PROOF_INVALID");
    const byOther = makeProof({ sign: (text) => [logLine("other.example", seed(8), text)] });
    expect(verdict(checkTlogProof(byOther, ENTRY, trust))).toBe("ANCHOR_PROOF_INVALID");
  });

  it.each([
    ["the log", 0],
    ["a witness", 1],
    ["another pinned log", 3],
  ])("a line of %s that does not verify makes the anchor wrong, though the rest would do", (_, line) => {
    const other = {
      origin: "other.example",
      key: logKey("other.example", seed(8)),
      operator: "own",
    } as const;
    const trust: TlogTrust = { ...TWO_OF_THREE, logs: [...TWO_OF_THREE.logs, other] };
    const build = (broken: number | null): string =>
      makeProof({
        sign: (text) =>
          [0, 1, 2, 3, 4].map((i) => {
            const signed = i === broken ? text.replace("8\n", "9\n") : text;
            if (i === 0) return logLine("example.com/log", LOG_SEED, signed);
            if (i === 3) return logLine("other.example", seed(8), signed);
            return witnessLine(
              `w${i === 4 ? 3 : i}.example`,
              present([W1_SEED, W2_SEED, W3_SEED][i === 4 ? 2 : i - 1]),
              signed,
              5,
            );
          }),
      });
    expect(verdict(checkTlogProof(build(null), ENTRY, trust))).toBe("checked");
    expect(verdict(checkTlogProof(build(line), ENTRY, trust))).toBe("ANCHOR_PROOF_INVALID");
  });

  it("ignores lines of unknown keys and types, however broken", () => {
    const text = SAMPLE_PROOF.slice(
      SAMPLE_PROOF.indexOf("example.com"),
      SAMPLE_PROOF.indexOf("\n\n\u2014") + 1,
    );
    const unknown = [
      { name: "w9.example", keyId: "00000000", signature: new Uint8Array(2428) },
      { name: "w1.example", keyId: "00000000", signature: Uint8Array.of(1) },
    ];
    const lines = formatNote(text, unknown).slice(text.length + 1);
    expect(checkTlogProof(SAMPLE_PROOF + lines, ENTRY, TRUST)).toEqual(
      checkTlogProof(SAMPLE_PROOF, ENTRY, TRUST),
    );
  });

  it("refuses a cosignature line that stands there twice", () => {
    const again = SAMPLE_PROOF.split("\n").at(-2) ?? "";
    expect(verdict(checkTlogProof(`${SAMPLE_PROOF}${again}\n`, ENTRY, TRUST))).toBe("ANCHOR_PROOF_INVALID");
    const later = makeProof({
      sign: (text) => [
        logLine("example.com/log", LOG_SEED, text),
        witnessLine("w1.example", W1_SEED, text, 5),
        witnessLine("w1.example", W1_SEED, text, 6),
      ],
    });
    expect(verdict(checkTlogProof(later, ENTRY, TWO_OF_THREE))).toBe("ANCHOR_PROOF_INVALID");
  });

  it("one key under a second name is no second witness", () => {
    const two = makeProof({
      sign: (text) => [
        logLine("example.com/log", LOG_SEED, text),
        witnessLine("w1.example", W1_SEED, text, 5),
        witnessLine("alias.example", W1_SEED, text, 5),
      ],
    });
    expect(checkTlogProof(two, ENTRY, TWO_OF_THREE)).toMatchObject({
      kind: "checked",
      quorumMet: false,
      time: null,
    });
  });

  it("signatures cover extension lines", () => {
    const sign = (text: string) => [
      logLine("example.com/log", LOG_SEED, text),
      witnessLine("w1.example", W1_SEED, text, 5),
      witnessLine("w2.example", W2_SEED, text, 6),
    ];
    const extended = makeProof({ extensions: ["build 7"], sign });
    expect(checkTlogProof(extended, ENTRY, TRUST)).toMatchObject({ kind: "checked", quorumMet: true });
    expect(verdict(checkTlogProof(extended.replace("build 7", "build 8"), ENTRY, TRUST))).toBe(
      "ANCHOR_PROOF_INVALID",
    );
    // A witness that left the extension lines out of its message has not signed this text.
    const short = makeProof({
      extensions: ["build 7"],
      sign: (text) => [
        ...sign(text).slice(0, 2),
        witnessLine("w2.example", W2_SEED, text.replace("build 7\n", ""), 6),
      ],
    });
    expect(verdict(checkTlogProof(short, ENTRY, TRUST))).toBe("ANCHOR_PROOF_INVALID");
  });

  it.each([
    ["index at the size", "index 5", "index 8"],
    ["index far beyond", "index 5", "index 9007199254740991"],
    ["another index of the same path length", "index 5", "index 4"],
  ])("refuses %s", (_, from, to) => {
    const expected = to === "index 4" ? "ANCHOR_ENTRY_MISMATCH" : "ANCHOR_PROOF_INVALID";
    expect(verdict(checkTlogProof(SAMPLE_PROOF.replace(from, to), ENTRY, TRUST))).toBe(expected);
  });

  it("refuses a proof in an empty tree", () => {
    const root = "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=";
    const text = `example.com/log\n0\n${root}\n`;
    const note = formatNote(text, [logLine("example.com/log", LOG_SEED, text)]);
    const proof = `c2sp.org/tlog-proof@v1\nindex 0\n\n${note}`;
    expect(verdict(checkTlogProof(proof, ENTRY, TRUST))).toBe("ANCHOR_PROOF_INVALID");
  });

  it("never throws, and gives no other verdict than a wrong anchor, when one character of the sample is another", () => {
    fc.assert(
      fc.property(
        fc.nat(SAMPLE_PROOF.length - 1),
        fc.string({ unit: "binary", minLength: 0, maxLength: 2 }),
        (at, text) => {
          const changed = SAMPLE_PROOF.slice(0, at) + text + SAMPLE_PROOF.slice(at + 1);
          const outcome = checkTlogProof(changed, ENTRY, TRUST);
          if (changed === SAMPLE_PROOF) return outcome.kind === "checked";
          if (outcome.kind === "unpinned") return !changed.includes("\nexample.com/log\n");
          // A changed name or key id turns a known line into an unknown one: then the quorum is short.
          return outcome.kind === "wrong" || (outcome.kind === "checked" && !outcome.quorumMet);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("quorum and time", () => {
  it.each([
    ["nobody", [null, null, null], false, null],
    ["one", [10, null, null], false, null],
    ["two", [20, 10, null], true, 20_000],
    ["three, of which the second latest counts", [30, 10, 20], true, 20_000],
    ["two at the same time", [10, 10, null], true, 10_000],
    ["time 0 dates nothing", [0, 10, null], true, null],
    ["time 0 beside enough dated ones", [0, 10, 20], true, 20_000],
    ["time 0 only", [0, 0, 0], true, null],
    ["one undated", [0, null, null], false, null],
  ])("two of three: %s", (_, times, met, time) => {
    const outcome = checkTlogProof(cosigned(...times), ENTRY, TWO_OF_THREE);
    expect(outcome).toMatchObject({ kind: "checked", quorumMet: met, time });
    if (outcome.kind !== "checked") return;
    expect(outcome.cosigners.map((cosigner) => cosigner.time)).toEqual(times.filter((one) => one !== null));
  });

  it("no quorum dates nothing, whoever cosigned", () => {
    const trust = { ...TWO_OF_THREE, quorum: "none", groups: [] };
    expect(checkTlogProof(cosigned(5, 50, 7), ENTRY, trust)).toMatchObject({ quorumMet: true, time: null });
    expect(checkTlogProof(cosigned(5, 50, 7), ENTRY, TWO_OF_THREE)).toMatchObject({ time: 7000 });
  });

  it("a wrong line of one pinned log key is not mended by a good line of another", () => {
    const second = logKey("example.com/log2", W1_SEED);
    const trust = {
      ...sampleTrust({ quorum: "none" }),
      logs: [...TRUST.logs, { origin: "example.com/log", key: second, operator: "own" as const }],
    };
    const signed = (spoil: (signature: Uint8Array) => Uint8Array): string =>
      makeProof({
        sign: (text) => {
          const line = logLine("example.com/log2", W1_SEED, text);
          return [logLine("example.com/log", LOG_SEED, text), { ...line, signature: spoil(line.signature) }];
        },
      });
    expect(
      verdict(
        checkTlogProof(
          signed((signature) => signature),
          ENTRY,
          trust,
        ),
      ),
    ).toBe("checked");
    const reversed = checkTlogProof(
      signed((signature) => signature.toReversed()),
      ENTRY,
      trust,
    );
    expect(verdict(reversed)).toBe("ANCHOR_PROOF_INVALID");
  });

  it("a single witness as quorum is dated by that witness alone", () => {
    const trust = { ...TWO_OF_THREE, quorum: "w2", groups: [] };
    expect(checkTlogProof(cosigned(5, 50, 7), ENTRY, trust)).toMatchObject({ quorumMet: true, time: 50_000 });
    expect(checkTlogProof(cosigned(5, null, 7), ENTRY, trust)).toMatchObject({
      quorumMet: false,
      time: null,
    });
  });

  it("nested groups are dated when the last one needed is met", () => {
    const groups = [
      { name: "a", threshold: 1, members: ["w1", "w2"] },
      { name: "b", threshold: 2, members: ["a", "w3"] },
    ];
    const trust = { ...TWO_OF_THREE, groups, quorum: "b" };
    expect(checkTlogProof(cosigned(5, 50, 7), ENTRY, trust)).toMatchObject({ quorumMet: true, time: 7000 });
    expect(checkTlogProof(cosigned(5, 50, null), ENTRY, trust)).toMatchObject({
      quorumMet: false,
      time: null,
    });
  });

  it("cosigners carry who runs them", () => {
    const outcome = checkTlogProof(cosigned(5, 50, 7), ENTRY, TWO_OF_THREE);
    expect(outcome.kind === "checked" && outcome.cosigners.map((one) => one.operator)).toEqual([
      "independent",
      "own",
      "independent",
    ]);
  });
});

describe("anchorEntryBytes", () => {
  it("is the canonical form of exactly six members", () => {
    const entry = anchorEntryBytes({
      namespaceId: "n",
      subject: "evidence_root",
      digest: `0x${"ab".repeat(32)}`,
      treeSize: 3,
    });
    expect(decodeUtf8(entry)).toBe(
      `{"digest":"0x${"ab".repeat(32)}","namespace_id":"n","protocol":"OSA_PROOF_V3","subject":"evidence_root","tree_size":3,"type":"AnchorEntryV1"}`,
    );
  });
});

describe.skipIf(!haveVectors)("public proofs", () => {
  const sumdb: TlogTrust = {
    logs: [
      {
        origin: "go.sum database tree",
        key: present(
          parseVerifierKey("sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8"),
        ),
        operator: "independent",
      },
    ],
    witnesses: [],
    groups: [],
    quorum: "none",
  };

  it("checks a proof of the Go checksum database, and refuses it with another index", () => {
    const leaf = vectorBytes("tlog-proof/sumdb-43930254.leaf.txt");
    const proof = vectorText("tlog-proof/sumdb-43930254.tlog-proof");
    expect(checkTlogProof(proof, leaf, sumdb)).toMatchObject({
      kind: "checked",
      index: 43930254,
      size: 58253265,
    });
    const wrong = vectorText("tlog-proof/wrong-index.tlog-proof");
    expect(verdict(checkTlogProof(wrong, leaf, sumdb))).toBe("ANCHOR_ENTRY_MISMATCH");
    expect(verdict(checkTlogProof(proof, encodeUtf8("another leaf"), sumdb))).toBe("ANCHOR_ENTRY_MISMATCH");
    expect(checkTlogProof(proof, leaf, TRUST)).toEqual({ kind: "unpinned", origin: "go.sum database tree" });
  });
});
