"""The line of root keys (SPEC "Root rotation", "Check 2" steps 1 to 7)."""

from typing import NamedTuple

from instants import parse_time
from keys import algorithm_of
from model import Run, Statement

INVALID = "IDENTITY_ROTATION_INVALID"


class Root(NamedTuple):
    key_id: str
    public_key: str


def _old(rotation: Statement) -> Root:
    return Root(rotation["old_root_key_id"], rotation["old_root_public_key"])


def _new(rotation: Statement) -> Root:
    return Root(rotation["new_root_key_id"], rotation["new_root_public_key"])


def _effective(rotation: Statement) -> int:
    return parse_time(rotation["effective_at"])


class Line:
    def __init__(self, run: Run):
        self.run = run
        pinned = {entry["rotation_number"]: Root(entry["key_id"], entry["public_key"])
                  for entry in run.namespace["roots"]}
        self.top = max(pinned)
        self.roots = {self.top: pinned[self.top]}
        self.joined: dict[int, Statement] = {}
        for rotation in run.rotations:
            code = self._by_itself(rotation)
            if code is not None:
                run.fault(rotation, code)
        passed: dict[int, Statement] = {}
        candidates = []
        for rotation in run.rotations:
            if rotation.failed:
                continue
            if rotation["rotation_number"] in passed:
                run.fault(rotation, INVALID)
            else:
                passed[rotation["rotation_number"]] = rotation
                candidates.append(rotation)
        self._follow(passed, self.top + 1, 1)
        self._follow(passed, self.top, -1)
        up, down = self.joined.get(self.top + 1), self.joined.get(self.top)
        if up is not None and down is not None and _effective(down) >= _effective(up):
            run.fault(up, INVALID)
        for rotation in candidates:
            if self.joined.get(rotation["rotation_number"]) is not rotation and not rotation.failed:
                run.fault(rotation, INVALID)
        for number, root in pinned.items():
            rotation = self.joined.get(number + 1)
            if number < self.top and rotation is not None:
                old = _old(rotation)
                if old.key_id != root.key_id or old.public_key != root.public_key:
                    run.fault(rotation, INVALID)
        self._known_head(pinned)
        self.generation_of = {root.key_id: number for number, root in self.roots.items()}

    def _by_itself(self, rotation: Statement) -> str | None:
        """Step 1."""
        old, new = _old(rotation), _new(rotation)
        algorithm = rotation["signing_algorithm"]
        if (rotation["issuer_key_id"] != old.key_id or algorithm_of(old.public_key) != algorithm
                or algorithm_of(new.public_key) != algorithm or rotation.issued > _effective(rotation)):
            return INVALID
        by_old = rotation.signed_by(old.public_key)
        by_new = rotation.signed_by(new.public_key, "new_root_signature")
        if by_old and by_new:
            return None
        return INVALID if by_old or by_new else "IDENTITY_SIGNATURE_INVALID"

    def _follow(self, passed: dict, number: int, step: int) -> None:
        """Step 3, in one direction."""
        reached = self.roots[self.top]
        before: int | None = None
        while number in passed:
            rotation = passed[number]
            near, far = (_old(rotation), _new(rotation)) if step == 1 else (_new(rotation), _old(rotation))
            if near != reached:
                return
            effective = _effective(rotation)
            taken = any(root.key_id == far.key_id or root.public_key == far.public_key
                        for root in self.roots.values())
            if taken or (before is not None and (effective - before) * step <= 0):
                self.run.fault(rotation, INVALID)
                return
            self.joined[number] = rotation
            self.roots[number if step == 1 else number - 1] = far
            reached, before = far, effective
            number += step

    def _known_head(self, pinned: dict) -> None:
        """Step 7."""
        for index, entry in enumerate(self.run.heads["namespaces"] if self.run.heads else ()):
            head = entry.get("root_rotation")
            if entry["namespace_id"] != self.run.namespace_id or head is None:
                continue
            rotation = self.joined.get(head["number"])
            forked = rotation is not None and rotation.digest != head["digest"]
            if forked or max(*pinned, *self.joined, 0) < head["number"]:
                self.run.fail(INVALID, f"/namespaces/{index}/root_rotation", "heads")

    def begins(self, generation: int) -> int | None:
        """The *from* of a root, where known."""
        rotation = self.joined.get(generation)
        return None if rotation is None else _effective(rotation)

    def ends(self, generation: int) -> int | None:
        """The *until* of a root, where known."""
        rotation = self.joined.get(generation + 1)
        return None if rotation is None else _effective(rotation)

    def to_top(self, generation: int) -> range:
        """Generations between a root and the highest pinned one, both included."""
        return range(min(generation, self.top), max(generation, self.top) + 1)
