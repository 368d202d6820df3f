"""A second verifier of OSA_PROOF_V3, written from docs/SPEC.md alone.

    python3 test/reference/verify.py CASE_DIR

prints {verdict, first_failure} of the case as JSON and exits 0 when accepted, 1 when rejected.
"""

import json
import sys
from pathlib import Path
from typing import NamedTuple

import trust
from bundleschema import bundle as bundle_kind
from cbor import read_cbor
from check_anchor import check_anchor
from check_dag import check_dag
from check_delegation import check_delegation
from check_evidence import check_evidence
from check_format import check_format
from check_identity import check_identity
from check_questions import check_attestation, check_expectation
from check_receipt import check_receipt
from check_revocation import check_revocation
from codes import Failure, failure_key
from instants import parse_time
from jsontext import bundle_free, read_json
from model import Run
from schema import PROTOCOL, faults_of, identifier
from tlog import Anchored, Ledgers

SMALL, LARGE, MAX_BUNDLE = 4000000, 64000000, 512000000
CHECKS = (
    ("IDENTITY", check_identity), ("DELEGATION", check_delegation), ("REVOCATION", check_revocation),
    ("RECEIPT", check_receipt), ("DAG", check_dag), ("EVIDENCE", check_evidence),
    ("ANCHOR", check_anchor), ("ATTESTATION", check_attestation), ("EXPECTATION", check_expectation),
)


class Inputs(NamedTuple):
    """Bytes, and the time as given."""

    bundle: bytes
    trust: bytes | None
    at: str
    expectations: bytes | None = None
    supplement: bytes | None = None
    heads: bytes | None = None


def _side_input(data: bytes | None, limit: int, judge, source: str, failures: list):
    """Check 0, step 4."""
    if data is None:
        return None
    value, faults = read_json(data, limit)
    pointers = [where for _, where in faults] or judge(value)
    failures += [Failure("TRUST", "TRUST_INPUT_INVALID", where, source) for where in pointers]
    return value


def read_bundle(data: bytes, limit: int):
    """SPEC "Reading bytes": CBOR by the first byte, else JSON."""
    if data[:1] and 0xA0 <= data[0] <= 0xBF:
        return read_cbor(data, limit, bundle_free)
    return read_json(data, limit, bundle_free)


def _is_identifier(value) -> bool:
    return not faults_of(identifier, value)


def _format_faults(value, read_faults, policy: dict) -> list[Failure]:
    """Check 1, steps 1 to 3."""
    faults = read_faults or faults_of(bundle_kind, value)
    if not faults and len(value["receipts"]) > policy.get("limits", {}).get("max_receipts", 2000000):
        faults = [("FORMAT_TOO_LARGE", "/receipts")]
    return [Failure("FORMAT", code, where) for code, where in faults]


def _supplement_is_foreign(supplement: dict, namespace_id: str) -> bool:
    """Check 0, step 7."""
    statements = supplement["root_rotations"] + [entry["list"] for entry in supplement["revocation_lists"]]
    return any(entry["namespace_id"] != namespace_id for entry in [supplement] + statements)


def _judge_anchors(run: Run) -> None:
    """Lists of the bundle, then lists of the supplement, then trees of the bundle."""
    ledgers = Ledgers(run.policy, run.heads, run.log_consistency, run.at, run.skew)
    for item, anchors in zip(run.lists, run.list_anchors):
        where = item.pointer.removesuffix("/list") + "/anchors"
        run.anchored_lists.append(Anchored(
            ledgers, run.namespace_id, "revocation_list", item.digest, 1, anchors, where, item.source,
        ))
    for index, tree in enumerate(run.bundle["evidence_trees"]):
        run.anchored_trees.append(Anchored(
            ledgers, run.namespace_id, "evidence_root", tree["root"], tree["tree_size"],
            tree["anchors"], f"/evidence_trees/{index}/anchors", "bundle",
        ))


def all_failures(inputs: Inputs) -> list[Failure]:
    """SPEC "Verification": every failure of every check."""
    if not inputs.trust:
        return [Failure("TRUST", "TRUST_POLICY_MISSING", "", "trust_policy")]
    failures: list[Failure] = []
    policy, faults = read_json(inputs.trust, SMALL)
    pointers = [where for _, where in faults] or trust.policy_faults(policy)
    failures += [Failure("TRUST", "TRUST_POLICY_INVALID", where, "trust_policy") for where in pointers]
    at = parse_time(inputs.at)
    if at is None:
        failures.append(Failure("TRUST", "TRUST_INPUT_INVALID", "/at", "arguments"))
    expectations = _side_input(inputs.expectations, SMALL, trust.expectations_faults, "expectations", failures)
    supplement = _side_input(inputs.supplement, LARGE, trust.supplement_faults, "supplement", failures)
    heads = _side_input(inputs.heads, SMALL, trust.heads_faults, "heads", failures)
    if failures:
        return failures

    limit = policy.get("limits", {}).get("max_bundle_bytes", MAX_BUNDLE)
    bundle, faults = read_bundle(inputs.bundle, limit)
    pinned = {entry["namespace_id"] for entry in policy["namespaces"]}
    if (not faults and isinstance(bundle, dict) and bundle.get("protocol") == PROTOCOL
            and bundle.get("type") == "ProofBundleV3" and _is_identifier(bundle.get("namespace_id"))
            and bundle["namespace_id"] not in pinned):
        return [Failure("TRUST", "TRUST_NAMESPACE_NOT_PINNED", "/namespace_id")]
    failures = _format_faults(bundle, faults, policy)
    if failures:
        return failures
    run = Run(policy, at, bundle, supplement, heads, expectations)
    run.check = "FORMAT"
    check_format(run)
    if run.failures:
        return run.failures
    if supplement is not None and _supplement_is_foreign(supplement, bundle["namespace_id"]):
        return [Failure("TRUST", "TRUST_INPUT_INVALID", "/namespace_id", "supplement")]
    _judge_anchors(run)
    for name, check in CHECKS:
        run.check = name
        try:
            check(run)
        except Exception:  # behind a failure an error is INTERNAL_FAULT; as a first failure it is our own bug
            if not run.failures:
                raise
            run.fail("INTERNAL_FAULT", "")
    return run.failures


def verify(inputs: Inputs) -> dict:
    failures = all_failures(inputs)
    if not failures:
        return {"verdict": "ACCEPTED", "first_failure": None}
    first = min(failures, key=failure_key)
    return {
        "verdict": "REJECTED",
        "first_failure": {
            "code": first.code, "check": first.check, "pointer": first.pointer, "source": first.source,
        },
    }


def read_case(directory: Path) -> tuple[Inputs, dict]:
    """The inputs of a fixture, and its case.json."""
    def maybe(name: str) -> bytes | None:
        path = directory / name
        return path.read_bytes() if path.exists() else None

    case = json.loads((directory / "case.json").read_text("utf-8"))
    bundle = maybe("bundle.json")
    if bundle is None:
        bundle = (directory / "bundle.cbor").read_bytes()
    inputs = Inputs(
        bundle, maybe("trust.json"), case["at"],
        maybe("expectations.json"), maybe("supplement.json"), maybe("heads.json"),
    )
    return inputs, case


def main() -> int:
    if len(sys.argv) != 2:
        print("usage: verify.py CASE_DIR", file=sys.stderr)
        return 2
    inputs, _ = read_case(Path(sys.argv[1]))
    result = verify(inputs)
    print(json.dumps(result, indent=2))
    return 0 if result["verdict"] == "ACCEPTED" else 1


if __name__ == "__main__":
    sys.exit(main())
