"""Check 8 (SPEC "Check 8", "Time rules of anchors")."""

from check_dag import key_of_leaf
from instants import parse_time
from model import Run, Statement


def leaf_times(run: Run) -> dict[str, int]:
    """The earliest time over all sound trees that hold a leaf."""
    times: dict[str, int] = {}
    for leaves, anchored in zip(run.tree_leaves, run.anchored_trees):
        if anchored.time is not None:
            for leaf in leaves:
                times[leaf] = min(anchored.time, times.get(leaf, anchored.time))
    return times


def _deadline(run: Run, item: Statement, certificate: Statement) -> int:
    by_runtime = "runtime_key_id" in certificate.body
    return (parse_time(certificate["not_after"]) if by_runtime else item.issued) + run.max_delay


def _generations(run: Run, item: Statement, certificate: Statement) -> set[int]:
    """The roots that a leaf rests on."""
    digests = {certificate.get("agent_key_certificate_digest", certificate.digest)}
    if "receipt_id" in item.body:
        digests |= {delegation["agent_key_certificate_digest"] for delegation in run.chain_of(item)}
    found = set()
    for digest in digests:
        agent = run.agent_by_digest.get(digest)
        if agent is None:
            continue
        record = run.counting_record(agent["agent_id"], item.issued)
        for signed in (agent, record):
            if signed is not None:
                found.add(run.line.generation_of.get(signed["issuer_key_id"]))
    return found - {None}


def _time_rules(run: Run, item: Statement, certificate: Statement, time: int) -> None:
    if item.issued > time + run.skew:
        run.fault(item, "ANCHOR_BEFORE_ISSUE")
    if time > _deadline(run, item, certificate):
        run.fault(item, "ANCHOR_TOO_LATE")
    ends = (run.line.ends(generation) for generation in _generations(run, item, certificate))
    if any(end is not None and time >= end for end in ends):
        run.fault(item, "ANCHOR_AFTER_ROTATION")


def check_anchor(run: Run) -> None:
    for anchored in run.anchored_trees + run.anchored_lists:
        for code, where in anchored.of_state("wrong"):
            run.fail(code, where, anchored.source)
    times = leaf_times(run)
    for leaves, anchored in zip(run.tree_leaves, run.anchored_trees):
        if anchored.time is None and any(leaf not in times for leaf in leaves):
            for code, where in anchored.shortfalls():
                run.fail(code, where)
    for item in run.receipts + run.closes + run.seals:
        certificate = key_of_leaf(run, item)
        if certificate is None or not certificate.sound or item.digest not in times:
            continue
        if "receipt_id" in item.body or item.failed_in in (None, "EVIDENCE", "ANCHOR"):
            _time_rules(run, item, certificate, times[item.digest])
