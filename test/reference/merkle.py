"""RFC 6962 trees and audit paths (SPEC "Evidence tree")."""

import hashlib
import heapq


def leaf_hash(data: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_of(leaves: list[bytes]) -> bytes:
    """The root over leaf data; a last odd node is carried up unchanged."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    level = [leaf_hash(leaf) for leaf in leaves]
    while len(level) > 1:
        above = [node_hash(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        if len(level) % 2 == 1:
            above.append(level[-1])
        level = above
    return level[0]


def path_of(leaves: list[bytes], index: int) -> list[bytes]:
    """For probes: the audit path of one leaf."""
    level = [leaf_hash(leaf) for leaf in leaves]
    path = []
    while len(level) > 1:
        neighbour = index ^ 1
        if neighbour < len(level):
            path.append(level[neighbour])
        above = [node_hash(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        if len(level) % 2 == 1:
            above.append(level[-1])
        level, index = above, index >> 1
    return path


def root_by_path(data: bytes, index: int, size: int, path: list[bytes]) -> bytes | None:
    """The root that an audit path leads to, or None when it does not fit."""
    if index >= size:
        return None
    result, i, last, taken = leaf_hash(data), index, size - 1, 0
    while last > 0:
        if i % 2 == 1 or i != last:
            if taken == len(path):
                return None
            neighbour = path[taken]
            taken += 1
            result = node_hash(neighbour, result) if i % 2 == 1 else node_hash(result, neighbour)
        i, last = i // 2, last // 2
    return result if taken == len(path) else None


def is_continued(old_size: int, old_root: bytes, size: int, root: bytes, path: list[bytes]) -> bool:
    """RFC 9162 section 2.1.4.2, for 0 < old_size < size."""
    if not path:
        return False
    # An old tree that is a whole subtree is not in its own proof.
    rest = [old_root] + path if old_size & (old_size - 1) == 0 else list(path)
    fn, sn = old_size - 1, size - 1
    while fn & 1:
        fn, sn = fn >> 1, sn >> 1
    first = second = rest.pop(0)
    for step in rest:
        if sn == 0:
            return False
        if fn & 1 or fn == sn:
            first, second = node_hash(step, first), node_hash(step, second)
            while fn != 0 and not fn & 1:
                fn, sn = fn >> 1, sn >> 1
        else:
            second = node_hash(second, step)
        fn, sn = fn >> 1, sn >> 1
    return sn == 0 and first == old_root and second == root


def tree_order(causes: dict[str, list[str]]) -> list[str]:
    """Leaves in order: the smallest digest whose causes inside the tree are all placed."""
    waiting = {}
    effects: dict[str, list[str]] = {}
    for digest, named in causes.items():
        inside = {cause for cause in named if cause in causes}
        waiting[digest] = len(inside)
        for cause in inside:
            effects.setdefault(cause, []).append(digest)
    ready = [digest for digest, count in waiting.items() if count == 0]
    heapq.heapify(ready)
    order = []
    while ready:
        digest = heapq.heappop(ready)
        order.append(digest)
        for effect in effects.get(digest, ()):
            waiting[effect] -= 1
            if waiting[effect] == 0:
                heapq.heappush(ready, effect)
    return order
