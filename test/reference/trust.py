"""Trust policy and side inputs: schemas and further rules (SPEC "Trust policy", "Side inputs")."""

import bundleschema as b
import schema as s
from note import WITNESS, parse_vkey

_DURATION = s.integer(1, 3155760000)
_NAME = s.matching("[!-~\u00a1-\uffff]{1,128}")
_ORIGIN = s.text(lambda value: 1 <= s.units(value) <= 255 and all(char >= " " for char in value))
_VKEY = s.text(lambda value: parse_vkey(value) is not None)
_OPERATOR = s.one_of("own", "independent")

_namespace = s.record({
    "namespace_id": s.identifier,
    "roots": s.array(s.record({
        "key_id": s.identifier,
        "public_key": s.public_key,
        "rotation_number": s.integer(0),
    }), 1024, 1),
    "agent_domains": s.array(s.dns_name, 1024, 1, unique=True),
    "top_delegators": s.array(s.agent_id, 1024, 1, unique=True),
    "minimum_revocation_list_number": s.integer(1),
}, {"required_policy_digests": s.array(s.digest, 1024, 1, unique=True)})

_tlog = s.record({
    "logs": s.array(s.record({"origin": _ORIGIN, "vkey": _VKEY, "operator": _OPERATOR}), 1024, 1),
    "witnesses": s.array(s.record({"name": _NAME, "vkey": _VKEY, "operator": _OPERATOR}), 1024),
    "groups": s.array(s.record({
        "name": _NAME,
        "threshold": s.integer(1, 1024),
        "members": s.array(_NAME, 1024, 1, unique=True),
    }), 1024),
    "quorum": _NAME,
})

trust_policy = s.record({
    "namespaces": s.array(_namespace, 1024, 1),
    "accepted_algorithms": s.array(s.algorithm, 2, 1, unique=True),
    "tlog": _tlog,
    "require_session_close": s.boolean,
    "require_session_seal": s.boolean,
}, {
    "accept_operator_only": s.boolean,
    "clock_skew_seconds": s.integer(0, 300),
    "max_runtime_key_lifetime_seconds": _DURATION,
    "max_anchor_delay_seconds": _DURATION,
    "max_revocation_age_seconds": _DURATION,
    "accept_agent_close": s.boolean,
    "attestation_requirements": s.array(s.record({
        "type": s.one_of("nitro", "sev_snp"),
        "measurements": s.array(s.hex_bytes, 1024, 1, unique=True),
    }), 2, 1),
    "limits": s.record({}, {
        "max_bundle_bytes": s.integer(1, 512000000),
        "max_receipts": s.integer(1, 2000000),
    }),
}, "TrustPolicyV1", protocol=True)


def _namespace_fault(policy: dict) -> str | None:
    pinned = set()
    for i, namespace in enumerate(policy["namespaces"]):
        if namespace["namespace_id"] in pinned:
            return f"/namespaces/{i}"
        pinned.add(namespace["namespace_id"])
        seen: set = set()
        for j, root in enumerate(namespace["roots"]):
            names = {(member, root[member]) for member in ("key_id", "public_key", "rotation_number")}
            if names & seen:
                return f"/namespaces/{i}/roots/{j}"
            seen |= names
        for j, agent in enumerate(namespace["top_delegators"]):
            if s.dns_name_of(agent) not in namespace["agent_domains"]:
                return f"/namespaces/{i}/top_delegators/{j}"
    return None


def _platform_fault(policy: dict) -> str | None:
    types = [requirement["type"] for requirement in policy.get("attestation_requirements", [])]
    twice = [j for j, kind in enumerate(types) if kind in types[:j]]
    return f"/attestation_requirements/{twice[0]}" if twice else None


def _tlog_is_sound(tlog: dict) -> bool:
    logs = [parse_vkey(log["vkey"]) for log in tlog["logs"]]
    witnesses = [parse_vkey(witness["vkey"]) for witness in tlog["witnesses"]]
    if any(key.kind == WITNESS for key in logs) or any(key.kind != WITNESS for key in witnesses):
        return False
    keys = [key.key for key in logs + witnesses]
    if len(set(keys)) != len(keys):
        return False
    defined = [witness["name"] for witness in tlog["witnesses"]]
    if len(set(defined)) != len(defined) or "none" in defined:
        return False
    names, members = set(defined), set()
    for group in tlog["groups"]:
        if group["name"] in names or group["name"] == "none":
            return False
        for member in group["members"]:
            if member not in names or member in members:
                return False
            members.add(member)
        if group["threshold"] > len(group["members"]):
            return False
        names.add(group["name"])
    return tlog["quorum"] == "none" or tlog["quorum"] in names


def policy_faults(policy) -> list[str]:
    """Pointers of the faults of a policy that was read without fault."""
    faults = [where for _, where in s.faults_of(trust_policy, policy)]
    if faults:
        return faults
    where = _namespace_fault(policy) or _platform_fault(policy)
    if where is None and not _tlog_is_sound(policy["tlog"]):
        where = "/tlog"
    return [] if where is None else [where]


expectations = s.record({}, {
    "namespace_id": s.identifier,
    "mission_id": s.identifier,
    "session_id": s.identifier,
    "agent_id": s.agent_id,
    "tool": s.tool,
    "target_receipt_digests": s.array(s.digest, 2000000, 1, unique=True),
    "scope": s.scope,
    "status": s.status,
    "output_sha256": s.digest,
}, "ExpectationsV1", protocol=True)

supplement = s.record({
    "namespace_id": s.identifier,
    "root_rotations": b.rotations,
    "revocation_lists": b.anchored_lists,
}, {
    "log_consistency": s.array(s.record({
        "origin": _ORIGIN, "old_size": s.integer(1), "new_size": s.integer(1),
        "hashes": s.array(s.digest, 63),
    }), 10000),
}, "SupplementV1", protocol=True)

_head = s.record({"number": s.integer(1), "digest": s.digest})

known_heads = s.record({
    "namespaces": s.array(s.record(
        {"namespace_id": s.identifier}, {"revocation_list": _head, "root_rotation": _head},
    ), 10000),
    "logs": s.array(s.record({"origin": _ORIGIN, "size": s.integer(1), "root": s.digest}), 10000),
}, {}, "KnownHeadsV1", protocol=True)


def expectations_faults(value) -> list[str]:
    faults = [where for _, where in s.faults_of(expectations, value)]
    return faults or ([""] if len(value) == 2 else [])


def supplement_faults(value) -> list[str]:
    return [where for _, where in s.faults_of(supplement, value)]


def heads_faults(value) -> list[str]:
    faults = [where for _, where in s.faults_of(known_heads, value)]
    if faults:
        return faults
    namespaces = [entry["namespace_id"] for entry in value["namespaces"]]
    origins = [entry["origin"] for entry in value["logs"]]
    twice = len(set(namespaces)) != len(namespaces) or len(set(origins)) != len(origins)
    return [""] if twice else []
