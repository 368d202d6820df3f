"""Check 4 (SPEC "Check 4", "Revocation")."""

from instants import parse_time
from keys import algorithm_of, thumbprint
from model import Run, Statement

CONFLICT = "REVOCATION_LIST_CONFLICT"


def _signed_by_root_of_its_time(run: Run, item: Statement) -> bool:
    """Step 2."""
    line = run.line
    generation = line.generation_of.get(item["issuer_key_id"])
    if generation is None:
        return False
    root = line.roots[generation]
    begins, ends = line.begins(generation), line.ends(generation)
    if begins is not None and item.issued < begins or ends is not None and item.issued >= ends:
        return False
    return item["signing_algorithm"] == algorithm_of(root.public_key) and item.signed_by(root.public_key)


def _revoked_keys(run: Run, lists: list[Statement]) -> None:
    """Step 3."""
    entries = [entry for item in lists for entry in item["entries"]]
    ids = {entry["key_id"] for entry in entries}
    keys = {entry["key_thumbprint"] for entry in entries}

    def revoked(key_id: str, public_key: str) -> bool:
        return key_id in ids or thumbprint(public_key) in keys

    line = run.line
    run.revoked_generations = {
        number for number, root in line.roots.items() if revoked(root.key_id, root.public_key)
    }
    for item in run.runtimes:
        if revoked(item["runtime_key_id"], item["public_key"]):
            run.fault(item, "REVOCATION_KEY_REVOKED")
    for item in run.agents:
        if revoked(item["agent_key_id"], item["public_key"]) or _root_revoked(run, item):
            run.fault(item, "REVOCATION_KEY_REVOKED")
    for item in run.records:
        if _root_revoked(run, item):
            run.fault(item, "REVOCATION_KEY_REVOKED")


def _root_revoked(run: Run, item: Statement) -> bool:
    """The root that signed, or one between it and the highest pinned one, is revoked."""
    generation = run.line.generation_of.get(item["issuer_key_id"])
    if generation is None:
        return False
    return not run.revoked_generations.isdisjoint(run.line.to_top(generation))


def _names(item: Statement) -> set:
    return {(entry["key_id"], entry["key_thumbprint"]) for entry in item["entries"]}


def _in_conflict(item: Statement, before: Statement) -> bool:
    if item.digest == before.digest:
        return False
    number, earlier = item["list_number"], before["list_number"]
    return (
        number == earlier
        or (number == earlier + 1 and item["previous_list_digest"] != before.digest)
        or item.issued < before.issued
        or not _names(before) <= _names(item)
    )


def _counting(run: Run, left: list) -> list[Statement]:
    """Step 5: the lists that count for the highest number."""
    def counts(item: Statement, anchored) -> bool:
        ends = run.line.ends(run.line.generation_of[item["issuer_key_id"]])
        return ends is None or (anchored.time is not None and anchored.time < ends)

    return [item for item, anchored in left if counts(item, anchored)] or [item for item, _ in left]


def _order(run: Run, left: list) -> None:
    """Steps 4 and 5."""
    ordered = sorted((item for item, _ in left), key=lambda item: item["list_number"])
    for index, item in enumerate(ordered):
        first_wrong = (item["previous_list_digest"] is None) != (item["list_number"] == 1)
        if first_wrong or (index > 0 and _in_conflict(item, ordered[index - 1])):
            run.fault(item, CONFLICT)
    head = None
    for entry in run.heads["namespaces"] if run.heads else ():
        if entry["namespace_id"] == run.namespace_id:
            head = entry.get("revocation_list")
    highest = max(item["list_number"] for item in _counting(run, left))
    least = run.namespace["minimum_revocation_list_number"]
    if highest < least or (head is not None and highest < head["number"]):
        run.fail("REVOCATION_LIST_ROLLED_BACK", "/revocation_lists")
    for item in ordered:
        if head is not None and item["list_number"] == head["number"] and item.digest != head["digest"]:
            run.fault(item, CONFLICT)


def _staleness(run: Run, item: Statement, anchored) -> str | None:
    """Step 6: the code of a list that is not fresh."""
    generation = run.line.generation_of[item["issuer_key_id"]]
    if item.issued > run.at + run.skew:
        return "REVOCATION_LIST_FROM_FUTURE"
    if not run.revoked_generations.isdisjoint(run.line.to_top(generation)):
        return "REVOCATION_KEY_REVOKED"
    if run.at >= parse_time(item["not_after"]) or run.at - item.issued > run.max_age:
        return "REVOCATION_LIST_STALE"
    time, ends = anchored.time, run.line.ends(generation)
    if (time is None or item.issued > time + run.skew or time - item.issued > run.max_delay
            or (ends is not None and time >= ends)):
        return "REVOCATION_LIST_NOT_ANCHORED"
    return None


def check_revocation(run: Run) -> None:
    if not run.lists:
        return run.fail("REVOCATION_LIST_MISSING", "/revocation_lists")
    left = []
    for item, anchored in zip(run.lists, run.anchored_lists):
        if _signed_by_root_of_its_time(run, item):
            left.append((item, anchored))
        else:
            run.fault(item, "REVOCATION_SIGNATURE_INVALID")
    lists = [item for item, _ in left]
    _revoked_keys(run, lists)
    if not lists:
        return
    _order(run, left)
    codes = [(item, _staleness(run, item, anchored)) for item, anchored in left]
    if any(code is None for _, code in codes):
        return
    future = "REVOCATION_LIST_FROM_FUTURE"
    past = [(item, code) for item, code in codes if code != future]
    for item, code in past or codes:
        run.fault(item, code)
