"""Checks 9 and 10 (SPEC "Check 9", "Check 10")."""

import hashlib

from check_dag import key_of_leaf
from check_receipt import key_of
from keys import sha256_hex, unhex
from model import Run, Statement


def check_attestation(run: Run) -> None:
    requirements = run.policy.get("attestation_requirements")
    if requirements is None:
        return
    certificates = {}
    for item in run.receipts:
        certificate = key_of(run, item)
        if certificate is not None:
            certificates[certificate.digest] = certificate
    for item in run.closes:
        if item["closed_by"] == "runtime" and item.failed_in in (None, "EVIDENCE", "ANCHOR"):
            certificate = key_of_leaf(run, item)
            certificates[certificate.digest] = certificate
    documents = {sha256_hex(unhex(entry["document"])) for entry in run.bundle["attestations"]}
    for certificate in certificates.values():
        if certificate.get("attestation_digest") in documents:
            run.fault(certificate, "ATTESTATION_DOCUMENT_INVALID")  # this version can judge none
        else:
            run.fault(certificate, "ATTESTATION_MISSING")


def _content_digest(value: dict) -> str | None:
    """Step 4: the SHA-256 of a disclosed content."""
    if "blob" in value:
        return value["blob"]["sha256"]
    if "bytes" in value:
        return sha256_hex(unhex(value["bytes"]))
    if isinstance(value["json"], str):
        return "0x" + hashlib.sha256(value["json"].encode("utf-8")).hexdigest()
    return None


def _target(run: Run, asked: dict, item: Statement) -> None:
    """Steps 3 and 4."""
    for member in ("session_id", "agent_id"):
        if item[member] != asked.get(member, item[member]):
            run.fail("EXPECTATION_RUN_MISMATCH", f"{item.pointer}/{member}")
    if item["tool"] != asked.get("tool", item["tool"]):
        run.fail("EXPECTATION_TARGET_MISMATCH", f"{item.pointer}/tool")
    output = next(
        (entry["value"] for entry in run.bundle["disclosures"]
         if entry["receipt_digest"] == item.digest and entry["value"]["kind"] == "output"), None,
    )
    if "status" in asked and (output is None or output["status"] != asked["status"]):
        run.fail("EXPECTATION_OUTPUT_MISMATCH", item.pointer)
    if "output_sha256" in asked and (output is None or _content_digest(output) != asked["output_sha256"]):
        run.fail("EXPECTATION_OUTPUT_MISMATCH", item.pointer)


def check_expectation(run: Run) -> None:
    asked = run.expectations or {}
    claim = run.bundle["claim"]
    required = run.policy["require_session_close"] or run.policy["require_session_seal"]
    if claim["scope"] != "session" and (required or asked.get("scope") == "session"):
        run.fail("EXPECTATION_SCOPE_TOO_WEAK", "/claim/scope")
    for member in ("namespace_id", "mission_id"):
        if asked.get(member, run.bundle[member]) != run.bundle[member]:
            run.fail("EXPECTATION_RUN_MISMATCH", "/" + member)
    for digest in claim["targets"]:
        if digest in run.receipt_by_digest:
            _target(run, asked, run.receipt_by_digest[digest])
    wanted = asked.get("target_receipt_digests")
    if wanted is not None and set(wanted) != set(claim["targets"]):
        run.fail("EXPECTATION_TARGET_MISMATCH", "/claim/targets")
