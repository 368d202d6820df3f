/** What a maker does with its signer, and how it says what was wrong. */
import { describe, expect, it } from "vitest";
import type { SigningAlgorithm } from "../../src/crypto/keys.js";
import type { Signer } from "../../src/crypto/signer.js";
import { OsaProofError } from "../../src/errors.js";
import { createLocalSigner } from "../../src/runtime/local-signer.js";
import { createRevocationList, createRootRotation } from "../../src/statements/index.js";

const T1 = "2026-01-01T00:00:00Z";
const key = (keyId: string, fill: number, algorithm: SigningAlgorithm = "ECDSA_P256"): Signer =>
  createLocalSigner({ keyId, algorithm, privateKey: new Uint8Array(32).fill(fill) });
const root = key("root", 7);
const draft = {
  namespace_id: "n",
  issued_at: T1,
  list_number: 1,
  not_after: "2026-01-02T00:00:00Z",
  entries: [],
  previous_list_digest: null,
};

/** The signer with some of its parts replaced; a spread would lose methods of a class. */
function changed(parts: Partial<Signer>): Signer {
  const { keyId, algorithm, publicKey } = root;
  return { keyId, algorithm, publicKey, sign: (message) => root.sign(message), ...parts };
}

async function errorOf(made: Promise<unknown>): Promise<OsaProofError> {
  const outcome = await made.catch((error: unknown) => error);
  if (!(outcome instanceof OsaProofError)) throw new Error("expected a typed refusal");
  return outcome;
}

describe("a signer", () => {
  it("is used when it is whole", async () => {
    expect((await createRevocationList(draft, changed({}))).issuer_key_id).toBe("root");
    const twice = changed({});
    await createRevocationList(draft, twice);
    expect((await createRevocationList(draft, twice)).list_number).toBe(1);
  });

  it.each<[string, Partial<Record<keyof Signer, unknown>>]>([
    ["an id that is no text", { keyId: 7 }],
    ["a key that is text", { publicKey: "0x00" }],
    ["a sign that is no function", { sign: "sign" }],
  ])("is refused with %s before anything is signed", async (_, parts) => {
    const error = await errorOf(createRevocationList(draft, changed(parts as Partial<Signer>)));
    expect(error.code).toBe("ARGUMENT_INVALID");
    expect(error.message).toMatch(/^signer: /);
  });

  it.each<[string, Partial<Signer>]>([
    ["a key of another algorithm", { publicKey: key("e", 7, "ED25519").publicKey }],
    ["a key that is none", { publicKey: new Uint8Array(91) }],
  ])("with %s fails, and is not asked to sign", async (_, parts) => {
    let asked = 0;
    const signer = changed({
      ...parts,
      sign: (message) => {
        asked += 1;
        return root.sign(message);
      },
    });
    const error = await errorOf(createRevocationList(draft, signer));
    expect(error).toMatchObject({ code: "SIGNER_FAILED" });
    expect(error.message).toMatch(/^signer root: its public key is not a usable ECDSA_P256 key/);
    expect(asked).toBe(0);
  });

  it("passes its own typed error on, and every other as the cause of one", async () => {
    const own = new OsaProofError("SIGNER_FAILED", "the card was taken out");
    const typed = changed({ sign: () => Promise.reject(own) });
    expect(await errorOf(createRevocationList(draft, typed))).toBe(own);
    const other = new Error("no card");
    const plain = changed({ sign: () => Promise.reject(other) });
    const error = await errorOf(createRevocationList(draft, plain));
    expect(error).toMatchObject({ code: "SIGNER_FAILED", cause: other });
    expect(error.message).toMatch(/^signer root: /);
  });

  it("whose signature does not verify fails", async () => {
    const liar = changed({ sign: (message) => key("other", 8).sign(message) });
    const error = await errorOf(createRevocationList(draft, liar));
    expect(error.code).toBe("SIGNER_FAILED");
    expect(error.message).toMatch(/^signer root: its signature does not verify/);
  });
});

describe("a draft at fault", () => {
  const made = (change: object): Promise<OsaProofError> =>
    errorOf(createRevocationList({ ...draft, ...change }, root));

  it("is named by what it is, where and how", async () => {
    const error = await made({ list_number: 0 });
    expect(error).toMatchObject({ code: "ARGUMENT_INVALID", pointer: "/list_number" });
    expect(error.message).toMatch(/^revocation list at \/list_number: expected 1 to /);
  });

  it("is named by its first fault", async () => {
    const error = await made({ list_number: 0, not_after: "x", extra: 1 });
    expect(error.pointer).toBe("/extra");
  });

  it("that is no JSON is named as a whole", async () => {
    const error = await made({ entries: new Array(1) });
    expect(error).toMatchObject({ code: "ARGUMENT_INVALID" });
    expect(error.message).toBe("revocation list: expected plain JSON data");
  });

  it("that breaks a rule over several members is named by the member", async () => {
    const error = await made({ list_number: 2 });
    expect(error).toMatchObject({ code: "ARGUMENT_INVALID", pointer: "/previous_list_digest" });
    expect(error.message).toMatch(/^revocation list at \/previous_list_digest: /);
  });
});

describe("a rotation", () => {
  it("is signed by both roots, and by neither when one fails", async () => {
    const rotation = { namespace_id: "n", issued_at: T1, effective_at: T1, rotation_number: 1 };
    const next = key("next", 8);
    const made = await createRootRotation(rotation, root, next);
    expect(made.signature).not.toBe(made.new_root_signature);
    const { keyId, algorithm, publicKey } = next;
    const broken: Signer = { keyId, algorithm, publicKey, sign: () => Promise.reject(new Error("gone")) };
    const error = await errorOf(createRootRotation(rotation, root, broken));
    expect(error).toMatchObject({ code: "SIGNER_FAILED" });
    expect(error.message).toMatch(/^signer next: /);
  });
});
