import { describe, expect, it } from "vitest";
import { assembleBundle } from "../../src/bundle/assemble.js";
import type { ProofBundleV3 } from "../../src/bundle/format.js";
import type { Signer } from "../../src/crypto/signer.js";
import * as make from "../../src/statements/index.js";
import { testKey } from "../support/keys.js";
import { rotationForward, wholeSession } from "../support/stories.js";
import type { Draft } from "../support/world.js";

/** The members that a maker fills in by itself. */
const FILLED = new Set([
  "protocol",
  "type",
  "issuer_key_id",
  "signature",
  "digest_algorithm",
  "canonicalization",
  "signing_algorithm",
]);

type Maker = (draft: Draft, signer: Signer) => Promise<object>;

/** The world signs loosely so that cases can break shapes; its unbroken statements are the makers' own. */
async function expectMade(statements: readonly object[], maker: unknown, signerMember = "issuer_key_id") {
  expect(statements.length).toBeGreaterThan(0);
  for (const statement of statements) {
    const members: Draft = statement;
    const draft = Object.fromEntries(
      Object.entries(members).filter(([name]) => !FILLED.has(name) && name !== "runtime_key_id"),
    );
    if (signerMember === "issuer_key_id" && "runtime_key_id" in members) {
      draft["runtime_key_id"] = members["runtime_key_id"];
    }
    expect(await (maker as Maker)(draft, testKey(members[signerMember]).signer)).toEqual(statement);
  }
}

describe("stories", () => {
  it("hold statements exactly as the makers make them", async () => {
    const { bundle } = await wholeSession();
    await expectMade(bundle.identity_records, make.createIdentityRecord);
    await expectMade(bundle.agent_key_certificates, make.createAgentKeyCertificate);
    await expectMade(bundle.runtime_key_certificates, make.createRuntimeKeyCertificate);
    await expectMade(bundle.delegations, make.createDelegation);
    await expectMade(bundle.receipts, make.createActionReceipt, "runtime_key_id");
    await expectMade(bundle.session_closes, make.createSessionClose);
    await expectMade(bundle.session_seals, make.createSessionSeal);
    await expectMade(
      bundle.revocation_lists.map(({ list }) => list),
      make.createRevocationList,
    );
    const [rotation] = (await rotationForward()).bundle.root_rotations;
    if (rotation === undefined) throw new Error("expected a rotation");
    const { namespace_id, issued_at, rotation_number, effective_at } = rotation;
    const draft = { namespace_id, issued_at, rotation_number, effective_at };
    const [oldRoot, newRoot] = [testKey("root-0").signer, testKey("root-1").signer];
    expect(await make.createRootRotation(draft, oldRoot, newRoot)).toEqual(rotation);
  });

  it("are packed exactly as assembleBundle packs them", async () => {
    const { bundle } = await wholeSession();
    const { claim, protocol: _protocol, type: _type, namespace_id: _n, mission_id: _m, ...parts } = bundle;
    const material = { ...parts, evidence_trees: sealed(bundle) };
    expect(assembleBundle(material, claim)).toEqual(bundle);
  });
});

function sealed(
  bundle: ProofBundleV3,
): { leaves: readonly string[]; anchors: readonly { type: "tlog"; proof: string }[] }[] {
  return bundle.evidence_trees.map(({ leaves = [], anchors }) => ({
    leaves,
    anchors: anchors.map(({ proof }) => ({ type: "tlog", proof })),
  }));
}
