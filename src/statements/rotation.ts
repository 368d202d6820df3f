/** RootRotationV1: one step of a namespace's line of root keys (docs/SPEC.md, "Root rotation"). */
import type { Signer } from "../crypto/signer.js";
import { encodeHex } from "../encoding/hex.js";
import { parseTime } from "../encoding/time.js";
import { canonicalStatement } from "./canonical.js";
import * as fields from "./fields.js";
import { issuedBy } from "./identity.js";
import { type Rule, requireRule, requireShape, requireSigner, signChecked } from "./maker.js";
import { integer, object, type Schema } from "./schema.js";

export interface RootRotationV1 extends fields.Issued<"RootRotationV1"> {
  /** The generation of the new root; the first root of a namespace is generation 0. */
  readonly rotation_number: number;
  readonly old_root_key_id: string;
  readonly old_root_public_key: string;
  readonly new_root_key_id: string;
  readonly new_root_public_key: string;
  /** From this instant the new root signs, and the old one no longer does. */
  readonly effective_at: string;
  readonly new_root_signature: string;
}

export const rootRotation: Schema<RootRotationV1> = object<RootRotationV1>({
  ...fields.issued("RootRotationV1"),
  rotation_number: integer(1),
  old_root_key_id: fields.identifier,
  old_root_public_key: fields.publicKey,
  new_root_key_id: fields.identifier,
  new_root_public_key: fields.publicKey,
  effective_at: fields.time,
  new_root_signature: fields.signature,
});

/** What a rotation says beside the two keys, which come from the two signers. */
export interface RootRotationDraft {
  readonly namespace_id: string;
  readonly issued_at: string;
  readonly rotation_number: number;
  readonly effective_at: string;
}

const PLACEHOLDER = `0x${"00".repeat(8)}`;

/**
 * Signs a rotation with both keys over the same bytes. Both keys are of one algorithm, the one the
 * rotation names. @throws OsaProofError ARGUMENT_INVALID, SIGNER_FAILED
 */
export async function createRootRotation(
  draft: RootRotationDraft,
  oldRoot: Signer,
  newRoot: Signer,
): Promise<RootRotationV1> {
  requireSigner(newRoot);
  const unsigned = {
    ...issuedBy("RootRotationV1", draft, oldRoot),
    old_root_key_id: oldRoot.keyId,
    old_root_public_key: encodeHex(oldRoot.publicKey),
    new_root_key_id: newRoot.keyId,
    new_root_public_key: encodeHex(newRoot.publicKey),
  };
  const shaped = requireShape(
    rootRotation,
    { ...unsigned, signature: PLACEHOLDER, new_root_signature: PLACEHOLDER },
    "root rotation",
  );
  requireRule(rotationRule(newRoot), shaped, "root rotation");
  const { signedBytes } = canonicalStatement(shaped);
  const signature = await signChecked(oldRoot, signedBytes);
  return { ...shaped, signature, new_root_signature: await signChecked(newRoot, signedBytes) };
}

/** Another key of the same algorithm, in effect no sooner than it is issued. */
function rotationRule(newRoot: Signer): Rule<RootRotationV1> {
  return (rotation) => {
    const { old_root_public_key: oldKey, new_root_public_key: newKey } = rotation;
    if (oldKey === newKey || rotation.old_root_key_id === rotation.new_root_key_id) {
      return {
        pointer: "/new_root_public_key",
        detail: "expected another key and key id than the old root's",
      };
    }
    if (newRoot.algorithm !== rotation.signing_algorithm) {
      return { pointer: "/new_root_public_key", detail: "expected a key of the old root's algorithm" };
    }
    const [issued, effective] = [parseTime(rotation.issued_at), parseTime(rotation.effective_at)];
    if (issued !== null && effective !== null && issued <= effective) return null;
    return { pointer: "/effective_at", detail: "expected a time not before issued_at" };
  };
}
