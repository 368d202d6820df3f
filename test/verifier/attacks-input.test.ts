/** Inputs that a caller, a packer or a careless auditor may pass; none of them may throw, hang or change the verdict. */
import { describe, expect, it } from "vitest";
import { encodeBundle } from "../../src/bundle/codec.js";
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import { encodeCbor } from "../../src/encoding/cbor.js";
import { canonicalBytes } from "../../src/encoding/jcs.js";
import type { JsonValue } from "../../src/encoding/json-value.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { verifyBundle } from "../../src/verifier/verify.js";
import { at, DAY, HOUR, testDigest } from "../support/keys.js";
import { oneReceipt, VERIFIED_AT } from "../support/scenarios.js";
import {
  disclosures,
  forkAndMerge,
  rotationBackward,
  rotationForward,
  secondTreeWithoutAnchor,
  severalLists,
  wholeSession,
} from "../support/stories.js";
import { basePolicy } from "../support/trust.js";
import type { Draft, World } from "../support/world.js";

const trust = encodeUtf8(JSON.stringify(basePolicy()));
const options = { at: at(VERIFIED_AT) };

function loosely(bundle: ProofBundleV3, edit: (bundle: Draft) => void): JsonValue {
  const copy: Draft = JSON.parse(JSON.stringify(bundle));
  edit(copy);
  return copy;
}

describe("what is not bytes", () => {
  it("options whose members throw are a rejection, not an exception", async () => {
    const bundle = encodeBundle(await oneReceipt());
    expect(verifyBundle(bundle, trust, options).verdict).toBe("ACCEPTED");
    const throwing = {
      get at(): string {
        throw new Error("no");
      },
    };
    const report = verifyBundle(bundle, trust, throwing);
    expect(report.verdict).toBe("REJECTED");
    expect(report.first_failure?.code).toBe("TRUST_INPUT_INVALID");
  });

  it("proxies in place of bytes are a rejection, not an exception", async () => {
    const bundle = encodeBundle(await oneReceipt());
    const proxy = (bytes: Uint8Array): Uint8Array => new Proxy(bytes, {});
    expect(verifyBundle(proxy(bundle), trust, options).first_failure?.code).toBe("FORMAT_SYNTAX_INVALID");
    expect(verifyBundle(bundle, proxy(trust), options).first_failure?.code).toBe("TRUST_POLICY_MISSING");
    for (const side of ["expectations", "supplement", "heads"]) {
      const report = verifyBundle(bundle, trust, { ...options, [side]: proxy(encodeUtf8("{}")) });
      expect(report.first_failure?.code, side).toBe("TRUST_INPUT_INVALID");
    }
  });

  it.each(["__proto__", "constructor", "toString", "hasOwnProperty"])(
    "member %s is unknown in every side input",
    async (name) => {
      const bundle = encodeBundle(await oneReceipt());
      const text = (type: string): Uint8Array =>
        encodeUtf8(
          `{"protocol":"OSA_PROOF_V3","type":"${type}","namespace_id":"org.example","${name}":{"verdict":"ACCEPTED"}}`,
        );
      const report = verifyBundle(bundle, trust, { ...options, expectations: text("ExpectationsV1") });
      expect(report.first_failure).toMatchObject({
        code: "TRUST_INPUT_INVALID",
        source: "expectations",
        pointer: `/${name}`,
      });
      const policy = encodeUtf8(`{"${name}":true,${JSON.stringify(basePolicy()).slice(1)}`);
      expect(verifyBundle(bundle, policy, options).first_failure).toMatchObject({
        code: "TRUST_POLICY_INVALID",
        pointer: `/${name}`,
      });
    },
  );
});

describe("one content, one first failure", () => {
  it("a wrong number is at one place in JSON and CBOR, whatever the length of names", async () => {
    const bundle = await oneReceipt();
    const value = loosely(bundle, (draft) => {
      draft["receipts"][0]["sequence"] = 1.5;
      draft["evidence_trees"][0]["tree_size"] = -1;
      draft["disclosures"] = [{ salt: 0.5 }];
    });
    const json = verifyBundle(canonicalBytes(value), trust, options);
    const cbor = verifyBundle(encodeCbor(value), trust, options);
    expect(json.first_failure).toMatchObject({
      code: "FORMAT_NUMBER_INVALID",
      pointer: "/disclosures/0/salt",
    });
    expect(cbor.first_failure?.pointer).toBe(json.first_failure?.pointer);
  });

  it("unknown members that look like numbers come in one order, whichever stands first", async () => {
    const bundle = await oneReceipt();
    const names = ["2", "10", "1x"];
    const first = (order: readonly string[]): string | undefined => {
      const text = JSON.stringify(bundle).replace(/^\{/, `{${order.map((name) => `"${name}":0,`).join("")}`);
      return verifyBundle(encodeUtf8(text), trust, options).first_failure?.pointer;
    };
    const rotations = names.map((_, start) => [...names.slice(start), ...names.slice(0, start)]);
    expect(new Set([...rotations, ...rotations.map((order) => [...order].reverse())].map(first))).toEqual(
      new Set(["/2"]),
    );
  });
});

describe("work stays in proportion to the bytes", () => {
  it("half a million wrong numbers under a long name are refused without half a million pointers", async () => {
    const bundle = await oneReceipt();
    const name = "n".repeat(300_000);
    const value = loosely(bundle, (draft) => {
      draft["disclosures"] = [{ [name]: Array.from({ length: 300_000 }, () => -1) }];
    });
    const report = verifyBundle(encodeCbor(value), trust, options);
    expect(report.first_failure).toMatchObject({
      code: "FORMAT_NUMBER_INVALID",
      pointer: "/disclosures/0",
    });
  });
});

describe("what a report says", () => {
  it("counts every failure and shows the first hundred in order", async () => {
    const bundle = await oneReceipt();
    const value = loosely(bundle, (draft) => {
      draft["receipts"] = Array.from({ length: 1_000 }, () => 1);
    });
    const format = verifyBundle(canonicalBytes(value), trust, options).checks.find(
      ({ check }) => check === "FORMAT",
    );
    expect(format?.failure_count).toBe(1_000);
    expect(format?.failures.map(({ pointer }) => pointer)).toEqual(
      Array.from({ length: 100 }, (_, index) => `/receipts/${index}`),
    );
  });

  it.each(["salt", "receipt_digest", "value"])(
    "shows no salt and no disclosed value when %s is wrong",
    async (member) => {
      const { bundle } = await disclosures();
      const secrets = bundle.disclosures.flatMap(({ salt, value }) => [
        salt,
        JSON.stringify(value.json ?? value.blob),
      ]);
      const value = loosely(bundle, (draft) => {
        const [first, last] = [draft["disclosures"].at(0), draft["disclosures"].at(-1)];
        [first[member], last[member]] = [last[member], first[member]];
      });
      for (const bytes of [canonicalBytes(value), encodeCbor(value)]) {
        const report = verifyBundle(bytes, trust, options);
        expect(report.verdict).toBe("REJECTED");
        const text = JSON.stringify(report);
        for (const secret of secrets) expect(text).not.toContain(secret);
      }
    },
  );
});

describe("the order of arrays", () => {
  const ARRAYS = [
    "identity_records",
    "root_rotations",
    "agent_key_certificates",
    "runtime_key_certificates",
    "delegations",
    "receipts",
    "session_closes",
    "evidence_trees",
    "revocation_lists",
    "disclosures",
  ];
  const turned = (bundle: ProofBundleV3, by: number): Uint8Array =>
    canonicalBytes(
      loosely(bundle, (draft) => {
        for (const name of ARRAYS) {
          const items = draft[name];
          const start = items.length === 0 ? 0 : by % items.length;
          draft[name] = [...items.slice(start), ...items.slice(0, start)].reverse();
        }
      }),
    );

  it.each([
    ["forkAndMerge", forkAndMerge],
    ["wholeSession", wholeSession],
    ["severalLists", severalLists],
    ["rotationBackward", rotationBackward],
    ["disclosures", disclosures],
    ["secondTreeWithoutAnchor", secondTreeWithoutAnchor],
  ])("does not change a good verdict: %s", async (_name, make) => {
    const { bundle, trust: policy } = await make();
    for (const by of [0, 1, 2]) {
      const report = verifyBundle(turned(bundle, by), encodeUtf8(JSON.stringify(policy)), options);
      expect(report.first_failure).toBeNull();
      expect(report.verdict).toBe("ACCEPTED");
    }
  });

  it.each([
    ["rotation:2", "IDENTITY_ROTATION_INVALID"],
    ["list:3", "REVOCATION_LIST_CONFLICT"],
  ])("does not change the code of a fork or gap at %s", async (label, code) => {
    const changes = {
      statements: {
        [label]: {
          draft: (statement: Draft): void => {
            if (label === "list:3") statement["previous_list_digest"] = testDigest("another list 2");
            else statement["rotation_number"] = 3;
          },
        },
      },
      steps:
        label === "list:3"
          ? {}
          : { rotation: (world: World) => world.rotation(2, -2 * DAY, -2 * DAY + HOUR) },
    };
    const { bundle, trust: policy } = await (label === "list:3" ? severalLists : rotationForward)(changes);
    for (const by of [0, 1, 2]) {
      const report = verifyBundle(turned(bundle, by), encodeUtf8(JSON.stringify(policy)), options);
      expect(report.first_failure?.code).toBe(code);
    }
  });
});
