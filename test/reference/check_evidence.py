"""Check 7 (SPEC "Check 7", "Evidence tree", "Commitments")."""

import hashlib

from check_format import tree_names
from jcs import jcs
from keys import unhex
from merkle import root_by_path, root_of, tree_order
from model import Run, Statement

ROOT = "EVIDENCE_ROOT_MISMATCH"
PROOF = "EVIDENCE_PROOF_INVALID"


def _causes(item: Statement) -> list[str]:
    if "receipt_id" in item.body:
        return item["parent_receipt_digests"]
    if item["type"] == "SessionCloseV1":
        return [item["last_receipt_digest"]]
    return item["session_close_digests"]


def _complete(run: Run, tree: dict, where: str) -> set[str]:
    """Step 1: the leaves that the tree holds."""
    leaves = tree["leaves"]
    seen: set = set()
    for index, leaf in enumerate(leaves):
        if leaf in seen:
            run.fail(PROOF, f"{where}/leaves/{index}")
            return set()
        seen.add(leaf)
    for index, leaf in enumerate(leaves):
        item = run.leaf_by_digest.get(leaf)
        if item is None or run.failed_before(item):
            run.fail(ROOT, f"{where}/leaves/{index}")
            return set()
    order = tree_order({leaf: _causes(run.leaf_by_digest[leaf]) for leaf in leaves})
    root = root_of([unhex(leaf) for leaf in leaves])
    if order != leaves or root != unhex(tree["root"]) or len(leaves) != tree["tree_size"]:
        run.fail(ROOT, where)
        return set()
    return seen


def _inclusion(run: Run, tree: dict, where: str) -> set[str]:
    """Step 2: the leaves that the tree holds."""
    proved: set = set()
    places: set = set()
    for index, proof in enumerate(tree["proofs"]):
        digest, place = proof["statement_digest"], proof["leaf_index"]
        if digest in proved or place in places:
            run.fail(PROOF, f"{where}/proofs/{index}")
            continue
        places.add(place)
        path = [unhex(step) for step in proof["audit_path"]]
        item = run.leaf_by_digest.get(digest)
        root = root_by_path(unhex(digest), place, tree["tree_size"], path)
        if item is None or run.failed_before(item) or root != unhex(tree["root"]):
            run.fail(PROOF, f"{where}/proofs/{index}")
        else:
            proved.add(digest)
    return proved


def commitment(entry: dict) -> bytes:
    return hashlib.sha256(unhex(entry["salt"]) + jcs(entry["value"])).digest()


def _disclosures(run: Run) -> None:
    """Step 4."""
    opened: set = set()
    for index, entry in enumerate(run.bundle["disclosures"]):
        where = f"/disclosures/{index}"
        value, opening = entry["value"], commitment(entry)
        receipt = run.receipt_by_digest[entry["receipt_digest"]]
        name = (entry["receipt_digest"], opening)
        repeated = name in opened
        opened.add(name)
        fits = value["receipt_id"] == receipt["receipt_id"] and (
            value["kind"] == "evidence" or unhex(receipt[value["kind"] + "_commitment"]) == opening
        )
        if repeated or not fits:
            run.fail("EVIDENCE_DISCLOSURE_MISMATCH", where)
        elif value["kind"] == "evidence":
            place = entry["inclusion"]
            path = [unhex(step) for step in place["audit_path"]]
            root = root_by_path(opening, place["leaf_index"], place["tree_size"], path)
            if root != unhex(receipt["evidence_merkle_root"]):
                run.fail("EVIDENCE_ITEM_NOT_INCLUDED", where)


def check_evidence(run: Run) -> None:
    run.tree_leaves = []
    named: set = set()
    for index, tree in enumerate(run.bundle["evidence_trees"]):
        judge = _complete if tree["mode"] == "complete" else _inclusion
        run.tree_leaves.append(judge(run, tree, f"/evidence_trees/{index}"))
        named.update(tree_names(tree))
    held = set().union(*run.tree_leaves)
    for item in run.receipts + run.closes + run.seals:
        if item.digest not in named:
            run.fault(item, "EVIDENCE_NOT_INCLUDED")
        elif item.digest not in held:
            run.fail_silently(item)
    _disclosures(run)
