"""Check 1, steps 4 to 9 (SPEC "Check 1", "Referenced")."""

from jcs import jcs
from keys import sha256_hex, unhex
from model import Run, seat


class Referenced:
    """SPEC "Referenced": what the claim refers to, directly or through what is referenced."""

    def __init__(self, run: Run):
        self.run = run
        claim = run.bundle["claim"]
        self.receipts = self._receipts(claim)
        self.delegations = self._delegations()
        runtimes = {item["runtime_id"] for item in self.receipts}
        sessions = {item["session_id"] for item in self.receipts}
        self.closes = [item for item in run.closes if item["runtime_id"] in runtimes]
        self.seals = [item for item in run.seals if item["session_id"] in sessions]
        seats = {seat(item) for item in self.receipts}
        listed = {digest for item in self.closes for digest in item["runtime_key_certificate_digests"]}
        self.runtimes = [item for item in run.runtimes if seat(item) in seats or item.digest in listed]
        named = set()
        for item in self.delegations + self.closes + self.seals + self.runtimes:
            named.add(item.get("agent_key_certificate_digest"))
        self.agents = [item for item in run.agents if item.digest in named]
        agent_ids = {
            item["agent_id"] for item in self.receipts + self.delegations + self.closes + self.seals
        }
        self.records = [item for item in run.records if item["agent_id"] in agent_ids]

    def _receipts(self, claim: dict) -> list:
        run = self.run
        waiting = [run.receipt_by_digest[d] for d in claim["targets"] if d in run.receipt_by_digest]
        if claim["scope"] == "session":
            sessions = {item["session_id"] for item in waiting}
            waiting += [item for item in run.receipts if item["session_id"] in sessions]
        found: dict = {}
        while waiting:
            item = waiting.pop()
            if item.digest not in found:
                found[item.digest] = item
                parents = item["parent_receipt_digests"]
                waiting += [run.receipt_by_digest[d] for d in parents if d in run.receipt_by_digest]
        return list(found.values())

    def _delegations(self) -> list:
        found: dict = {}
        for receipt in self.receipts:
            digest = receipt["delegation_digest"]
            while digest in self.run.delegation_by_digest and digest not in found:
                found[digest] = self.run.delegation_by_digest[digest]
                digest = found[digest].get("parent_delegation_digest")
        return list(found.values())


def _statements(run: Run, source: str) -> list:
    everything = (
        run.records + run.rotations + run.agents + run.runtimes + run.delegations
        + run.receipts + run.closes + run.seals + run.lists
    )
    return [item for item in everything if item.source == source]


def _later_duplicates(keys):
    seen = set()
    for index, key in enumerate(keys):
        if key in seen:
            yield index
        seen.add(key)


def _duplicates(run: Run) -> None:
    """Step 8."""
    code = "FORMAT_DUPLICATE_STATEMENT"
    bundle = run.bundle
    for items in (run.records, run.rotations, run.agents, run.runtimes, run.delegations,
                  run.receipts, run.closes, run.seals, run.lists):
        own = [item for item in items if item.source == "bundle"]
        for index in _later_duplicates(item.digest for item in own):
            run.fail(code, own[index].pointer)
    for index in _later_duplicates(jcs(policy) for policy in bundle["policies"]):
        run.fail(code, f"/policies/{index}")
    for index in _later_duplicates(entry["document"] for entry in bundle["attestations"]):
        run.fail(code, f"/attestations/{index}")
    trees = bundle["evidence_trees"]
    for index in _later_duplicates((tree["root"], tree["tree_size"]) for tree in trees):
        run.fail(code, f"/evidence_trees/{index}")
    places = (
        (entry["receipt_digest"], entry["value"]["kind"], entry.get("inclusion", {}).get("leaf_index"))
        for entry in bundle["disclosures"]
    )
    for index in _later_duplicates(places):
        run.fail(code, f"/disclosures/{index}")
    for name in ("evidence_trees", "revocation_lists"):
        for holder, entry in enumerate(bundle[name]):
            anchors = ((anchor["type"], anchor["proof"]) for anchor in entry["anchors"])
            for index in _later_duplicates(anchors):
                run.fail(code, f"/{name}/{holder}/anchors/{index}")


def tree_names(tree: dict) -> list[str]:
    """The digests that a tree names as leaves."""
    if tree["mode"] == "complete":
        return tree["leaves"]
    return [proof["statement_digest"] for proof in tree["proofs"]]


def _unreferenced(run: Run) -> None:
    """Step 9."""
    code = "FORMAT_UNREFERENCED"
    referenced = Referenced(run)
    for items, found in (
        (run.receipts, referenced.receipts), (run.delegations, referenced.delegations),
        (run.closes, referenced.closes), (run.seals, referenced.seals),
        (run.runtimes, referenced.runtimes), (run.agents, referenced.agents),
        (run.records, referenced.records),
    ):
        digests = {item.digest for item in found}
        for item in items:
            if item.digest not in digests:
                run.fail(code, item.pointer)
    policies = {item["policy_digest"] for item in referenced.receipts + referenced.delegations}
    for index, policy in enumerate(run.bundle["policies"]):
        if sha256_hex(jcs(policy)) not in policies:
            run.fail(code, f"/policies/{index}")
    attested = {item.get("attestation_digest") for item in referenced.runtimes}
    for index, entry in enumerate(run.bundle["attestations"]):
        if sha256_hex(unhex(entry["document"])) not in attested:
            run.fail(code, f"/attestations/{index}")
    leaves = {item.digest for item in referenced.receipts + referenced.closes + referenced.seals}
    for index, tree in enumerate(run.bundle["evidence_trees"]):
        if leaves.isdisjoint(tree_names(tree)):
            run.fail(code, f"/evidence_trees/{index}")
    receipts = {item.digest for item in referenced.receipts}
    for index, entry in enumerate(run.bundle["disclosures"]):
        if entry["receipt_digest"] not in receipts:
            run.fail(code, f"/disclosures/{index}")


def check_format(run: Run) -> None:
    bundle = run.bundle
    accepted = run.policy["accepted_algorithms"]
    if any(len(records) > 1000 for records in run.records_by_agent.values()):
        run.fail("FORMAT_TOO_LARGE", "/identity_records")
    for item in _statements(run, "bundle"):
        if item["signing_algorithm"] not in accepted:
            run.fail("FORMAT_ALGORITHM_NOT_ACCEPTED", item.pointer + "/signing_algorithm")
        elif item["namespace_id"] != bundle["namespace_id"]:
            run.fail("FORMAT_MIXED_RUN", item.pointer + "/namespace_id")
    if not run.receipts:
        run.fail("FORMAT_EMPTY", "/receipts")
    if not bundle["claim"]["targets"]:
        run.fail("FORMAT_EMPTY", "/claim/targets")
    for item in run.receipts + run.delegations:
        if item["mission_id"] != bundle["mission_id"]:
            run.fail("FORMAT_MIXED_RUN", item.pointer + "/mission_id")
    if bundle["claim"]["scope"] == "session":
        present = (run.receipt_by_digest.get(digest) for digest in bundle["claim"]["targets"])
        if len({item["session_id"] for item in present if item is not None}) > 1:
            run.fail("FORMAT_MIXED_RUN", "/claim/targets")
    _duplicates(run)
    _unreferenced(run)
    if not run.failures:
        for item in _statements(run, "supplement"):
            if item["signing_algorithm"] not in accepted:
                run.fail("FORMAT_ALGORITHM_NOT_ACCEPTED", item.pointer + "/signing_algorithm", "supplement")
