"""Schemas of the statements (SPEC sections "Keys and chain" to "Session seal")."""

import schema as s

SIGNED = {
    "digest_algorithm": s.one_of("SHA-256"),
    "canonicalization": s.one_of("RFC8785_JCS"),
    "signing_algorithm": s.algorithm,
    "signature": s.signature,
}
COMMON = {
    "namespace_id": s.identifier,
    "issued_at": s.time,
    "issuer_key_id": s.identifier,
    **SIGNED,
}
WINDOW = {"not_before": s.time, "not_after": s.time}


def _statement(type_name: str, members: dict, optional: dict | None = None, rule=None):
    return s.record({**COMMON, **members}, optional, type_name, protocol=True, rule=rule)


agent_key_certificate = _statement("AgentKeyCertificateV1", {
    "agent_id": s.agent_id,
    "agent_key_id": s.identifier,
    "public_key": s.public_key,
    **WINDOW,
})

identity_record = _statement("IdentityRecordV1", {
    "agent_id": s.agent_id,
    "record_number": s.integer(1),
    "agent_key_certificate_digests": s.array(s.digest, 1024, 1, unique=True),
    **WINDOW,
})

runtime_key_certificate = _statement("RuntimeKeyCertificateV1", {
    "agent_id": s.agent_id,
    "agent_key_certificate_digest": s.digest,
    "runtime_id": s.identifier,
    "runtime_key_id": s.identifier,
    "session_id": s.identifier,
    "public_key": s.public_key,
    **WINDOW,
}, {"attestation_digest": s.digest})

delegation = _statement("DelegationV1", {
    "delegation_id": s.identifier,
    "agent_id": s.agent_id,
    "agent_key_certificate_digest": s.digest,
    "mission_id": s.identifier,
    "session_id": s.identifier,
    "runtime_id": s.identifier,
    "policy_digest": s.digest,
    "tools": s.array(s.tool, 1024, 1, unique=True),
    **WINDOW,
}, {
    "max_actions": s.integer(1),
    "parent_delegation_digest": s.digest,
    "delegate_agent_id": s.agent_id,
})

root_rotation = _statement("RootRotationV1", {
    "rotation_number": s.integer(1),
    "old_root_key_id": s.identifier,
    "new_root_key_id": s.identifier,
    "old_root_public_key": s.public_key,
    "new_root_public_key": s.public_key,
    "effective_at": s.time,
    "new_root_signature": s.signature,
})

revocation_list = _statement("RevocationListV1", {
    "list_number": s.integer(1),
    "not_after": s.time,
    "entries": s.array(s.record({
        "key_id": s.identifier,
        "key_thumbprint": s.digest,
        "revoked_at": s.time,
        "reason": s.text(lambda value: 1 <= s.units(value) <= 256),
    }), 100000),
    "previous_list_digest": s.nullable(s.digest),
})

receipt = s.record({
    "receipt_id": s.identifier,
    "namespace_id": s.identifier,
    "agent_id": s.agent_id,
    "runtime_id": s.identifier,
    "runtime_key_id": s.identifier,
    "session_id": s.identifier,
    "mission_id": s.identifier,
    "action_id": s.identifier,
    "sequence": s.integer(1),
    "parent_receipt_digests": s.array(s.digest, 64, unique=True),
    "delegation_digest": s.digest,
    "policy_digest": s.digest,
    "tool": s.tool,
    "input_commitment": s.digest,
    "output_commitment": s.digest,
    "evidence_merkle_root": s.digest,
    "issued_at": s.time,
    **SIGNED,
}, protocol=True)


def _close_rule(value, path, faults):
    present = "agent_key_certificate_digest" in value
    member = path + ("agent_key_certificate_digest",)
    if value["closed_by"] == "agent" and not present:
        faults.append(("FORMAT_MISSING_MEMBER", member))
    if value["closed_by"] == "runtime" and present:
        faults.append(("FORMAT_UNKNOWN_MEMBER", member))


session_close = _statement("SessionCloseV1", {
    "agent_id": s.agent_id,
    "runtime_id": s.identifier,
    "session_id": s.identifier,
    "final_sequence": s.integer(1),
    "receipt_count": s.integer(1),
    "last_receipt_digest": s.digest,
    "runtime_key_certificate_digests": s.array(s.digest, 10000, 1, unique=True),
    "closed_by": s.one_of("runtime", "agent"),
}, {"agent_key_certificate_digest": s.digest}, _close_rule)

session_seal = _statement("SessionSealV1", {
    "agent_id": s.agent_id,
    "agent_key_certificate_digest": s.digest,
    "session_id": s.identifier,
    "session_close_digests": s.array(s.digest, 100000, 1, unique=True),
})
