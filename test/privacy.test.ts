/** What a receipt and a bundle say of values that are not disclosed: nothing (docs/SPEC.md, "Commitments"). */
import { readFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { encodeBundle } from "../src/bundle/codec.js";
import type { ProofBundleV3 } from "../src/bundle/format.js";
import { withholdDisclosures } from "../src/bundle/index.js";
import { sha256 } from "../src/crypto/digest.js";
import { decodeHex, encodeHex } from "../src/encoding/hex.js";
import { canonicalBytes } from "../src/encoding/jcs.js";
import type { JsonValue } from "../src/encoding/json-value.js";
import { encodeUtf8 } from "../src/encoding/utf8.js";
import { createLocalSigner, type SignedAction, signAction } from "../src/runtime/index.js";
import { type CommittedValue, commit, commitmentOf } from "../src/statements/commitment.js";
import { verifyBundle } from "../src/verifier/verify.js";
import { atDesk, type Desk } from "./cli/workspace-support.js";

const IBAN = "XK05 1212 0123 4567 8906 of Ms Quillfeather";
const AMOUNT = 73_918_264;
const ANSWER = "approved: transfer to Zanzibar Holdings";
const PAYMENT = { tool: "pay", arguments: { iban: IBAN, amount: AMOUNT }, result: ANSWER };
/** Equal to the first, so that equal values meet in one tree. */
const CALLS = [PAYMENT, { ...PAYMENT, parents: [0] }];

const NUMBER_TEXT = Buffer.from(String(AMOUNT));
const NUMBER_CBOR = Buffer.from("1a0467e738", "hex");
/** The parts of the values above, in the spellings that either encoding has. */
const PARTS: readonly Buffer[] = [
  ...[IBAN, "Quillfeather", ANSWER, "Zanzibar"].map((text) => Buffer.from(text)),
  NUMBER_TEXT,
  NUMBER_CBOR,
];

const signer = createLocalSigner({
  keyId: "key-1",
  algorithm: "ED25519",
  privateKey: new Uint8Array(32).fill(7),
});

/** Signs one action whose input, output and two evidence items have the same content. */
async function act(json: JsonValue): Promise<SignedAction> {
  return signAction({
    signer,
    context: {
      namespace_id: "org.example",
      agent_id: "@ai:agents.example.org/planner",
      runtime_id: "runtime-1",
      session_id: "session-1",
      mission_id: "mission-1",
      delegation_digest: encodeHex(sha256(encodeUtf8("delegation"))),
      policy_digest: encodeHex(sha256(encodeUtf8("policy"))),
    },
    sequence: 1,
    parents: [],
    tool: "ask",
    input: { json },
    output: { json },
    status: "completed",
    evidence: [{ json }, { json }],
    now: Date.UTC(2026, 0, 2),
  });
}

function openingsOf({
  openings,
}: SignedAction): readonly { readonly salt: string; readonly value: CommittedValue }[] {
  return [openings.input, openings.output, ...openings.evidence];
}

/** Every way in which 32 bytes may have been written down. */
function spellings(hex: string): readonly Buffer[] {
  const bytes = Buffer.from(hex.slice(2), "hex");
  const texts = [
    hex.slice(2),
    hex.slice(2).toUpperCase(),
    bytes.toString("base64").slice(0, 40),
    bytes.join(","),
  ];
  return [bytes, ...texts.map((text) => Buffer.from(text))];
}

function holdsAny(bytes: Uint8Array, needles: readonly Buffer[]): boolean {
  const all = Buffer.from(bytes);
  return needles.some((needle) => all.includes(needle));
}

/** All that the platform's generator gave out since these tests began, as hex: a draw serves more than one action. */
const drawn: string[] = [];

/** How often these bytes stand in what was given out; one draw may serve several values. */
function timesDrawn(hex: string): number {
  return drawn.join(" ").split(hex.slice(2)).length - 1;
}

beforeEach(() => {
  const draw = globalThis.crypto.getRandomValues.bind(globalThis.crypto);
  vi.spyOn(globalThis.crypto, "getRandomValues").mockImplementation((array) => {
    const filled = draw(array);
    if (filled instanceof Uint8Array) drawn.push(encodeHex(filled));
    return filled;
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("commitments", () => {
  it("F097 differ for equal values, in one receipt and in the next", async () => {
    const made = [await act("yes"), await act("yes")];
    const opened = made.flatMap(openingsOf);
    const commitments = opened.map(({ salt, value }) =>
      commitmentOf(decodeHex(salt) ?? new Uint8Array(), value),
    );
    expect(new Set(commitments).size).toBe(8);
    expect(new Set(made.map(({ receipt }) => receipt.evidence_merkle_root)).size).toBe(2);
    for (const { receipt, openings } of made) {
      const { input, output } = openings;
      expect(receipt.input_commitment).toBe(
        commitmentOf(decodeHex(input.salt) ?? new Uint8Array(), input.value),
      );
      expect(receipt.output_commitment).toBe(
        commitmentOf(decodeHex(output.salt) ?? new Uint8Array(), output.value),
      );
    }
  });

  it("F097 take each salt, of 256 bits, from the platform's generator and use it once", async () => {
    const other = vi.spyOn(Math, "random");
    const salts = [await act("yes"), await act("yes")].flatMap(openingsOf).map(({ salt }) => salt);
    expect(new Set(salts).size).toBe(8);
    for (const salt of salts) {
      expect(decodeHex(salt)).toHaveLength(32);
      expect(timesDrawn(salt)).toBe(1);
    }
    expect(other).not.toHaveBeenCalled();
  });

  it("F098 of few possible values are found by no enumeration over what the receipt shows", async () => {
    for (const answer of ["yes", "no"]) {
      const { receipt } = await act(answer);
      const shown = Object.values(receipt).filter((value) => typeof value === "string");
      const guesses = ["yes", "no"].flatMap((json) => [
        encodeUtf8(json),
        canonicalBytes(json),
        canonicalBytes({ kind: "input", receipt_id: receipt.receipt_id, json }),
        canonicalBytes({ kind: "output", receipt_id: receipt.receipt_id, json, status: "completed" }),
      ]);
      const salts = [
        new Uint8Array(0),
        new Uint8Array(32),
        ...shown.flatMap((text) => [encodeUtf8(text), decodeHex(text) ?? new Uint8Array()]),
      ];
      const found = guesses.flatMap((guess) =>
        salts.map((salt) => encodeHex(sha256(Buffer.concat([salt, guess])))),
      );
      expect(found).not.toContain(receipt.input_commitment);
      expect(found).not.toContain(receipt.output_commitment);
    }
  });

  it("F098 says nothing of a value by the size of its receipt", async () => {
    const sizes = [];
    for (const json of ["y", "a much longer answer ".repeat(500), { deep: [[[1]]] }]) {
      sizes.push(canonicalBytes({ ...(await act(json)).receipt }).length);
    }
    expect(new Set(sizes).size).toBe(1);
  });

  it("are refused without a word of value or salt", async () => {
    const salt = sha256(encodeUtf8("some salt"));
    const secrets = [...PARTS, ...spellings(encodeHex(salt))];
    const value = { kind: "input", receipt_id: "receipt-1", json: { iban: IBAN, answer: ANSWER } } as const;
    expect(holdsAny(canonicalBytes(commit(value, salt).value.json ?? null), secrets)).toBe(true);
    const bad: readonly (() => unknown)[] = [
      () => commit({ ...value, json: { iban: IBAN, amount: 2 ** 60 } }, salt),
      () => commit({ ...value, json: { [IBAN]: "\ud800" } }, salt),
      () => commit({ ...value, json: [ANSWER, Number.NaN] }, salt),
      () => commit({ ...value, status: "completed" }, salt),
      () => commit({ ...value, bytes: `0x${Buffer.from(IBAN).toString("hex")}` }, salt),
      () => commit(value, salt.subarray(1)),
    ];
    for (const call of bad) {
      const error = thrownBy(call);
      expect(error).toMatchObject({ name: "OsaProofError" });
      expect(holdsAny(Buffer.from(`${error.message} ${String(error.cause)}`), secrets)).toBe(false);
    }
  });
});

function thrownBy(call: () => unknown): Error {
  try {
    call();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("expected an error");
}

/** A workspace with two recorded payments, sealed in an anchored tree. */
async function recorded(desk: Desk): Promise<readonly string[]> {
  await writeFile(desk.path("calls.json"), JSON.stringify(CALLS));
  await desk.all("init --no-passphrase", "record --from calls.json --delegate", "seal");
  const openings = await desk.text("openings.jsonl");
  return [...openings.matchAll(/"salt":"(0x[0-9a-f]{64})"/g)].map(([, salt = ""]) => salt);
}

describe("a workspace", () => {
  it("keeps salts and values in its openings alone: no receipt, tree, anchor, log or message has them", async () => {
    await atDesk(async (desk) => {
      const salts = await recorded(desk);
      expect(salts).toHaveLength(8);
      expect(salts.every((salt) => timesDrawn(salt) === 1)).toBe(true);
      const secrets = [...PARTS, ...salts.flatMap(spellings)];
      await desk.all(
        "bundle -o none.json --disclose none",
        "verify none.json --trust trust.json",
        "inspect none.json",
      );
      await rm(desk.path("calls.json"));
      const files = await desk.files();
      const holding = [...files].filter(([, bytes]) => holdsAny(bytes, secrets)).map(([name]) => name);
      expect(holding).toEqual(["openings.jsonl"]);
      expect([...files.keys()].some((name) => /receipts/.test(name))).toBe(true);
      expect(desk.written).not.toBe("");
      expect(holdsAny(Buffer.from(desk.written), secrets)).toBe(false);
    });
  });

  it("names a damaged line of openings without a word of it", async () => {
    await atDesk(async (desk) => {
      const salts = await recorded(desk);
      const whole = await desk.text("openings.jsonl");
      const damaged = [
        whole.replace('"salt"', '"sale"'),
        whole.replace(/"0x/, '"0X'),
        whole.slice(0, -40),
        whole.replace(String(AMOUNT), "1e999"),
      ];
      for (const text of damaged) {
        await writeFile(desk.path("openings.jsonl"), text);
        const ran = await desk.run("bundle -o b.json --disclose all");
        expect([ran.code, ran.err]).toEqual([2, expect.stringContaining("openings.jsonl")]);
        expect(holdsAny(Buffer.from(ran.err + ran.out), [...PARTS, ...salts.flatMap(spellings)])).toBe(false);
      }
    });
  });
});

/** The bundle of the recorded payments with everything disclosed, and what verifies it. */
interface Made {
  readonly bundle: ProofBundleV3;
  readonly salts: readonly string[];
  readonly verdict: (bundle: ProofBundleV3) => string;
  readonly report: (bundle: ProofBundleV3) => string;
}

async function withBundle(body: (made: Made) => void): Promise<void> {
  await atDesk(async (desk) => {
    const salts = await recorded(desk);
    await desk.all("bundle -o all.json --disclose all");
    const trust = new Uint8Array(readFileSync(desk.path("trust.json")));
    const options = { at: new Date(desk.now).toISOString() };
    const run = (bundle: ProofBundleV3) => verifyBundle(encodeBundle(bundle), trust, options);
    body({
      bundle: await desk.bundle("all.json"),
      salts,
      verdict: (bundle) => run(bundle).first_failure?.code ?? run(bundle).verdict,
      report: (bundle) => JSON.stringify(run(bundle)),
    });
  });
}

describe("a bundle", () => {
  it("F100 stays ACCEPTED without its disclosures, and holds nothing of what is withheld", async () => {
    await withBundle(({ bundle, salts, verdict }) => {
      expect(bundle.disclosures).toHaveLength(8);
      const withheld = [
        withholdDisclosures(bundle),
        withholdDisclosures(bundle, ({ value }) => value.kind !== "evidence"),
        withholdDisclosures(bundle, ({ value }) => value.kind === "input"),
      ];
      for (const kept of [bundle, ...withheld]) expect(verdict(kept)).toBe("ACCEPTED");
      for (const encoding of ["json", "cbor"] as const) {
        const all = encodeBundle(bundle, encoding);
        // The number has another spelling in each encoding; every other part is text in both.
        const found = PARTS.filter((part) => holdsAny(all, [part]));
        expect(found).toEqual(
          PARTS.filter((part) => part !== (encoding === "json" ? NUMBER_CBOR : NUMBER_TEXT)),
        );
        expect(salts.every((salt) => holdsAny(all, spellings(salt)))).toBe(true);
        for (const kept of withheld) {
          const bytes = encodeBundle(kept, encoding);
          const gone = bundle.disclosures.filter((disclosure) => !kept.disclosures.includes(disclosure));
          expect(gone.length).toBeGreaterThan(0);
          for (const { salt, value } of gone) expect(holdsAny(bytes, tracesOf(salt, value))).toBe(false);
        }
        expect(holdsAny(encodeBundle(withholdDisclosures(bundle), encoding), PARTS)).toBe(false);
      }
    });
  });

  it("F099 is rejected when an opening is moved to another field, receipt or place, which its report does not repeat", async () => {
    await withBundle(({ bundle, salts, verdict, report }) => {
      const [first, second] = bundle.receipts.map(({ receipt_id: id }) => id);
      const at = (id: string | undefined, kind: string) =>
        bundle.disclosures.findIndex(({ value }) => value.receipt_id === id && value.kind === kind);
      const digestOf = (id: string | undefined) => bundle.disclosures[at(id, "input")]?.receipt_digest ?? "";
      const changed = (index: number, change: (old: Moved) => Moved): ProofBundleV3 => ({
        ...bundle,
        disclosures: bundle.disclosures.map((disclosure, place) =>
          place === index ? change(disclosure) : disclosure,
        ),
      });
      const moved = [
        changed(at(first, "input"), (old) => ({ ...old, receipt_digest: digestOf(second) })),
        changed(at(first, "input"), (old) => ({
          ...old,
          receipt_digest: digestOf(second),
          value: { ...old.value, receipt_id: second ?? "" },
        })),
        changed(at(first, "evidence"), (old) => ({ ...old, receipt_digest: digestOf(second) })),
        changed(at(first, "input"), (old) => ({
          ...old,
          value: { ...old.value, kind: "output", status: "completed" },
        })),
        changed(at(first, "output"), ({ value: { status: _, ...value }, ...old }) => ({
          ...old,
          value: { ...value, kind: "input" },
        })),
      ];
      const alone = moved.map((made) => ({
        ...made,
        // Without the other openings, so that none is refused for being there twice.
        disclosures: made.disclosures.filter((disclosure) => !bundle.disclosures.includes(disclosure)),
      }));
      const secrets = [...PARTS, ...salts.flatMap(spellings)];
      for (const made of alone) {
        expect(made.disclosures).toHaveLength(1);
        expect(verdict(made)).toMatch(/^EVIDENCE_(DISCLOSURE_MISMATCH|ITEM_NOT_INCLUDED)$/);
        expect(holdsAny(Buffer.from(report(made)), secrets)).toBe(false);
      }
    });
  });
});

type Moved = ProofBundleV3["disclosures"][number];

/** Salt, unsalted digests and long texts of one opening: what would give a withheld value away. */
function tracesOf(salt: string, value: CommittedValue): readonly Buffer[] {
  const json = value.json ?? null;
  const hashed = [canonicalBytes(json), canonicalBytes(JSON.parse(JSON.stringify(value)))].map((bytes) =>
    encodeHex(sha256(bytes)),
  );
  const texts =
    typeof json === "string" ? [json] : Object.values(json ?? {}).filter((text) => typeof text === "string");
  const nested = JSON.stringify(json).match(/[0-9a-f]{64}/g) ?? [];
  return [
    ...spellings(salt),
    ...hashed.flatMap(spellings),
    ...nested.flatMap((hex) => spellings(`0x${hex}`)),
    ...texts.map((text) => Buffer.from(text)),
  ];
}
