"""Check 3 (SPEC "Check 3", "Delegation")."""

from keys import algorithm_of
from model import Run, Statement


def _widened(child: Statement, parent: Statement) -> bool:
    most = parent.get("max_actions")
    return (
        not set(child["tools"]) <= set(parent["tools"])
        or not child.window_inside(parent)
        or (most is not None and child.get("max_actions", most + 1) > most)
    )


def _parent(run: Run, item: Statement) -> None:
    """Step 6."""
    parent = run.delegation_by_digest.get(item["parent_delegation_digest"])
    if parent is None or run.failed_before(parent):
        return run.fault(item, "DELEGATION_MISSING")
    if parent.issued > item.issued + run.skew:
        run.fault(item, "DELEGATION_OUTSIDE_WINDOW")
    if any(item[member] != parent[member] for member in ("mission_id", "session_id", "policy_digest")):
        run.fault(item, "DELEGATION_BINDING_MISMATCH")
    if item["agent_id"] != parent.get("delegate_agent_id"):
        run.fault(item, "DELEGATION_NOT_DELEGATE")
    if _widened(item, parent):
        run.fault(item, "DELEGATION_WIDENED")


def _delegation(run: Run, item: Statement) -> None:
    """Steps 1 to 6."""
    certificate = run.agent_by_digest[item["agent_key_certificate_digest"]]
    if (item["issuer_key_id"] != certificate["agent_key_id"] or item["agent_id"] != certificate["agent_id"]
            or item["signing_algorithm"] != algorithm_of(certificate["public_key"])
            or not item.signed_by(certificate["public_key"])):
        run.fault(item, "DELEGATION_SIGNATURE_INVALID")
    if item.window_empty() or not item.window_inside(certificate):
        run.fault(item, "DELEGATION_OUTSIDE_WINDOW")
    required = run.namespace.get("required_policy_digests")
    if required is not None and item["policy_digest"] not in required:
        run.fault(item, "DELEGATION_POLICY_NOT_ACCEPTED")
    has_parent = item.get("parent_delegation_digest") is not None
    if not has_parent and item["agent_id"] not in run.namespace["top_delegators"]:
        run.fault(item, "DELEGATION_TOP_NOT_ALLOWED")
    if len(run.chain(item, 9)) > 8:
        run.fault(item, "DELEGATION_TOO_DEEP")
    if has_parent:
        _parent(run, item)


def _receipt(run: Run, item: Statement, delegation: Statement) -> None:
    """Step 8."""
    if delegation.failed:
        run.fail_silently(item)
    if delegation.issued > item.issued + run.skew or not delegation.holds(item.issued):
        run.fault(item, "DELEGATION_OUTSIDE_WINDOW")
    bound = ("agent_id", "mission_id", "session_id", "runtime_id", "policy_digest")
    if any(item[member] != delegation[member] for member in bound) or "delegate_agent_id" in delegation.body:
        run.fault(item, "DELEGATION_BINDING_MISMATCH")
    if item["tool"] not in delegation["tools"]:
        run.fault(item, "DELEGATION_TOOL_OUT_OF_SCOPE")
    if item["sequence"] > delegation.get("max_actions", item["sequence"]):
        run.fault(item, "DELEGATION_MAX_ACTIONS_EXCEEDED")


def check_delegation(run: Run) -> None:
    judged = [item for item in run.delegations if not run.failed_before(item)]
    for item in judged:
        _delegation(run, item)
    counts: dict[str, int] = {}
    for item in run.receipts:
        delegation = run.delegation_by_digest.get(item["delegation_digest"])
        if delegation is None or run.failed_before(delegation):
            run.fault(item, "DELEGATION_MISSING")
            continue
        _receipt(run, item, delegation)
        for above in run.chain(delegation, 8):
            counts[above.digest] = counts.get(above.digest, 0) + 1
    for item in judged:
        count = counts.get(item.digest, 0)
        if count > item.get("max_actions", count):
            run.fault(item, "DELEGATION_MAX_ACTIONS_EXCEEDED")
