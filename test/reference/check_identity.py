"""Check 2 (SPEC "Check 2")."""

from keys import algorithm_of, thumbprint
from model import Run, Statement
from rootline import INVALID, Line
from schema import dns_name_of


def _rooted(run: Run, item: Statement) -> None:
    """Steps 8 to 13: agent key certificates and identity records."""
    line = run.line
    if dns_name_of(item["agent_id"]) not in run.namespace["agent_domains"]:
        return run.fault(item, "IDENTITY_AGENT_OUTSIDE_NAMESPACE")
    generation = line.generation_of.get(item["issuer_key_id"])
    if generation is None:
        for rotation in run.rotations:
            if rotation.failed and item["issuer_key_id"] in (rotation["old_root_key_id"], rotation["new_root_key_id"]):
                return run.fail_silently(item)
        return run.fault(item, "IDENTITY_ROOT_UNKNOWN")
    root = line.roots[generation]
    if item["signing_algorithm"] != algorithm_of(root.public_key):
        return run.fault(item, "IDENTITY_ISSUER_MISMATCH")
    if not item.signed_by(root.public_key):
        return run.fault(item, "IDENTITY_SIGNATURE_INVALID")
    begins = line.begins(generation)
    if begins is not None and item.issued < begins:
        return run.fault(item, INVALID)
    if item.window_empty():
        return run.fault(item, "IDENTITY_WINDOW_INVALID")
    item.sound = True


def _named_agent(run: Run, item: Statement, digest: str) -> Statement | None:
    """Step 14: the agent key certificate that a statement names, if it is good."""
    certificate = run.agent_by_digest.get(digest)
    if certificate is not None:
        if certificate.failed:
            run.fail_silently(item)
            return None
        return certificate
    known = digest in run.runtime_by_digest
    run.fault(item, "IDENTITY_ISSUER_MISMATCH" if known else "IDENTITY_CERTIFICATE_MISSING")
    return None


def _runtime(run: Run, item: Statement) -> None:
    """Steps 14 to 18."""
    agent = _named_agent(run, item, item["agent_key_certificate_digest"])
    if agent is None:
        return None
    if (item["issuer_key_id"] != agent["agent_key_id"] or item["agent_id"] != agent["agent_id"]
            or item["signing_algorithm"] != algorithm_of(agent["public_key"])):
        return run.fault(item, "IDENTITY_ISSUER_MISMATCH")
    if not item.signed_by(agent["public_key"]):
        return run.fault(item, "IDENTITY_SIGNATURE_INVALID")
    begin, end = item.window()
    if item.window_empty() or not item.window_inside(agent) or end - begin > run.max_lifetime:
        return run.fault(item, "IDENTITY_WINDOW_INVALID")
    if agent.issued > item.issued + run.skew:
        return run.fault(item, "IDENTITY_ISSUED_AFTER_USE")
    item.sound = True


class _Names:
    """Step 19: key ids and thumbprints, one to one, in one role."""

    def __init__(self):
        self.by_id: dict = {}
        self.by_key: dict = {}

    def meet(self, key_id: str, public_key: str, role: tuple) -> bool:
        """Whether the triple is in conflict; remembered if it is not."""
        key = thumbprint(public_key)
        if self.by_id.get(key_id, key) != key or self.by_key.get(key, (key_id, role)) != (key_id, role):
            return True
        self.by_id[key_id] = key
        self.by_key[key] = (key_id, role)
        return False


def _conflicts(run: Run) -> None:
    """Steps 19 to 21."""
    code = "IDENTITY_CONFLICT"
    names = _Names()
    for root in run.namespace["roots"]:
        names.meet(root["key_id"], root["public_key"], ("root",))
    for item in run.rotations:
        for side in ("old", "new"):
            if names.meet(item[f"{side}_root_key_id"], item[f"{side}_root_public_key"], ("root",)):
                run.fault(item, code)
    for item in run.agents:
        if names.meet(item["agent_key_id"], item["public_key"], ("agent", item["agent_id"])):
            run.fault(item, code)
    for item in run.runtimes:
        if names.meet(item["runtime_key_id"], item["public_key"], ("runtime", item.digest)):
            run.fault(item, code)
    holders: dict = {}
    for item in run.runtimes:
        earlier = holders.setdefault(item["runtime_id"], set())
        holder = (item["agent_id"], item["session_id"])
        if earlier - {holder}:
            run.fault(item, code)
        earlier.add(holder)
    numbers = set()
    for item in run.records:
        number = (item["agent_id"], item["record_number"])
        if number in numbers:
            run.fault(item, code)
        numbers.add(number)


def _covered(run: Run, item: Statement, certificate: Statement | None) -> None:
    """*Covered*, for a statement and a sound agent key certificate."""
    if certificate is None or not certificate.sound:
        return
    if any(record.failed for record in run.records_by_agent.get(certificate["agent_id"], ())):
        return run.fail_silently(item)
    record = run.counting_record(certificate["agent_id"], item.issued)
    if record is None:
        run.fault(item, "IDENTITY_RECORD_MISSING")
    elif certificate.digest not in record["agent_key_certificate_digests"]:
        run.fault(item, "IDENTITY_CERTIFICATE_NOT_LISTED")


def _not_after_use(run: Run, item: Statement, certificate: Statement) -> None:
    if certificate.issued > item.issued + run.skew:
        run.fault(item, "IDENTITY_ISSUED_AFTER_USE")


def _use(run: Run) -> None:
    """Steps 22 to 26."""
    by_agent = [item for item in run.closes if item["closed_by"] == "agent"]
    for item in run.delegations + run.seals + by_agent:
        certificate = _named_agent(run, item, item["agent_key_certificate_digest"])
        if certificate is not None and certificate.sound:
            _not_after_use(run, item, certificate)
    for item in run.receipts:
        certificate = run.fitting(item)
        if certificate is not None and certificate.sound:
            _not_after_use(run, item, certificate)
            _covered(run, item, run.agent_by_digest.get(certificate["agent_key_certificate_digest"]))
        for delegation in run.chain_of(item):
            _covered(run, item, run.agent_by_digest.get(delegation["agent_key_certificate_digest"]))
    for item in run.closes:
        for digest in item["runtime_key_certificate_digests"]:
            if digest in run.agent_by_digest:
                run.fault(item, "IDENTITY_ISSUER_MISMATCH")
            elif digest not in run.runtime_by_digest:
                run.fault(item, "IDENTITY_CERTIFICATE_MISSING")
        if item["closed_by"] == "agent":
            _covered(run, item, run.agent_by_digest.get(item["agent_key_certificate_digest"]))
            continue
        last = run.runtime_by_digest.get(item["runtime_key_certificate_digests"][-1])
        if last is not None and last.sound:
            _not_after_use(run, item, last)
            _covered(run, item, run.agent_by_digest.get(last["agent_key_certificate_digest"]))
    for item in run.seals:
        _covered(run, item, run.agent_by_digest.get(item["agent_key_certificate_digest"]))


def check_identity(run: Run) -> None:
    run.line = Line(run)
    for item in run.agents + run.records:
        _rooted(run, item)
    for item in run.runtimes:
        _runtime(run, item)
    _conflicts(run)
    _use(run)
