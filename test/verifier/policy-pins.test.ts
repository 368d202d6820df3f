/** Pins of a trust policy that contradict one another (docs/SPEC.md, "Trust policy"). */
import { expect, it } from "vitest";
import type { PinnedRoot, TrustPolicyV1 } from "../../src/verifier/trust-policy.js";
import { policyFault } from "../../src/verifier/trust-policy.js";
import { testKey } from "../support/keys.js";
import { basePolicy, pinnedRoot, withNamespace } from "../support/trust.js";

const pins = (...roots: readonly PinnedRoot[]): TrustPolicyV1 => withNamespace(basePolicy(), { roots });
const first = pinnedRoot("root-0", 0);
const second = pinnedRoot("root-1", 1);

it("refuses a key id, key or rotation number that an earlier root has", () => {
  expect(policyFault(pins(first, second))).toBe(null);
  for (const member of ["key_id", "public_key", "rotation_number"] as const) {
    const fault = policyFault(pins(first, { ...second, [member]: first[member] }));
    expect(fault?.pointer, member).toBe("/namespaces/0/roots/1");
  }
});

it("holds key ids against key ids only, whatever they look like", () => {
  const key = testKey("root-2", "ED25519").spki;
  expect(key.length).toBeLessThanOrEqual(128);
  const third: PinnedRoot = { key_id: "root-2", public_key: key, rotation_number: 2 };
  expect(policyFault(pins(third, { ...second, key_id: key }))).toBe(null);
  expect(policyFault(pins({ ...third, key_id: key }, second))).toBe(null);
  expect(policyFault(pins(third, { ...second, key_id: "2" }))).toBe(null);
});

it("refuses a platform that is required twice", () => {
  const requirement = (type: "nitro" | "sev_snp") => ({ type, measurements: ["0x00"] });
  const requiring = (...types: readonly ("nitro" | "sev_snp")[]): TrustPolicyV1 =>
    basePolicy({ attestation_requirements: types.map(requirement) });
  expect(policyFault(requiring("nitro", "sev_snp"))).toBe(null);
  expect(policyFault(requiring("nitro", "nitro"))?.pointer).toBe("/attestation_requirements/1");
});
