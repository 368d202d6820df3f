"""Schema of a bundle (SPEC "Commitments", "Anchor", "Bundle")."""

import schema as s
import statements as st

MANY = 2000000
KIND = 100000


def _value_rule(value, path, faults):
    contents = [name for name in ("json", "bytes", "blob") if name in value]
    if not contents:
        faults.append(("FORMAT_MISSING_MEMBER", path + ("json",)))
    elif len(contents) > 1:
        faults.append((s.VALUE, path))
    elif value["kind"] == "output" and "status" not in value:
        faults.append(("FORMAT_MISSING_MEMBER", path + ("status",)))
    elif value["kind"] != "output" and "status" in value:
        faults.append(("FORMAT_UNKNOWN_MEMBER", path + ("status",)))


committed_value = s.record({
    "kind": s.one_of("input", "output", "evidence"),
    "receipt_id": s.identifier,
}, {
    "json": s.anything,
    "bytes": s.hex_bytes,
    "blob": s.record({
        "media_type": s.matching("[!-~]{1,127}"),
        "size": s.integer(0),
        "sha256": s.digest,
    }),
    "status": s.status,
}, rule=_value_rule)


def _disclosure_rule(value, path, faults):
    present = "inclusion" in value
    if value["value"]["kind"] == "evidence" and not present:
        faults.append(("FORMAT_MISSING_MEMBER", path + ("inclusion",)))
    if value["value"]["kind"] != "evidence" and present:
        faults.append(("FORMAT_UNKNOWN_MEMBER", path + ("inclusion",)))


audit_path = s.array(s.digest, 63)

disclosure = s.record({
    "receipt_digest": s.digest,
    "salt": s.salt,
    "value": committed_value,
}, {
    "inclusion": s.record({
        "leaf_index": s.integer(0),
        "tree_size": s.integer(1),
        "audit_path": audit_path,
    }),
}, rule=_disclosure_rule)


def _proof(value, path, faults):
    if not isinstance(value, str):
        faults.append(("FORMAT_WRONG_TYPE", path))
    elif value == "":
        faults.append((s.VALUE, path))
    elif s.units(value) > 1048576:
        faults.append(("FORMAT_TOO_LARGE", path))


def _anchor_rule(value, path, faults):
    if value["type"] in ("rfc3161", "opentimestamps"):
        s.hex_bytes(value["proof"], path + ("proof",), faults)


anchor = s.record({
    "type": s.one_of("tlog", "rfc3161", "opentimestamps", "rekor"),
    "proof": _proof,
}, rule=_anchor_rule)

anchors = s.array(anchor, 64)


def _tree_rule(value, path, faults):
    for name, mode in (("leaves", "complete"), ("proofs", "inclusion")):
        if value["mode"] == mode and name not in value:
            faults.append(("FORMAT_MISSING_MEMBER", path + (name,)))
        if value["mode"] != mode and name in value:
            faults.append(("FORMAT_UNKNOWN_MEMBER", path + (name,)))


tree = s.record({
    "root": s.digest,
    "tree_size": s.integer(1),
    "mode": s.one_of("complete", "inclusion"),
    "anchors": anchors,
}, {
    "leaves": s.array(s.digest, MANY, 1),
    "proofs": s.array(s.record({
        "statement_digest": s.digest,
        "leaf_index": s.integer(0),
        "audit_path": audit_path,
    }), MANY, 1),
}, rule=_tree_rule)

anchored_lists = s.array(s.record({"list": st.revocation_list, "anchors": anchors}), KIND)
rotations = s.array(st.root_rotation, 1000)

bundle = s.record({
    "namespace_id": s.identifier,
    "mission_id": s.identifier,
    "claim": s.record({"scope": s.scope, "targets": s.array(s.digest, MANY, unique=True)}),
    "identity_records": s.array(st.identity_record, KIND),
    "root_rotations": rotations,
    "agent_key_certificates": s.array(st.agent_key_certificate, KIND),
    "runtime_key_certificates": s.array(st.runtime_key_certificate, KIND),
    "delegations": s.array(st.delegation, KIND),
    "policies": s.array(s.free_object, KIND),
    "receipts": s.array(st.receipt, MANY),
    "session_closes": s.array(st.session_close, KIND),
    "session_seals": s.array(st.session_seal, KIND),
    "evidence_trees": s.array(tree, KIND),
    "revocation_lists": anchored_lists,
    "attestations": s.array(s.record({
        "type": s.one_of("nitro", "sev_snp"),
        "document": s.hex_bytes,
    }), KIND),
    "disclosures": s.array(disclosure, MANY),
}, type_name="ProofBundleV3", protocol=True)
