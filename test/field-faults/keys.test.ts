/** Field faults about keys and signatures: who signed, with what kind of key, and over which bytes. */
import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { sha256, sha256Hex } from "../../src/crypto/digest.js";
import { encodeHex } from "../../src/encoding/hex.js";
import { encodeUtf8 } from "../../src/encoding/utf8.js";
import { createNodeSigner } from "../../src/runtime/node-signer.js";
import { canonicalStatement } from "../../src/statements/canonical.js";
import { disclosures, forkAndMerge, oneReceipt } from "../support/stories.js";
import { single, story } from "../support/story.js";
import { basePolicy } from "../support/trust.js";
import { World } from "../support/world.js";
import { codeOf, expectCases, storyBytes, verifyBytes, verifyStory } from "./support.js";

/** Every string of a bundle as a path of names and indexes. */
function strings(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value === "string") return [path];
  if (Array.isArray(value)) return value.flatMap((item, index) => strings(item, [...path, index]));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => strings(member, [...path, name]));
}

/** A text of the same kind and length with one character changed. */
function altered(text: string): string {
  const last = text.at(-1) ?? "";
  return `${text.slice(0, -1)}${last === "0" ? "1" : /[0-9a-f]/.test(last) ? "0" : last === "x" ? "y" : "x"}`;
}

describe("field faults of keys and signatures", () => {
  it("F018 a bundle that is whole and consistent under an attacker's own root is refused", async () => {
    const world = new World();
    world.root = "root-9";
    const forged = story(await single(world));
    expect(codeOf(verifyStory(await oneReceipt()))).toBe("ACCEPTED");
    expect(codeOf(verifyStory(forged))).toBe("IDENTITY_ROOT_UNKNOWN");
    await expectCases(
      "IDENTITY_ROOT_UNKNOWN/certificate-by-a-stranger",
      "RECEIPT_SIGNATURE_INVALID/by-the-agent",
    );
  });

  it("F019 without a pinned root nothing is accepted, however consistent it is", async () => {
    await expectCases(
      ...[
        "TRUST_POLICY_MISSING/no-policy",
        "TRUST_POLICY_MISSING/empty-policy",
        "TRUST_POLICY_INVALID/no-root",
      ],
      ...["TRUST_POLICY_INVALID/nothing-pinned", "TRUST_NAMESPACE_NOT_PINNED/another-namespace-pinned"],
    );
  });

  it("F020 a signature is judged by the type of its key, and label and key must agree", async () => {
    await expectCases(
      ...["RECEIPT_ALGORITHM_MISMATCH/labelled-ed25519", "RECEIPT_ALGORITHM_MISMATCH/labelled-p256"],
      ...["IDENTITY_ISSUER_MISMATCH/label-of-another-algorithm", "FORMAT_VALUE_INVALID/unknown-algorithm"],
    );
  });

  it("F020 an RSA key, and a key on another curve, cannot stand where a key stands", async () => {
    const pairs = [
      generateKeyPairSync("rsa", { modulusLength: 2048 }),
      generateKeyPairSync("ec", { namedCurve: "secp384r1" }),
    ];
    for (const { publicKey } of pairs) {
      const spki = encodeHex(publicKey.export({ format: "der", type: "spki" }));
      const report = verifyStory(await oneReceipt(), (bundle) => {
        bundle["runtime_key_certificates"][0].public_key = spki;
      });
      expect(codeOf(report)).toBe("FORMAT_VALUE_INVALID");
    }
    expect(codeOf(verifyStory(await oneReceipt()))).toBe("ACCEPTED");
  });

  it("F026 every text of a bundle is under a signature or checked against one that is", async () => {
    const { tlog } = basePolicy();
    const all = { ...tlog, groups: tlog.groups.map((group) => ({ ...group, threshold: 3 })) };
    // All three witnesses are needed here: a spare cosignature may change without harm, and only that.
    const policy = encodeUtf8(JSON.stringify(basePolicy({ tlog: all })));
    for (const made of [await oneReceipt(), await forkAndMerge(), await disclosures()]) {
      expect(codeOf(verifyBytes(storyBytes(made), policy))).toBe("ACCEPTED");
      for (const path of strings(made.bundle)) {
        const copy = JSON.parse(JSON.stringify(made.bundle));
        let place = copy;
        for (const step of path.slice(0, -1)) place = place[step];
        const last = path.at(-1) ?? "";
        place[last] = altered(place[last]);
        expect(verifyBytes(encodeUtf8(JSON.stringify(copy)), policy).verdict, path.join("/")).toBe(
          "REJECTED",
        );
      }
    }
  });

  it("F026 the lines of a proof that no signature covers change nothing, and are the only ones", async () => {
    const made = await oneReceipt();
    const report = verifyStory(made, (bundle) => {
      const anchor = bundle["evidence_trees"][0].anchors[0];
      anchor.proof = anchor.proof.replace("@v1\n", "@v1\nextra AAAA\n");
    });
    expect(codeOf(report)).toBe("ACCEPTED");
    const before = verifyStory(made);
    expect({ ...report, times: [] }).toEqual({ ...before, times: [] });
    expect(report.times.map(({ anchored_at }) => anchored_at)).toEqual(
      before.times.map((time) => time.anchored_at),
    );
  });

  it("F028 a bare hash or an HMAC in place of a signature is refused, label and bytes", async () => {
    const made = await oneReceipt();
    expect(codeOf(verifyStory(made))).toBe("ACCEPTED");
    for (const name of ["HMAC-SHA256", "HS256", "none", "SHA-256", "", "ecdsa_p256"]) {
      const report = verifyStory(made, (bundle) => {
        bundle["receipts"][0].signing_algorithm = name;
      });
      expect(codeOf(report)).toBe("FORMAT_VALUE_INVALID");
      expect(report.first_failure?.pointer).toBe("/receipts/0/signing_algorithm");
    }
    const hash = verifyStory(made, (bundle) => {
      const { signature: _, ...signed } = bundle["receipts"][0];
      bundle["receipts"][0].signature = sha256Hex(encodeUtf8(JSON.stringify(signed)));
    });
    expect(hash.verdict).toBe("REJECTED");
    const codes = hash.checks.flatMap(({ failures }) => failures.map(({ code }) => code));
    expect(codes).not.toContain("INTERNAL_FAULT");
  });

  it("F034 rotation: old work stays good, and no root follows or returns without both signatures", async () => {
    await expectCases(
      ...[
        "IDENTITY_ROTATION_INVALID/old-root-did-not-sign",
        "IDENTITY_ROTATION_INVALID/new-root-did-not-sign",
      ],
      ...["IDENTITY_ROTATION_INVALID/retired-root-returns", "IDENTITY_ROTATION_INVALID/forked"],
      ...[
        "ANCHOR_AFTER_ROTATION/anchored-after-the-change",
        "REVOCATION_SIGNATURE_INVALID/by-a-retired-root",
      ],
    );
  });

  it("F064 a parent is named by a digest that covers its signature as well", async () => {
    const made = await forkAndMerge();
    const [receipt] = made.bundle.receipts;
    if (receipt === undefined) throw new Error("expected a receipt");
    const privateKey = sha256(encodeUtf8("osa-proof fixture key ECDSA_P256 rt-1-key"));
    const signer = createNodeSigner({ keyId: "rt-1-key", algorithm: "ECDSA_P256", privateKey });
    const { signedBytes, digest } = canonicalStatement(receipt);
    // A second good signature of the same key over the same content: another statement to whoever names it.
    const again = { ...receipt, signature: encodeHex(await signer.sign(signedBytes)) };
    expect(canonicalStatement(again).signedBytes).toEqual(signedBytes);
    expect(canonicalStatement(again).digest).not.toBe(digest);
    const report = verifyStory(made, (bundle) => {
      bundle["receipts"][0].signature = again.signature;
    });
    const codes = report.checks.flatMap(({ failures }) => failures.map(({ code }) => code));
    // Its children name the other statement, so nothing refers to this one.
    expect(codeOf(report)).toBe("FORMAT_UNREFERENCED");
    expect(report.first_failure?.pointer).toBe("/receipts/0");
    expect(codes).not.toContain("RECEIPT_SIGNATURE_INVALID");
    expect(codeOf(verifyStory(made))).toBe("ACCEPTED");
  });
});
