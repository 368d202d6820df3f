/** A trust policy by itself: its edges, the pins that contradict one another, and its defaults. */
import { describe, expect, it } from "vitest";
import { parseVerifierKey } from "../../src/anchors/verifier-key.js";
import * as LIMITS from "../../src/limits.js";
import { Faults } from "../../src/statements/schema.js";
import {
  pinnedKey,
  policyFault,
  resolveTrust,
  type TrustPolicyV1,
  trustPolicy,
} from "../../src/verifier/trust-policy.js";
import { agentId, basePolicy, pinnedRoot } from "../support/trust.js";

type Loose = Record<string, unknown>;

function faults(policy: unknown): string[] {
  const into = new Faults();
  trustPolicy.decode(policy as never, "", into);
  return into.first().map(({ code, pointer }) => `${code} ${pointer}`);
}

const base = basePolicy();
const [namespace] = base.namespaces;
if (namespace === undefined) throw new Error("the policy pins a namespace");
const withNamespace = (change: Loose): TrustPolicyV1 =>
  basePolicy({ namespaces: [{ ...namespace, ...change } as typeof namespace] });
const withTlog = (change: Loose): TrustPolicyV1 =>
  basePolicy({ tlog: { ...base.tlog, ...change } as typeof base.tlog });

describe("the texts of a trust policy", () => {
  const [log] = base.tlog.logs;
  const [witness] = base.tlog.witnesses;

  it("origins are lines of 1 to the pinned number of characters", () => {
    const at = (origin: string): string[] => faults(withTlog({ logs: [{ ...log, origin }] }));
    for (const good of ["x", "a b", "é", "x".repeat(LIMITS.maxOriginCharacters)])
      expect(at(good)).toEqual([]);
    for (const bad of ["", "a\nb", "\u0000", "a\u001f", "x".repeat(LIMITS.maxOriginCharacters + 1)]) {
      expect(at(bad)).toEqual(["FORMAT_VALUE_INVALID /tlog/logs/0/origin"]);
    }
  });

  it("names are 1 to 128 printable characters", () => {
    const at = (name: string): string[] => faults(withTlog({ witnesses: [{ ...witness, name }] }));
    for (const good of ["x", "!", "~", "é", "x".repeat(128)]) expect(at(good)).toEqual([]);
    for (const bad of ["", " ", "a b", "a\n", "\u007f", "\u00a0", "x".repeat(129), " x", "x "]) {
      expect(at(bad)).toEqual(["FORMAT_VALUE_INVALID /tlog/witnesses/0/name"]);
    }
  });

  it("keys are verifier keys", () => {
    const at = (vkey: string): string[] => faults(withTlog({ logs: [{ ...log, vkey }] }));
    expect(at(log?.vkey ?? "")).toEqual([]);
    for (const bad of ["", "x", `${log?.vkey}x`])
      expect(at(bad)).toEqual(["FORMAT_VALUE_INVALID /tlog/logs/0/vkey"]);
  });

  it("keys of roots are read as they are pinned", () => {
    const { public_key: hex } = pinnedRoot("root-0", 0);
    expect(pinnedKey(hex)?.thumbprint).toMatch(/^0x[0-9a-f]{64}$/);
    expect(pinnedKey("0x00")).toBeNull();
    expect(pinnedKey("root")).toBeNull();
  });
});

describe("policyFault", () => {
  const roots = [pinnedRoot("root-0", 0), pinnedRoot("root-1", 1)];

  it("finds nothing in a good policy", () => {
    expect(policyFault(base)).toBeNull();
    expect(policyFault(withNamespace({ roots }))).toBeNull();
    expect(
      policyFault(basePolicy({ namespaces: [namespace, { ...namespace, namespace_id: "second" }] })),
    ).toBeNull();
  });

  it("a namespace pinned twice", () => {
    expect(policyFault(basePolicy({ namespaces: [namespace, namespace] }))).toEqual({
      pointer: "/namespaces/1",
      detail: "this namespace is pinned twice",
    });
  });

  it.each<[string, Loose]>([
    ["key id", { key_id: "root-0" }],
    ["key", { public_key: roots[0]?.public_key }],
    ["rotation number", { rotation_number: 0 }],
  ])("a %s pinned twice", (_, change) => {
    const twice = withNamespace({ roots: [roots[0], { ...roots[1], ...change }] });
    expect(policyFault(twice)).toMatchObject({ pointer: "/namespaces/0/roots/1" });
    const second = basePolicy({
      namespaces: [{ ...namespace, namespace_id: "first" }, ...twice.namespaces],
    });
    expect(policyFault(second)).toMatchObject({ pointer: "/namespaces/1/roots/1" });
  });

  it("a top delegator outside the domains, the first or a later one", () => {
    const [inside, outside] = [agentId("planner"), "@ai:elsewhere.example/x"];
    expect(policyFault(withNamespace({ top_delegators: [inside, outside] }))).toMatchObject({
      pointer: "/namespaces/0/top_delegators/1",
    });
    expect(policyFault(withNamespace({ top_delegators: [outside, inside] }))).toMatchObject({
      pointer: "/namespaces/0/top_delegators/0",
    });
  });

  it("a platform required twice", () => {
    const nitro = { type: "nitro", measurements: ["0x00"] } as const;
    const snp = { type: "sev_snp", measurements: ["0x00"] } as const;
    expect(policyFault(basePolicy({ attestation_requirements: [nitro, snp] }))).toBeNull();
    expect(policyFault(basePolicy({ attestation_requirements: [nitro, nitro] }))).toEqual({
      pointer: "/attestation_requirements/1",
      detail: "this platform is required twice",
    });
  });

  it("a quorum that nothing defines", () => {
    expect(policyFault(withTlog({ quorum: "nobody" }))).toEqual({
      pointer: "/tlog",
      detail: 'the quorum "nobody" is not defined',
    });
  });
});

describe("resolveTrust", () => {
  it("fills in the defaults that the SPEC states", () => {
    const {
      clock_skew_seconds: _skew,
      max_runtime_key_lifetime_seconds: _lifetime,
      max_anchor_delay_seconds: _delay,
      max_revocation_age_seconds: _age,
      accept_operator_only: _operator,
      accept_agent_close: _close,
      attestation_requirements: _platforms,
      limits: _limits,
      ...bare
    } = base;
    expect(resolveTrust(bare)).toMatchObject({
      skew: 60_000,
      maxRuntimeKeyLifetime: 1_800_000,
      maxAnchorDelay: 86_400_000,
      maxRevocationAge: 86_400_000,
      acceptOperatorOnly: false,
      acceptAgentClose: false,
      attestationRequirements: [],
      maxBundleBytes: LIMITS.maxBundleBytes,
      maxReceipts: LIMITS.maxReceipts,
    });
  });

  it("takes what the policy says", () => {
    const said = basePolicy({
      clock_skew_seconds: 0,
      max_runtime_key_lifetime_seconds: 2,
      max_anchor_delay_seconds: 3,
      max_revocation_age_seconds: 4,
      accept_operator_only: true,
      accept_agent_close: true,
      attestation_requirements: [{ type: "nitro", measurements: ["0x00"] }],
      limits: { max_bundle_bytes: 5, max_receipts: 6 },
    });
    const trust = resolveTrust(said);
    expect(trust).toMatchObject({
      skew: 0,
      maxRuntimeKeyLifetime: 2_000,
      maxAnchorDelay: 3_000,
      maxRevocationAge: 4_000,
      acceptOperatorOnly: true,
      acceptAgentClose: true,
      attestationRequirements: said.attestation_requirements,
      maxBundleBytes: 5,
      maxReceipts: 6,
      requireSessionClose: said.require_session_close,
      requireSessionSeal: said.require_session_seal,
    });
    expect([...trust.namespaces.keys()]).toEqual([namespace.namespace_id]);
    expect([...trust.acceptedAlgorithms]).toEqual(said.accepted_algorithms);
  });

  it("parses the keys of logs and witnesses", () => {
    const { tlog } = resolveTrust(base);
    expect(tlog.logs).toEqual(
      base.tlog.logs.map(({ origin, vkey, operator }) => ({ origin, operator, key: parseVerifierKey(vkey) })),
    );
    expect(tlog.witnesses).toEqual(
      base.tlog.witnesses.map(({ name, vkey, operator }) => ({
        name,
        operator,
        key: parseVerifierKey(vkey),
      })),
    );
    expect(tlog).toMatchObject({ groups: base.tlog.groups, quorum: base.tlog.quorum });
  });
});
