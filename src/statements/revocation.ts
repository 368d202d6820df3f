/** RevocationListV1: keys whose every signature is void (docs/SPEC.md, "Revocation"). */
import type { Signer } from "../crypto/signer.js";
import * as LIMITS from "../limits.js";
import * as fields from "./fields.js";
import { type IssuedDraft, issuedBy } from "./identity.js";
import { signStatement } from "./maker.js";
import { array, integer, nullable, object, type Schema, text } from "./schema.js";

/** A key is revoked if its id or its thumbprint appears in any entry. */
export interface RevocationEntry {
  readonly key_id: string;
  readonly key_thumbprint: string;
  /** For people only: revoking a key voids everything it signed, whenever. */
  readonly revoked_at: string;
  readonly reason: string;
}

export interface RevocationListV1 extends fields.Issued<"RevocationListV1"> {
  readonly list_number: number;
  readonly not_after: string;
  readonly entries: readonly RevocationEntry[];
  /** Digest of the list before this one; null for list number 1 only. */
  readonly previous_list_digest: string | null;
}

const entry: Schema<RevocationEntry> = object<RevocationEntry>({
  key_id: fields.identifier,
  key_thumbprint: fields.digest,
  revoked_at: fields.time,
  reason: text(
    `1 to ${LIMITS.maxReasonCharacters} characters`,
    (value) => value.length >= 1 && value.length <= LIMITS.maxReasonCharacters,
  ),
});

export const revocationList: Schema<RevocationListV1> = object<RevocationListV1>({
  ...fields.issued("RevocationListV1"),
  list_number: integer(1),
  not_after: fields.time,
  entries: array(entry, { maximum: LIMITS.maxRevocationEntries }),
  previous_list_digest: nullable(fields.digest),
});

/** Signs a revocation list with the root key. @throws OsaProofError ARGUMENT_INVALID, SIGNER_FAILED */
export async function createRevocationList(
  draft: IssuedDraft<RevocationListV1>,
  root: Signer,
): Promise<RevocationListV1> {
  return signStatement(
    revocationList,
    issuedBy("RevocationListV1", draft, root),
    root,
    "revocation list",
    ({ list_number: number, previous_list_digest: previous }) =>
      (number === 1) === (previous === null)
        ? null
        : {
            pointer: "/previous_list_digest",
            detail: "expected null for list number 1 and a digest for every other",
          },
  );
}
