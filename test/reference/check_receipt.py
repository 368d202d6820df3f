"""Check 5 (SPEC "Check 5")."""

from keys import algorithm_of
from model import Run, Statement


def key_of(run: Run, receipt: Statement) -> Statement | None:
    """Step 1: the runtime key certificate of a receipt, sound and not failed since."""
    certificate = run.fitting(receipt)
    if certificate is None or not certificate.sound or certificate.failed:
        return None
    return certificate


def check_receipt(run: Run) -> None:
    ids: set = set()
    commitments: set = set()
    for item in run.receipts:
        certificate = key_of(run, item)
        if certificate is None:
            run.fault(item, "RECEIPT_KEY_UNRESOLVED")
        else:
            if item["signing_algorithm"] != algorithm_of(certificate["public_key"]):
                run.fault(item, "RECEIPT_ALGORITHM_MISMATCH")
            elif not item.signed_by(certificate["public_key"]):
                run.fault(item, "RECEIPT_SIGNATURE_INVALID")
            if not certificate.holds(item.issued):
                run.fault(item, "RECEIPT_OUTSIDE_KEY_WINDOW")
        if item["receipt_id"] in ids:
            run.fault(item, "RECEIPT_ID_REUSED")
        ids.add(item["receipt_id"])
        for member in ("input_commitment", "output_commitment"):
            beginning = item[member][: 2 + 2 * 16]
            if beginning in commitments:
                run.fault(item, "RECEIPT_COMMITMENT_REUSED", "/" + member)
            commitments.add(beginning)
