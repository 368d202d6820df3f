import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ed25519 } from "@noble/curves/ed25519.js";
import { formatCheckpoint } from "../../src/anchors/checkpoint.js";
import { cosignatureMessage, formatCosignature } from "../../src/anchors/cosignature.js";
import { formatNote, type NoteSignature } from "../../src/anchors/note.js";
import { formatTlogProof } from "../../src/anchors/tlog-proof.js";
import type { Operator, TlogTrust, WitnessGroup } from "../../src/anchors/tlog-trust.js";
import {
  COSIGNATURE_ED25519,
  makeVerifierKey,
  NOTE_ED25519,
  parseVerifierKey,
  type VerifierKey,
} from "../../src/anchors/verifier-key.js";
import { spkiFromEd25519 } from "../../src/crypto/keys.js";
import type { Signer } from "../../src/crypto/signer.js";
import { decodeHex } from "../../src/encoding/hex.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { evidenceTree } from "../../src/tree/merkle.js";

const VECTORS = new URL("../../../shared/vectors/tlog/", import.meta.url);

/** True when the public vectors lie beside the project; says so once when they do not. */
export const haveVectors: boolean = existsSync(fileURLToPath(VECTORS));
if (!haveVectors) console.warn("skipped: ../shared/vectors/tlog is not there");

export function vectorBytes(path: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(path, VECTORS)));
}

export function vectorText(path: string): string {
  return readFileSync(new URL(path, VECTORS), "utf8");
}

export function vectorDirectory(path: string): string {
  return fileURLToPath(new URL(path, VECTORS));
}

/** A value that the test knows to be there. */
export function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error("expected a value");
  return value;
}

export function bytes(hex: string): Uint8Array {
  return present(decodeHex(`0x${hex}`));
}

/** 32 bytes that count up from `first`. */
export function seed(first: number): Uint8Array {
  return Uint8Array.from({ length: 32 }, (_, i) => (first + i) & 0xff);
}

export function spkiOf(secret: Uint8Array): Uint8Array {
  return spkiFromEd25519(ed25519.getPublicKey(secret));
}

export function testSigner(secret: Uint8Array, keyId = "test"): Signer {
  return {
    keyId,
    algorithm: "ED25519",
    publicKey: spkiOf(secret),
    sign: async (message) => ed25519.sign(message, secret),
  };
}

export function logKey(name: string, secret: Uint8Array): VerifierKey {
  return present(makeVerifierKey(name, NOTE_ED25519, spkiOf(secret)));
}

export function witnessKey(name: string, secret: Uint8Array): VerifierKey {
  return present(makeVerifierKey(name, COSIGNATURE_ED25519, spkiOf(secret)));
}

/** The line of a log key over a text. */
export function logLine(name: string, secret: Uint8Array, text: string): NoteSignature {
  const { keyId } = logKey(name, secret);
  return { name, keyId, signature: ed25519.sign(encodeUtf8(text), secret) };
}

/** The line of a witness key over a text at a time. */
export function witnessLine(name: string, secret: Uint8Array, text: string, time: number): NoteSignature {
  const { keyId } = witnessKey(name, secret);
  const signature = ed25519.sign(cosignatureMessage(text, time), secret);
  return { name, keyId, signature: formatCosignature({ time, signature }) };
}

/** The eight leaves of the Certificate Transparency test tree. */
export const CT_LEAVES: readonly Uint8Array[] = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f",
].map(bytes);

export const LOG_SEED: Uint8Array = seed(0x00);
export const W1_SEED: Uint8Array = seed(0x20);
export const W2_SEED: Uint8Array = seed(0x40);
export const W3_SEED: Uint8Array = seed(0x60);

/** Leaf 5 of the tree of eight, log `example.com/log`, witnesses w1 at 1700000000 and w2 at 1700000001. */
export const SAMPLE_PROOF = `c2sp.org/tlog-proof@v1
index 5
vBoGQ7EuTS18d5GPROD095qDi2z57FtcKD4fTYhZnms=
yoVOoSjtBQtBs1/8G4e46yveRh6eO1WW7Oa51ZdaCuA=
037kGJdt2VdTwcc4Yrk5j6Kiz5tP8P3+izDNlSCWFLc=

example.com/log
8
XcnaeacGWamtVZy3Ad7ZoqudgjqtL0lgz+Nw7/RgQyg=

— example.com/log 1FXFIQghEbt48JV0nbbvyoj51oOGWi8PWVu51z3js1zWy2qLhh2zcvy6M2X+e8pEVRpGR/9z7MVVru29jIzLkdPuEwg=
— w1.example nh/YGAAAAABlU/EA5qoXb2upYCVvwU57HyfnAEFRmLcQJPcjxRBvQm06RwFL5yc6USs37aZKNWAqDA8Mlem5PPKrnJ0Kitk8yjXCDA==
— w2.example MxNU1AAAAABlU/EB7/XcGgt9ZjHqEw95lp8jI45tFBDrKY3vbwWF4+PhLOeR+pVtoOgWSlIvIn22s/UvndrCQ7VUIRFCif39cH93Dg==
`;

export const SAMPLE_LOG_VKEY = "example.com/log+d455c521+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4";
export const SAMPLE_W1_VKEY = "w1.example+9e1fd818+BCmsuuFBvMrwsi4alNNNC8c2HlJtC/4SyJeUvJMilm3X";
export const SAMPLE_W2_VKEY = "w2.example+331354d4+BCVDuS/xCVURR2rcg2nbbdyTNmWhGXjdoUBO4QZsqVWd";

export interface TrustShape {
  readonly witnesses?: readonly {
    readonly name: string;
    readonly key: VerifierKey;
    readonly operator?: Operator;
  }[];
  readonly groups?: readonly WitnessGroup[];
  readonly quorum?: string;
}

/** The sample log and witnesses, all of them needed, unless the shape says otherwise. */
export function sampleTrust(shape: TrustShape = {}): TlogTrust {
  const witnesses = shape.witnesses ?? [
    { name: "w1", key: present(parseVerifierKey(SAMPLE_W1_VKEY)) },
    { name: "w2", key: present(parseVerifierKey(SAMPLE_W2_VKEY)) },
  ];
  return {
    logs: [{ origin: "example.com/log", key: present(parseVerifierKey(SAMPLE_LOG_VKEY)), operator: "own" }],
    witnesses: witnesses.map((witness) => ({ operator: "independent", ...witness })),
    groups: shape.groups ?? [{ name: "both", threshold: 2, members: ["w1", "w2"] }],
    quorum: shape.quorum ?? "both",
  };
}

export interface ProofShape {
  readonly index?: number;
  readonly leaves?: readonly Uint8Array[];
  readonly path?: readonly Uint8Array[];
  readonly origin?: string;
  readonly extensions?: readonly string[];
  /** Makes the signature lines from the checkpoint text. */
  readonly sign?: (text: string) => readonly NoteSignature[];
}

/** A proof over a fresh tree, signed as the shape says; by the sample log alone when it does not. */
export function makeProof(shape: ProofShape = {}): string {
  const leaves = shape.leaves ?? CT_LEAVES;
  const index = shape.index ?? 5;
  const tree = evidenceTree(leaves);
  const text = formatCheckpoint({
    origin: shape.origin ?? "example.com/log",
    size: tree.size,
    root: tree.root,
    extensions: shape.extensions ?? [],
  });
  const sign = shape.sign ?? ((signed: string) => [logLine("example.com/log", LOG_SEED, signed)]);
  const path = shape.path ?? tree.inclusionProof(index);
  return formatTlogProof({ index, path, checkpoint: formatNote(text, sign(text)), extra: null });
}
