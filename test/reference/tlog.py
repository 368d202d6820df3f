"""tlog-proof anchors (SPEC "tlog-proof", "What anchors of one subject give")."""

from typing import NamedTuple

from jcs import jcs
from keys import unhex
from merkle import is_continued, root_by_path
from note import (
    Checkpoint, Note, canonical_base64, cosignature_time, log_line_verifies,
    parse_checkpoint, parse_note, parse_vkey,
)
from numbertext import integer_of


class Proof(NamedTuple):
    index: int
    path: list
    note: Note
    checkpoint: Checkpoint


class Judged(NamedTuple):
    """wrong, short, unpinned, other or dated; with a code or a time in milliseconds."""

    state: str
    code: str = ""
    time: int = 0


def parse_proof(text: str) -> Proof | None:
    try:
        if len(text.encode("utf-8")) > 65536:
            return None
    except UnicodeEncodeError:
        return None
    head, blank, checkpoint_text = text.partition("\n\n")
    lines = head.split("\n")
    if blank == "" or lines.pop(0) != "c2sp.org/tlog-proof@v1":
        return None
    if lines and lines[0].startswith("extra "):
        if canonical_base64(lines.pop(0)[6:]) is None:
            return None
    if not lines or not lines[0].startswith("index "):
        return None
    index = integer_of(lines.pop(0)[6:])
    path = [canonical_base64(line) for line in lines]
    if index is None or len(path) > 63 or any(step is None or len(step) != 32 for step in path):
        return None
    note = parse_note(checkpoint_text)
    checkpoint = None if note is None else parse_checkpoint(note.text)
    return None if checkpoint is None else Proof(index, path, note, checkpoint)


def anchor_entry(namespace: str, subject: str, digest: str, size: int) -> bytes:
    """SPEC "Anchor": what is in the ledger."""
    return jcs({
        "protocol": "OSA_PROOF_V3", "type": "AnchorEntryV1", "namespace_id": namespace,
        "subject": subject, "digest": digest, "tree_size": size,
    })


class Ledgers:
    """The pinned logs and witnesses, and the roots that logs have shown."""

    def __init__(self, policy: dict, heads: dict | None, consistency: list | None, at: int, skew: int):
        tlog = policy["tlog"]
        self.logs = [(log["origin"], parse_vkey(log["vkey"])) for log in tlog["logs"]]
        self.witnesses = [(entry["name"], parse_vkey(entry["vkey"])) for entry in tlog["witnesses"]]
        self.groups = tlog["groups"]
        self.quorum = tlog["quorum"]
        self.operator_only = policy.get("accept_operator_only", False)
        self.latest = at + skew
        self.shown: dict = {}
        self.known = {log["origin"]: log for log in heads["logs"]} if heads else {}
        self.consistency = consistency
        for log in heads["logs"] if heads else ():
            self.shown[log["origin"], log["size"]] = unhex(log["root"])

    def quorum_met(self, cosigners: set) -> bool:
        if self.quorum == "none":
            return True
        met = set(cosigners)
        for group in self.groups:
            if sum(member in met for member in group["members"]) >= group["threshold"]:
                met.add(group["name"])
        return self.quorum in met

    def judge(self, anchor: dict, entry: bytes) -> Judged:
        """The nine steps of "tlog-proof"."""
        if anchor["type"] != "tlog":
            return Judged("other")
        proof = parse_proof(anchor["proof"])
        if proof is None:
            return Judged("wrong", "ANCHOR_PROOF_INVALID")
        checkpoint, lines = proof.checkpoint, proof.note.lines
        if all(origin != checkpoint.origin for origin, _ in self.logs):
            return Judged("unpinned")
        signed = False
        for origin, key in self.logs:
            signature = lines.get((key.name, key.key_id))
            if signature is None:
                continue
            if not log_line_verifies(key, proof.note, signature):
                return Judged("wrong", "ANCHOR_PROOF_INVALID")
            signed = signed or origin == checkpoint.origin
        if not signed:
            return Judged("wrong", "ANCHOR_PROOF_INVALID")
        cosigners: dict = {}
        for name, key in self.witnesses:
            signature = lines.get((key.name, key.key_id))
            if signature is None:
                continue
            seconds = cosignature_time(key, proof.note, signature)
            if seconds is None:
                return Judged("wrong", "ANCHOR_PROOF_INVALID")
            cosigners[name] = seconds
        root = root_by_path(entry, proof.index, checkpoint.size, proof.path)
        if root is None:
            return Judged("wrong", "ANCHOR_PROOF_INVALID")
        if root != checkpoint.root:
            return Judged("wrong", "ANCHOR_ENTRY_MISMATCH")
        if self.shown.setdefault((checkpoint.origin, checkpoint.size), checkpoint.root) != checkpoint.root:
            return Judged("wrong", "ANCHOR_LOG_FORK")
        if self.breaks_off(checkpoint):
            return Judged("wrong", "ANCHOR_LOG_NOT_CONTINUED")
        return self.dated(cosigners)

    def breaks_off(self, checkpoint: Checkpoint) -> bool:
        """Step 7."""
        known = self.known.get(checkpoint.origin)
        if self.consistency is None or known is None or checkpoint.size <= known["size"]:
            return False
        ends = (checkpoint.origin, known["size"], checkpoint.size)
        return not any(
            (shown["origin"], shown["old_size"], shown["new_size"]) == ends
            and is_continued(known["size"], unhex(known["root"]), checkpoint.size, checkpoint.root,
                             [unhex(step) for step in shown["hashes"]])
            for shown in self.consistency
        )

    def dated(self, cosigners: dict) -> Judged:
        """Steps 8 and 9."""
        if not cosigners and not self.operator_only:
            return Judged("short", "ANCHOR_OPERATOR_ONLY")
        if cosigners and not self.quorum_met(set(cosigners)):
            return Judged("short", "ANCHOR_QUORUM_NOT_MET")
        if self.quorum == "none":
            return Judged("short", "ANCHOR_TIME_MISSING")
        for seconds in sorted(set(cosigners.values()) - {0}):
            if self.quorum_met({name for name, time in cosigners.items() if 0 < time <= seconds}):
                if seconds * 1000 > self.latest:
                    return Judged("short", "ANCHOR_FROM_FUTURE")
                return Judged("dated", time=seconds * 1000)
        return Judged("short", "ANCHOR_TIME_MISSING")


class Anchored:
    """The anchors of one tree or list, judged."""

    def __init__(self, ledgers: Ledgers, namespace: str, subject: str, digest: str, size: int,
                 anchors: list, path: str, source: str):
        entry = anchor_entry(namespace, subject, digest, size)
        self.path, self.source = path, source
        self.judged = [ledgers.judge(anchor, entry) for anchor in anchors]
        times = [judged.time for judged in self.judged if judged.state == "dated"]
        self.time = min(times) if times else None

    def of_state(self, state: str) -> list[tuple[str, str]]:
        """Codes and pointers of the anchors that are wrong, or short."""
        return [
            (judged.code, f"{self.path}/{index}")
            for index, judged in enumerate(self.judged) if judged.state == state
        ]

    def shortfalls(self) -> list[tuple[str, str]]:
        if all(judged.state in ("unpinned", "other") for judged in self.judged):
            return [("ANCHOR_MISSING", self.path)]
        return self.of_state("short")
