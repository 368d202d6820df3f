/** An audit that goes on: the report of a full run, whatever the state holds, and no state that was tampered with. */
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { AuditState } from "../../src/audit/audit-state.js";
import { continueAudit } from "../../src/audit/continue-audit.js";
import { readState } from "../../src/audit/state-format.js";
import { encodeBundle } from "../../src/bundle/codec.js";
import { decodeBundle } from "../../src/bundle/decode.js";
import { parsePublicKey } from "../../src/crypto/keys.js";
import { decodeHex, encodeHex } from "../../src/encoding/hex.js";
import { canonicalBytes } from "../../src/encoding/jcs.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import { DigestList } from "../../src/tree/digest-list.js";
import type { VerificationReportV1 } from "../../src/verifier/report.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import type { ControlInputs } from "../controls/cases/control-case.js";
import { CONTROL_CASES } from "../controls/cases/index.js";
import { inputsOfFixture, validInputs } from "../controls/fixtures.js";
import { testKey } from "../support/keys.js";

const INVALID = fileURLToPath(new URL("../../fixtures/invalid/", import.meta.url));
const rejected = readdirSync(INVALID).flatMap((code) =>
  readdirSync(`${INVALID}${code}`).map((name) => `${code}/${name}`),
);

const KEYS = ["first", "second"].map((label) =>
  parsePublicKey(decodeHex(testKey(label).spki) ?? new Uint8Array()),
);

const questions = ({ at, expectations, supplement, options }: ControlInputs) => ({
  at,
  expectations: expectations ?? undefined,
  supplement: supplement ?? undefined,
  ...options,
});

/** What the state of a first run knows: every receipt of every accepted fixture. */
let all: Uint8Array;

beforeAll(async () => {
  let state: Uint8Array | null = null;
  for (const { inputs } of validInputs()) {
    const { bundle, trust } = inputs;
    // Each from the heads that it was made for.
    const made: Uint8Array | null = withHeads(state, inputs.heads);
    const audited = await continueAudit(bundle, trust ?? new Uint8Array(), questions(inputs), {
      state: made,
      threads: 1,
    });
    expect(audited.report.verdict).toBe("ACCEPTED");
    state = audited.state;
  }
  all = state ?? new Uint8Array();
});

/** The state with other known heads. */
function withHeads(state: Uint8Array | null, heads: Uint8Array | null): Uint8Array | null {
  if (state === null && heads === null) return null;
  const changed = state === null ? new AuditState() : AuditState.read(state);
  changed.heads = heads === null ? null : JSON.parse(new TextDecoder().decode(heads));
  return changed.encode();
}

/** The report of a full run, given the heads as a state keeps them. */
function fullRun(inputs: ControlInputs): VerificationReportV1 {
  const heads = inputs.heads === null ? undefined : canonicalBytes(jsonOf(inputs.heads));
  return verifyBundle(inputs.bundle, inputs.trust ?? new Uint8Array(), { ...questions(inputs), heads });
}

const jsonOf = (bytes: Uint8Array): JsonValue => JSON.parse(new TextDecoder().decode(bytes));

/** True where heads can stand in a state: an unusable file of heads is a case of its own. */
function isUsable({ heads, options }: ControlInputs): boolean {
  if (options !== undefined && "heads" in options) return false;
  try {
    withHeads(null, heads);
    AuditState.read(withHeads(null, heads) ?? new AuditState().encode());
    return true;
  } catch {
    return false;
  }
}

describe("continueAudit", () => {
  it("knows every receipt of what it accepted", async () => {
    for (const { inputs } of validInputs()) {
      const audited = await continueAudit(
        inputs.bundle,
        inputs.trust ?? new Uint8Array(),
        questions(inputs),
        {
          state: withHeads(all, inputs.heads),
          threads: 1,
        },
      );
      expect(audited.report).toEqual(fullRun(inputs));
      expect(audited.known).toBe(audited.report.receipt_count);
    }
  });

  let [compared, skipped] = [0, 0];
  it.each([...rejected, ...CONTROL_CASES.map(({ code, name }) => `${code}/${name}`)])(
    "gives the report of a full run on %s",
    async (name) => {
      const inputs = await inputsOfFixture(name);
      if (!isUsable(inputs)) return;
      const { bundle, trust } = inputs;
      const state = withHeads(all, inputs.heads);
      const before = AuditState.read(state ?? new Uint8Array()).count;
      const audited = await continueAudit(bundle, trust ?? new Uint8Array(), questions(inputs), {
        state,
        threads: 1,
      });
      expect(audited.report).toEqual(fullRun(inputs));
      if (audited.report.verdict === "REJECTED") {
        expect(AuditState.read(audited.state).count).toBe(before);
        expect(audited.missing).toBeNull();
      }
      compared += 1;
      if (audited.known > 0) skipped += 1;
    },
  );

  it("was compared where signatures were known, in forgeries too", () => {
    expect(compared).toBeGreaterThan(200);
    expect(skipped).toBeGreaterThan(100);
  });

  it("does not know a receipt under another key, nor one with another signature", () => {
    const [first, second] = KEYS;
    if (!first || !second) throw new Error("expected keys");
    const digests = new DigestList();
    digests.addHex(`0x${"ab".repeat(32)}`);
    const state = new AuditState();
    state.add({ digests, keyOf: () => first });
    const view = { findIn: (list: DigestList) => list.findIn(digests, 0) } as Parameters<
      AuditState["has"]
    >[0];
    expect([state.has(view, 0, first), state.has(view, 0, second)]).toEqual([true, false]);
    const others = new DigestList();
    others.addHex(`0x${"ab".repeat(31)}ac`);
    const other = { findIn: (list: DigestList) => list.findIn(others, 0) };
    expect(state.has(other, 0, first)).toBe(false);
  });

  it("says how many receipts were accepted before and are gone", async () => {
    const whole = validInputs().find(({ name }) => name === "whole-session")?.inputs;
    if (whole === undefined) throw new Error("expected a fixture");
    const trust = whole.trust ?? new Uint8Array();
    const first = await continueAudit(whole.bundle, trust, questions(whole), { state: null });
    expect([first.known, first.missing]).toEqual([0, 0]);
    const other = validInputs().find(({ name }) => name === "one-receipt-ed25519")?.inputs;
    if (other === undefined) throw new Error("expected a fixture");
    const audited = await continueAudit(other.bundle, other.trust ?? new Uint8Array(), questions(other), {
      state: withHeads(first.state, null),
    });
    expect(audited.missing).toBe(first.report.receipt_count);
  });

  it("keeps its state, whichever form the bundle has", async () => {
    for (const { inputs } of validInputs()) {
      const trust = inputs.trust ?? new Uint8Array();
      const state = withHeads(null, inputs.heads);
      const once = await continueAudit(inputs.bundle, trust, questions(inputs), { state });
      const cbor = encodeBundle(decodeBundle(inputs.bundle), "cbor");
      const again = await continueAudit(cbor, trust, questions(inputs), { state: once.state });
      expect(new TextDecoder().decode(again.state)).toBe(new TextDecoder().decode(once.state));
    }
  });

  it("asks every question that the options hold, wherever they hold it", async () => {
    const { inputs } = validInputs().find(({ name }) => name === "whole-session") ?? {};
    if (inputs === undefined) throw new Error("expected a fixture");
    const trust = inputs.trust ?? new Uint8Array();
    const asked = Buffer.from('{"mission_id":"another","protocol":"OSA_PROOF_V3","type":"ExpectationsV1"}');
    class Inherited {
      readonly at = inputs?.at ?? "";
      get expectations(): Uint8Array {
        return asked;
      }
    }
    const hidden = Object.defineProperty({ at: inputs.at }, "expectation", { value: asked });
    const thrower = {
      at: inputs.at,
      get expectations(): Uint8Array {
        throw new Error("no");
      },
    };
    const codes = [];
    for (const options of [new Inherited(), hidden, thrower, null, 7]) {
      const given = options as { at: string };
      const { report } = await continueAudit(inputs.bundle, trust, given, { state: null, threads: 1 });
      expect(report).toEqual(verifyBundle(inputs.bundle, trust, given));
      codes.push(report.first_failure?.code);
    }
    expect(codes).toEqual([
      "EXPECTATION_RUN_MISMATCH",
      "TRUST_INPUT_INVALID",
      "TRUST_INPUT_INVALID",
      "TRUST_INPUT_INVALID",
      "TRUST_INPUT_INVALID",
    ]);
  });

  it("refuses heads beside those of the state, and what is no state", async () => {
    const { inputs } = validInputs()[0] ?? {};
    if (inputs === undefined) throw new Error("expected a fixture");
    const trust = inputs.trust ?? new Uint8Array();
    const heads = { ...questions(inputs), heads: undefined };
    await expect(continueAudit(inputs.bundle, trust, heads, { state: null })).rejects.toMatchObject({
      code: "ARGUMENT_INVALID",
    });
    const wrong = { state: "state" as unknown as Uint8Array };
    await expect(continueAudit(inputs.bundle, trust, questions(inputs), wrong)).rejects.toMatchObject({
      code: "ARGUMENT_INVALID",
    });
  });
});

describe("an audit state", () => {
  const lines = (): string[] => new TextDecoder().decode(all).trimEnd().split("\n");
  const sealed = (body: readonly string[], count: number): Uint8Array => {
    const text = body.map((line) => `${line}\n`).join("");
    const digest = createHash("sha256").update(text).digest("hex");
    return Buffer.from(`${text}{"trailer":{"count":${count},"digest":"0x${digest}"}}\n`);
  };
  const code = (bytes: Uint8Array): string => {
    try {
      AuditState.read(bytes);
      return "read";
    } catch (error) {
      return (error as { code: string }).code;
    }
  };

  it("is read as it was written", () => {
    expect(new TextDecoder().decode(AuditState.read(all).encode())).toBe(new TextDecoder().decode(all));
    const body = lines().slice(0, -1);
    expect(code(sealed(body, AuditState.read(all).count))).toBe("read");
  });

  it("is refused wherever a byte of it is another, or it ends early", () => {
    for (let at = 0; at < all.length; at += 7) {
      const changed = Uint8Array.from(all);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(code(changed)).toBe("STATE_INVALID");
      expect(code(all.subarray(0, at))).toBe("STATE_INVALID");
    }
    expect(code(Buffer.concat([all, all]))).toBe("STATE_INVALID");
    expect(code(Buffer.concat([all, Buffer.from("\n")]))).toBe("STATE_INVALID");
  });

  it("has one spelling, though its trailer fits", () => {
    const [header = "", ...accepted] = lines().slice(0, -1);
    const { count } = AuditState.read(all);
    const refused = [
      sealed([header, ...accepted, ...accepted.slice(-1)], count),
      sealed([header.replace("{", "{ "), ...accepted], count),
      sealed([header.replace("AuditStateV1", "AuditStateV2"), ...accepted], count),
      sealed([header, ...accepted.map((line) => line.replace("]", ',"0x00"]'))], count),
      sealed(
        [header, ...accepted.map((line) => line.replace('{"accepted":{', '{"accepted":{"a":1,'))],
        count,
      ),
      sealed([header, '{"accepted":{"key_thumbprint":"0x00","receipts":[]}}'], 0),
      sealed(accepted, count),
      sealed([header, ...accepted], count + 1),
      sealed(['{"header":{"heads":{"logs":[{"origin":"a","root":"0x00","size":1}]}}}'], 0),
      sealed(
        [header.replace('"namespaces":[', '"namespaces":[{"namespace_id":"a"},{"namespace_id":"a"},')],
        0,
      ),
    ];
    for (const bytes of refused) expect(code(bytes)).toBe("STATE_INVALID");
  });

  it("holds no more receipts in a line than it says, and those of each key together", () => {
    const digests = new DigestList();
    for (let i = 0; i < 2_500; i += 1) digests.addHex(`0x${i.toString(16).padStart(64, "0")}`);
    const [even, odd] = KEYS;
    if (!even || !odd) throw new Error("expected keys");
    const state = new AuditState();
    state.add({ digests, keyOf: (position) => (position % 2 === 0 ? even : odd) });
    state.add({ digests, keyOf: () => odd });
    const met: [string, number, string][] = [];
    readState(state.encode(), {
      heads: (heads) => expect(heads).toBeNull(),
      accepted: (key, some) =>
        void met.push([key, some.length / 32, encodeHex(some.subarray(0, 32)).slice(-4)]),
    });
    expect(met).toEqual([
      [even.thumbprint, 1_000, "0000"],
      [even.thumbprint, 250, "07d0"],
      [odd.thumbprint, 1_000, "0001"],
      [odd.thumbprint, 250, "07d1"],
    ]);
  });
});
