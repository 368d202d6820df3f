"""What the checks work on: statements with digests and places, and the state of one run."""

from codes import Failure
from instants import parse_time
from jcs import jcs
from keys import sha256_hex, signature_verifies, thumbprint

ARRAYS = (
    "identity_records", "root_rotations", "agent_key_certificates", "runtime_key_certificates",
    "delegations", "receipts", "session_closes", "session_seals",
)


class Statement:
    """A signed object with its digest, place and fate."""

    def __init__(self, body: dict, pointer: str, source: str = "bundle"):
        self.body = body
        self.pointer = pointer
        self.source = source
        self.digest = sha256_hex(jcs(body))
        self.issued = parse_time(body["issued_at"])
        self.failed_in: str | None = None
        self.sound = False
        self._signed: bytes | None = None

    def __getitem__(self, member: str):
        return self.body[member]

    def get(self, member: str, default=None):
        return self.body.get(member, default)

    @property
    def failed(self) -> bool:
        return self.failed_in is not None

    def window(self) -> tuple[int, int]:
        return parse_time(self["not_before"]), parse_time(self["not_after"])

    def holds(self, instant: int) -> bool:
        """SPEC "Windows": half-open."""
        begin, end = self.window()
        return begin <= instant < end

    def window_empty(self) -> bool:
        begin, end = self.window()
        return begin >= end

    def window_inside(self, other: "Statement") -> bool:
        begin, end = self.window()
        outer_begin, outer_end = other.window()
        return outer_begin <= begin and end <= outer_end

    def signed_bytes(self) -> bytes:
        """SPEC "Signed bytes and digests"."""
        if self._signed is None:
            rotation = self.get("type") == "RootRotationV1"
            without = ("signature", "new_root_signature") if rotation else ("signature",)
            self._signed = jcs({name: value for name, value in self.body.items() if name not in without})
        return self._signed

    def signed_by(self, public_key: str, member: str = "signature") -> bool:
        return signature_verifies(public_key, self.signed_bytes(), self[member])

    def thumbprint(self) -> str:
        return thumbprint(self["public_key"])


def seat(statement) -> tuple:
    """What a receipt and its runtime key certificate have in common."""
    members = ("namespace_id", "agent_id", "runtime_id", "session_id", "runtime_key_id")
    return tuple(statement[member] for member in members)


class Run:
    """Inputs, indexes and failures of one verification after checks 0 and 1."""

    def __init__(self, policy: dict, at: int, bundle: dict, supplement, heads, expectations):
        self.policy = policy
        self.at = at
        self.bundle = bundle
        self.heads = heads
        self.expectations = expectations
        self.namespace_id = bundle["namespace_id"]
        self.namespace = next(
            entry for entry in policy["namespaces"] if entry["namespace_id"] == self.namespace_id
        )
        self.skew = policy.get("clock_skew_seconds", 60) * 1000
        self.max_lifetime = policy.get("max_runtime_key_lifetime_seconds", 1800) * 1000
        self.max_delay = policy.get("max_anchor_delay_seconds", 86400) * 1000
        self.max_age = policy.get("max_revocation_age_seconds", 86400) * 1000
        self.failures: list[Failure] = []
        self.check = ""

        self.log_consistency = (supplement or {}).get("log_consistency")
        supplement = supplement or {"root_rotations": [], "revocation_lists": []}
        (self.records, self.rotations, self.agents, self.runtimes, self.delegations, self.receipts,
         self.closes, self.seals) = (
            [Statement(body, f"/{name}/{index}") for index, body in enumerate(bundle[name])]
            for name in ARRAYS
        )
        known = {rotation.digest for rotation in self.rotations}
        for index, body in enumerate(supplement["root_rotations"]):
            rotation = Statement(body, f"/root_rotations/{index}", "supplement")
            if rotation.digest not in known:
                known.add(rotation.digest)
                self.rotations.append(rotation)
        self.lists = []
        self.list_anchors = []
        for source, entries in (("bundle", bundle["revocation_lists"]), ("supplement", supplement["revocation_lists"])):
            for index, entry in enumerate(entries):
                self.lists.append(Statement(entry["list"], f"/revocation_lists/{index}/list", source))
                self.list_anchors.append(entry["anchors"])

        self.agent_by_digest = {item.digest: item for item in self.agents}
        self.runtime_by_digest = {item.digest: item for item in self.runtimes}
        self.delegation_by_digest = {item.digest: item for item in self.delegations}
        self.receipt_by_digest = {item.digest: item for item in self.receipts}
        self.leaf_by_digest = {item.digest: item for item in self.receipts + self.closes + self.seals}
        self.runtimes_by_seat: dict = {}
        for item in self.runtimes:
            self.runtimes_by_seat.setdefault(seat(item), []).append(item)
        self.records_by_agent: dict = {}
        for item in self.records:
            self.records_by_agent.setdefault(item["agent_id"], []).append(item)
        # Filled in by the checks.
        self.line = None
        self.anchored_lists: list = []
        self.anchored_trees: list = []
        self.revoked_generations: set[int] = set()

    def fail(self, code: str, pointer: str, source: str = "bundle") -> None:
        self.failures.append(Failure(self.check, code, pointer, source))

    def fault(self, statement: Statement, code: str, member: str = "") -> None:
        """A failure of a statement, at it or at a member of it."""
        self.fail(code, statement.pointer + member, statement.source)
        self.fail_silently(statement)

    def fail_silently(self, statement: Statement) -> None:
        if statement.failed_in is None:
            statement.failed_in = self.check

    def failed_before(self, statement: Statement) -> bool:
        """Failed in an earlier check than the present one."""
        return statement.failed_in not in (None, self.check)

    def fitting(self, receipt: Statement) -> Statement | None:
        """The one runtime key certificate of a receipt."""
        found = self.runtimes_by_seat.get(seat(receipt), [])
        return found[0] if len(found) == 1 else None

    def chain(self, delegation: Statement | None, most: int | None = None) -> list[Statement]:
        """A delegation and those above it that are present, from below."""
        found: list[Statement] = []
        while delegation is not None and (most is None or len(found) < most):
            found.append(delegation)
            parent = delegation.get("parent_delegation_digest")
            delegation = None if parent is None else self.delegation_by_digest.get(parent)
        return found

    def chain_of(self, receipt: Statement) -> list[Statement]:
        return self.chain(self.delegation_by_digest.get(receipt["delegation_digest"]), 8)

    def counting_record(self, agent_id: str, instant: int) -> Statement | None:
        """SPEC "Keys and chain": the record that counts for an agent at a time."""
        counting = [
            item for item in self.records_by_agent.get(agent_id, ())
            if item.sound and item.holds(instant) and item.issued <= instant + self.skew
        ]
        return max(counting, key=lambda item: item["record_number"], default=None)

    def session(self) -> str | None:
        """SPEC "Check 6": the session S of scope session, else None."""
        if self.bundle["claim"]["scope"] != "session":
            return None
        targets = set(self.bundle["claim"]["targets"])
        return next((item["session_id"] for item in self.receipts if item.digest in targets), None)
