"""Check 6 (SPEC "Check 6")."""

from check_receipt import key_of
from keys import algorithm_of
from model import Run, Statement


def by_runtime(receipts: list[Statement]) -> dict[str, list[Statement]]:
    """Receipts of each runtime in order of sequence, equal ones in array order."""
    found: dict[str, list[Statement]] = {}
    for item in receipts:
        found.setdefault(item["runtime_id"], []).append(item)
    for items in found.values():
        items.sort(key=lambda item: item["sequence"])
    return found


def on_cycles(effects: dict[str, list[str]]) -> set[str]:
    """Nodes that lie on a cycle (Tarjan, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    stacked: set[str] = set()
    found: set[str] = set()
    for start in effects:
        if start in index:
            continue
        work = [(start, iter(effects[start]))]
        index[start] = low[start] = len(index)
        stack.append(start)
        stacked.add(start)
        while work:
            node, following = work[-1]
            for other in following:
                if other not in index:
                    index[other] = low[other] = len(index)
                    stack.append(other)
                    stacked.add(other)
                    work.append((other, iter(effects[other])))
                    break
                if other in stacked:
                    low[node] = min(low[node], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    component = []
                    while not component or component[-1] != node:
                        component.append(stack.pop())
                    stacked.difference_update(component)
                    if len(component) > 1:
                        found.update(component)
    return found


def _graph(run: Run) -> None:
    """Steps 1 to 5."""
    for index, digest in enumerate(run.bundle["claim"]["targets"]):
        if digest not in run.receipt_by_digest:
            run.fail("DAG_TARGET_MISSING", f"/claim/targets/{index}")
    edges: list[tuple[Statement, Statement]] = []
    for item in run.receipts:
        for index, digest in enumerate(item["parent_receipt_digests"]):
            parent = run.receipt_by_digest.get(digest)
            if parent is None or run.failed_before(parent):
                run.fault(item, "DAG_PARENT_MISSING", f"/parent_receipt_digests/{index}")
            if parent is not None:
                edges.append((parent, item))
    for items in by_runtime(run.receipts).values():
        for before, item in zip(items, items[1:]):
            if before["sequence"] == item["sequence"]:
                run.fault(item, "DAG_EQUIVOCATION")
            else:
                edges.append((before, item))
    effects: dict[str, list[str]] = {item.digest: [] for item in run.receipts}
    for cause, effect in edges:
        effects[cause.digest].append(effect.digest)
        if cause.issued > effect.issued + run.skew:
            run.fault(effect, "DAG_TIME_ORDER")
    for digest in on_cycles(effects):
        run.fault(run.receipt_by_digest[digest], "DAG_ORDER_CYCLE")


def signed_in_window(item: Statement, certificate: Statement, key_id: str) -> bool:
    """Issuer, agent, algorithm, signature and window of a close or seal."""
    return (
        item["issuer_key_id"] == certificate[key_id]
        and item["agent_id"] == certificate["agent_id"]
        and item["signing_algorithm"] == algorithm_of(certificate["public_key"])
        and item.signed_by(certificate["public_key"])
        and certificate.holds(item.issued)
    )


def _close_is_valid(run: Run, item: Statement) -> bool:
    """Step 6."""
    if item["closed_by"] == "agent":
        certificate = run.agent_by_digest.get(item["agent_key_certificate_digest"])
        return (
            run.policy.get("accept_agent_close", False)
            and certificate is not None and certificate.sound
            and signed_in_window(item, certificate, "agent_key_id")
        )
    certificate = run.runtime_by_digest.get(item["runtime_key_certificate_digests"][-1])
    return (
        certificate is not None and certificate.sound and not certificate.failed
        and certificate["runtime_id"] == item["runtime_id"]
        and certificate["session_id"] == item["session_id"]
        and signed_in_window(item, certificate, "runtime_key_id")
    )


def _close_agrees(run: Run, item: Statement, receipts: list[Statement]) -> bool:
    """Step 8."""
    final = item["final_sequence"]
    if item["receipt_count"] != final:
        return False
    used: list[str] = []
    for receipt in receipts:
        if (receipt["agent_id"] != item["agent_id"] or receipt["session_id"] != item["session_id"]
                or receipt["sequence"] > final or receipt.issued > item.issued + run.skew):
            return False
        if receipt["sequence"] == final and receipt.digest != item["last_receipt_digest"]:
            return False
        certificate = run.fitting(receipt)
        if certificate is not None and certificate.sound and certificate.digest not in used:
            used.append(certificate.digest)
    last = run.receipt_by_digest.get(item["last_receipt_digest"])
    if last is not None and (last["runtime_id"] != item["runtime_id"] or last["sequence"] != final):
        return False
    listed = item["runtime_key_certificate_digests"]
    for certificate in filter(None, map(run.runtime_by_digest.get, listed)):
        if certificate.sound and any(certificate[m] != item[m] for m in ("runtime_id", "session_id", "agent_id")):
            return False
    shown = len({receipt["sequence"] for receipt in receipts})
    if run.bundle["claim"]["scope"] == "session" and shown == final:
        if item["closed_by"] == "runtime" and listed[-1] not in used:
            used = used + [listed[-1]]
        return listed == used
    rest = iter(listed)
    return all(digest in rest for digest in used)


def _closes(run: Run) -> None:
    receipts = by_runtime(run.receipts)
    closed: set = set()
    for item in run.closes:
        if not run.failed_before(item) and not _close_is_valid(run, item):
            run.fault(item, "DAG_CLOSE_INVALID")
        if item["runtime_id"] in closed:
            run.fault(item, "DAG_CLOSE_INVALID")
            continue
        closed.add(item["runtime_id"])
        if not _close_agrees(run, item, receipts.get(item["runtime_id"], [])):
            run.fault(item, "DAG_CLOSE_MISMATCH")


def _whole_session(run: Run, session: str) -> None:
    """Steps 9 and 10."""
    closes: dict = {}
    for item in run.closes:
        closes.setdefault(item["runtime_id"], item)
    of_session = [item for item in run.receipts if item["session_id"] == session]
    for runtime_id, items in by_runtime(of_session).items():
        expected = 1
        for item in items:
            if item["sequence"] > expected:
                run.fault(item, "DAG_SEQUENCE_GAP")
            expected = item["sequence"] + 1
        close = closes.get(runtime_id)
        if close is None:
            run.fault(items[-1], "DAG_CLOSE_MISSING")
        elif close["final_sequence"] >= expected:
            run.fault(items[-1], "DAG_SEQUENCE_GAP")


def _seals(run: Run) -> None:
    """Steps 11 to 14."""
    sealed: set = set()
    for item in run.seals:
        certificate = run.agent_by_digest.get(item["agent_key_certificate_digest"])
        if not run.failed_before(item) and certificate is not None and certificate.sound:
            if not signed_in_window(item, certificate, "agent_key_id"):
                run.fault(item, "DAG_SEAL_INVALID")
        place = (item["agent_id"], item["session_id"])
        if place in sealed:
            run.fault(item, "DAG_SEAL_INVALID")
            continue
        sealed.add(place)
        closes = [close for close in run.closes if (close["agent_id"], close["session_id"]) == place]
        if ({close.digest for close in closes} != set(item["session_close_digests"])
                or any(close.issued > item.issued + run.skew for close in closes)):
            run.fault(item, "DAG_SEAL_MISMATCH")
    session = run.session()
    if session is not None and run.policy["require_session_seal"]:
        agents = {item["agent_id"] for item in run.receipts if item["session_id"] == session}
        for agent in agents:
            if (agent, session) not in sealed:
                run.fail("DAG_SEAL_MISSING", "/session_seals")


def check_dag(run: Run) -> None:
    _graph(run)
    _closes(run)
    session = run.session()
    if session is not None:
        _whole_session(run, session)
    _seals(run)


def key_of_leaf(run: Run, item: Statement) -> Statement | None:
    """The certificate whose key signed a receipt, close or seal."""
    if "receipt_id" in item.body:
        return key_of(run, item)
    if item.get("closed_by") == "runtime":
        return run.runtime_by_digest.get(item["runtime_key_certificate_digests"][-1])
    return run.agent_by_digest.get(item["agent_key_certificate_digest"])
