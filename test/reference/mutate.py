"""Random changes: to bytes, to the shape of an input, and to a world before it is signed."""

import copy
import random

from instants import format_time, parse_time
from remake import STATEMENT_ARRAYS, World, instants_of

DELTAS = (0, 0, 0, 1, -1, 1000, -1000, 60000, 60001, 59999, -60000, -60001, -59999, 86400000, 86400001,
          86399000, 86401000, -86400000, 1800000, 1800001, 3600000)
WORDS = ("", "0x", "0x00", "osa.x", "osa.denied", "none", "SHA-256", "a", "\u00e9", "@ai:a/b", "causal", "session",
         "2026-11-02T09:00:00Z", "\U0001f600", "*", "0xAB", "0x0", "ED25519", "ECDSA_P256")
NUMBERS = (0, 1, 2, 3, 7, 8, 9, 64, 65, 300, 301, 1024, 2**53 - 1)
FRAGMENTS = (
    b"-", b"-0", b"1.0", b"1e3", b"9007199254740992", b"\\ud800", b"\\u0000", b"\\uffff", b"\xef\xbf\xbf",
    b"\xef\xb7\x90", b"\xc0\x80", b"\xed\xa0\x80", b"\xff", b"\xef\xbb\xbf", b"{", b"}", b"[", b"]", b",", b":",
    b'"', b"null", b"true", b"tru", b"0", b"01", b"1.5", b"0.10000000000000001", b"1e400", b"1e-400", b"\x00",
    b"\t", b"\x0c", b"[" * 64, b'"a":1,', b"/*", b"\\", b"\\u12", b"1E+2", b"-1", b"-0.0", b"1e", b"1.",
)
CBOR_FRAGMENTS = (
    b"\xf9\x7e\x00", b"\xf9\x80\x00", b"\xf9\x7c\x00", b"\xfa\x7f\x80\x00\x00", b"\xfb\x7f\xf0\x00\x00\x00\x00\x00\x00",
    b"\xfb\x80\x00\x00\x00\x00\x00\x00\x00", b"\xfb\x7f\xf8\x00\x00\x00\x00\x00\x01", b"\xf9\x3c\x00", b"\xf9\x3e\x00",
    b"\xfb\x3f\xb9\x99\x99\x99\x99\x99\x9a", b"\xfb\x7e\x37\xe4\x3c\x88\x00\x75\x9c", b"\x18\x01", b"\x18", b"\x1c",
    b"\x1f", b"\x5f", b"\x9f", b"\xbf", b"\xff", b"\xf7", b"\xf8\x20", b"\xf8", b"\xc0", b"\xd8", b"\x20", b"\x38",
    b"\x1b\x00\x20\x00\x00\x00\x00\x00\x00", b"\x3b\x00\x1f\xff\xff\xff\xff\xff\xff", b"\x62\x30\x78", b"\x61\xff",
    b"\x63\xef\xbf\xbf", b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff", b"\xbb\xff\xff\xff\xff\xff\xff\xff\xff",
    b"\x81" * 64, b"\x40", b"\x60", b"\x80", b"\xa0", b"\xf6", b"\x7b\xff\xff\xff\xff\xff\xff\xff\xff", b"\xba\x00",
    b"\xfa\x5a\x00\x00\x00", b"\xfa\x5f\x00\x00\x00", b"\xf9\x00\x01", b"\xfa\x00\x00\x00\x01",
)


def change_bytes(rng: random.Random, data: bytes, fragments=FRAGMENTS) -> bytes:
    """One or two edits of raw bytes."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2))):
        at = rng.randrange(len(data) + 1)
        edit = rng.randrange(5)
        if edit == 0:
            data[at:at] = rng.choice(fragments)
        elif edit == 1:
            data[at:at + rng.choice((1, 1, 2, 5))] = b""
        elif edit == 2 and at < len(data):
            data[at] ^= 1 << rng.randrange(8)
        elif edit == 3:
            del data[at:]
        else:
            data[at:at + rng.choice((1, 1, 4))] = rng.choice(fragments)
    return bytes(data)


def places(value, path=()):
    """Every place below a value: (container, name or index, path)."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for name, item in list(pairs):
        if str(name).startswith("~"):
            continue
        yield value, name, path + (name,)
        if isinstance(item, (dict, list)):
            yield from places(item, path + (name,))


def _pick(rng: random.Random, part):
    """A place, shallow ones more often than their number."""
    found = list(places(part))
    if not found:
        return None
    depth = rng.randrange(1, 8)
    some = [place for place in found if len(place[2]) == depth] or found
    return rng.choice(some)


def _other_value(rng: random.Random, part, name, value):
    """What stands elsewhere under the same name, or something odd."""
    same = [holder[other] for holder, other, _ in places(part)
            if other == name and isinstance(other, str) and holder[other] != value]
    if same and rng.random() < 0.6:
        return copy.deepcopy(rng.choice(same))
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice((value + 1, max(value - 1, 0), rng.choice(NUMBERS)))
    if isinstance(value, str) and value and rng.random() < 0.6:
        at = rng.randrange(len(value))
        edit = rng.randrange(3)
        if edit == 0:
            return value[:at] + rng.choice("0123456789abcdefA .-_/+*\n") + value[at + 1:]
        return value[:at] + value[at + 1:] if edit == 1 else value[:at] + value[at] + value[at:]
    return rng.choice((None, True, 5, "text", [], {}, rng.choice(WORDS), rng.choice(NUMBERS)))


def change_shape(rng: random.Random, part) -> None:
    """One edit of a JSON value, in place; nothing is signed again."""
    place = _pick(rng, part)
    if place is None:
        return
    holder, name, _ = place
    value = holder[name]
    edit = rng.randrange(6)
    if edit == 0:
        del holder[name]
    elif edit == 1 and isinstance(holder, list):
        holder.insert(rng.randrange(len(holder) + 1), copy.deepcopy(value))
    elif edit == 1:
        other = rng.choice(("type", "protocol", "~x/y", "10", "2", "__proto__", "json", "status"))
        holder[other] = copy.deepcopy(value)
    elif edit == 2 and isinstance(holder, list):
        rng.shuffle(holder)
    else:
        holder[name] = _other_value(rng, part, name, value)


# Changes to a world, before it is signed.

def _world_part(rng: random.Random, world: World):
    parts = world.parts()
    name = rng.choices(list(parts), [12 if name == "bundle" else 4 for name in parts])[0]
    return parts[name]


def _time(rng: random.Random, world: World) -> None:
    instants = instants_of(world)
    target = rng.choice(instants) + rng.choice(DELTAS)
    if rng.random() < 0.12:
        world.at = format_time(target)
        return
    found = [(holder, name) for part in world.parts().values() for holder, name, _ in places(part)
             if (isinstance(holder[name], str) and parse_time(holder[name]) is not None) or name == "seconds"]
    if found:
        holder, name = rng.choice(found)
        if name == "seconds":
            holder[name] = rng.choice((0, target // 1000, target // 1000, holder[name] + 1, 253402300800))
        else:
            holder[name] = format_time(target)


def _member(rng: random.Random, world: World) -> None:
    """A member gets a value that the same member has elsewhere, or a neighbouring number."""
    part = _world_part(rng, world)
    found = [(holder, name) for holder, name, _ in places(part)
             if isinstance(name, str) and isinstance(holder[name], (str, int))
             and name not in ("protocol", "canonicalization", "digest_algorithm")]
    if not found:
        return
    names = sorted({name for _, name in found})
    wanted = rng.choice(names)
    holder, name = rng.choice([place for place in found if place[1] == wanted])
    value = holder[name]
    if isinstance(value, int) and not isinstance(value, bool):
        holder[name] = max(0, value + rng.choice((-1, 1, 1, 2, -2)))
    elif isinstance(value, bool):
        holder[name] = not value
    else:
        everywhere = [other[name2] for part2 in world.parts().values() for other, name2, _ in places(part2)
                      if name2 == name or (name2.__class__ is str and name2[-6:] == name[-6:])]
        pool = [item for item in everywhere if isinstance(item, str) and item != value]
        if pool:
            holder[name] = rng.choice(pool)
        elif value.startswith("key:"):
            holder[name] = "key:" + rng.choice(list(world.keys))
        elif name.endswith("_id"):
            holder[name] = value + "x"


def _reference(rng: random.Random, world: World) -> None:
    found = [(holder, name) for part in world.parts().values() for holder, name, _ in places(part)
             if isinstance(holder[name], str) and holder[name].startswith("ref:")]
    if not found:
        return
    holder, name = rng.choice(found)
    own = str(name)
    near = [other[name2] for other, name2 in found if str(name2) == own] if isinstance(name, str) else []
    pool = near if near and rng.random() < 0.6 else [other[name2] for other, name2 in found]
    holder[name] = rng.choice(pool)


def _arrays(world: World) -> list:
    found = []
    for part in world.parts().values():
        found += [holder[name] for holder, name, _ in places(part) if isinstance(holder[name], list)]
    return found


def _array(rng: random.Random, world: World) -> None:
    """An item goes, moves, comes again, or comes from another array of the kind."""
    arrays = [array for array in _arrays(world) if array]
    array = rng.choice(arrays)
    edit = rng.randrange(4)
    index = rng.randrange(len(array))
    if edit == 0:
        del array[index]
    elif edit == 1:
        rng.shuffle(array)
    elif edit == 2:
        item = copy.deepcopy(array[index])
        _rename(rng, world, item)
        array.insert(rng.randrange(len(array) + 1), item)
    else:
        donors = [other for other in arrays if isinstance(other[0], str) and other[0][:4] == "ref:"]
        if donors and isinstance(array[0], str):
            array.append(rng.choice(rng.choice(donors)))
        else:
            array.reverse()


def _rename(rng: random.Random, world: World, item) -> None:
    """A copy of a statement is a statement of its own."""
    if isinstance(item, dict):
        if "~id" in item:
            item["~id"] = f"c{rng.randrange(1 << 30)}"
        for inner in item.values():
            _rename(rng, world, inner)


def _clone(rng: random.Random, world: World) -> None:
    """A second statement like another, with one member changed, put in the trees where it belongs."""
    names = [name for name in STATEMENT_ARRAYS + ("revocation_lists",) if world.bundle.get(name)]
    name = rng.choice(names)
    holder = world.bundle
    if world.supplement and rng.random() < 0.3 and world.supplement.get(name):
        holder = world.supplement
    array = holder[name]
    item = copy.deepcopy(rng.choice(array))
    body = item["list"] if name == "revocation_lists" else item
    identity = f"c{rng.randrange(1 << 30)}"
    body["~id"] = identity
    for _ in range(rng.choice((1, 1, 2, 3))):
        members = [member for member in body if not member.startswith("~") and member not in
                   ("protocol", "type", "canonicalization", "digest_algorithm", "signature")]
        member = rng.choice(members)
        value = body[member]
        if isinstance(value, str) and parse_time(value) is not None:
            body[member] = format_time(rng.choice(instants_of(world)) + rng.choice(DELTAS))
        elif isinstance(value, int):
            body[member] = max(1, value + rng.choice((-1, 1)))
        elif isinstance(value, str) and value.startswith("key:"):
            body[member] = "key:" + rng.choice(list(world.keys))
        elif isinstance(value, str):
            body[member] = rng.choice([other.get(member, value) for other in array
                                       if isinstance(other, dict)] + [value + "x" * (member[-3:] == "_id")])
        elif isinstance(value, list) and value:
            rng.shuffle(value)
            if rng.random() < 0.5:
                value.pop()
    if name == "receipts":
        for member in ("receipt_id", "input_commitment", "output_commitment"):
            if rng.random() < 0.8:
                body[member] = body[member] + "x" if member == "receipt_id" else "0x%064x" % rng.getrandbits(256)
        if rng.random() < 0.5:
            world.bundle["claim"]["targets"].append("ref:" + identity)
        if rng.random() < 0.7:
            body["sequence"] = 1 + max(other["sequence"] for other in array)
    array.insert(rng.choice((0, len(array), len(array))), item)
    if name in ("receipts", "session_closes", "session_seals"):
        for tree in world.bundle["evidence_trees"]:
            if "leaves" in tree and rng.random() < 0.9:
                tree["leaves"].append("ref:" + identity)
                break


def _signer(rng: random.Random, world: World) -> None:
    statements = [holder[name] for part in world.parts().values() for holder, name, _ in places(part)
                  if isinstance(holder[name], dict) and "~id" in holder[name]]
    body = rng.choice(statements)
    member = "~second" if "~second" in body and body.get("~second") and rng.random() < 0.5 else "~signer"
    body[member] = "key:" + rng.choice(list(world.keys))


def revoke(rng: random.Random, world: World) -> None:
    lists = world.bundle["revocation_lists"] + (world.supplement or {}).get("revocation_lists", [])
    if not lists:
        return
    named = [holder[name] for part in world.parts().values() for holder, name, _ in places(part)
             if str(name).endswith("key_id") and isinstance(holder[name], str)]
    key_id = rng.choice(named) if rng.random() < 0.5 else "nobody"
    thumb = "thumb:" + rng.choice(list(world.keys)) if rng.random() < 0.5 else "0x" + "11" * 32
    entry = {"key_id": key_id, "key_thumbprint": thumb, "revoked_at": "2030-01-01T00:00:00Z", "reason": "r"}
    start = rng.randrange(len(lists))
    for item in lists[start:] if rng.random() < 0.7 else [lists[start]]:
        item["list"]["entries"].append(copy.deepcopy(entry))


def _anchor(rng: random.Random, world: World) -> None:
    holders = world.bundle["evidence_trees"] + world.bundle["revocation_lists"]
    holders += (world.supplement or {}).get("revocation_lists", [])
    if not holders:
        return
    anchors = rng.choice(holders)["anchors"]
    edit = rng.randrange(9)
    if not anchors or edit == 0:
        donor = rng.choice(holders)["anchors"]
        anchors += copy.deepcopy(donor[:1])
        return
    anchor = rng.choice(anchors)
    if "~lines" not in anchor:
        return
    lines = anchor["~lines"]
    if edit == 1 and lines:
        lines.pop(rng.randrange(len(lines)))
    elif edit == 2 and lines:
        rng.choice(lines)["~broken"] = True
    elif edit == 3:
        anchor["~origin"] = rng.choice(("elsewhere.example/log", world.trust["tlog"]["logs"][-1]["origin"]))
    elif edit == 4:
        anchor["~other_entry"] = True
    elif edit == 5:
        anchor["~fork"] = rng.choice((True, "same size"))
    elif edit == 6:
        anchor["~size"] = rng.randrange(1, 6)
    elif edit == 7:
        anchor["~extension"] = "an extension\n"
    else:
        for line in lines:
            if isinstance(line.get("seconds"), int):
                line["seconds"] = max(0, line["seconds"] + rng.choice((1, -1, 86400, 3600, -3600)))


def _optional(rng: random.Random, world: World) -> None:
    """An optional member comes or goes."""
    statements = world.bundle["delegations"] + world.bundle["runtime_key_certificates"]
    choice = rng.randrange(7)
    if choice < 3 and world.bundle["delegations"]:
        body = rng.choice(world.bundle["delegations"])
        member = ("max_actions", "parent_delegation_digest", "delegate_agent_id")[choice]
        if member in body:
            del body[member]
        else:
            other = rng.choice(world.bundle["delegations"])
            body[member] = (rng.randrange(1, 6), "ref:" + other["~id"], other["agent_id"])[choice]
    elif choice == 3 and world.bundle["session_closes"]:
        body = rng.choice(world.bundle["session_closes"])
        if body["closed_by"] == "runtime":
            body["closed_by"] = "agent"
            agent = rng.choice(world.bundle["agent_key_certificates"])
            body["agent_key_certificate_digest"] = "ref:" + agent["~id"]
            if rng.random() < 0.8:
                body["issuer_key_id"], body["~signer"] = agent["agent_key_id"], agent["public_key"]
                body["signing_algorithm"] = world.keys[agent["public_key"].removeprefix("key:")].algorithm
        else:
            body["closed_by"] = "runtime"
            body.pop("agent_key_certificate_digest", None)
    elif choice == 4 and statements:
        body = rng.choice(statements)
        body["signing_algorithm"] = rng.choice(("ECDSA_P256", "ED25519"))
    elif choice == 5:
        world.bundle["claim"]["scope"] = rng.choice(("causal", "session"))
    else:
        tree = rng.choice(world.bundle["evidence_trees"] or [{}])
        tree["~order" if rng.random() < 0.5 else "~frozen"] = True


def _policy(rng: random.Random, world: World) -> None:
    trust = world.trust
    choice = rng.randrange(9)
    if choice == 0:
        trust["clock_skew_seconds"] = rng.choice((0, 1, 59, 300))
    elif choice == 1:
        member = rng.choice(("max_runtime_key_lifetime", "max_anchor_delay", "max_revocation_age")) + "_seconds"
        trust[member] = rng.choice((1, 60, 899, 900, 901, 1799, 1800, 3600, 86399, 86400))
    elif choice == 2:
        trust["accept_agent_close"] = not trust.get("accept_agent_close", False)
    elif choice == 3:
        trust["accept_operator_only"] = True
        for tree in world.bundle["evidence_trees"]:
            for anchor in tree["anchors"]:
                if "~lines" in anchor and rng.random() < 0.5:
                    anchor["~lines"] = [line for line in anchor["~lines"] if line["seconds"] is None]
    elif choice == 4:
        trust["tlog"]["quorum"] = rng.choice(["none"] + [item["name"] for item in trust["tlog"]["witnesses"]])
    elif choice == 5:
        trust["attestation_requirements"] = [{"type": "nitro", "measurements": ["0x00"]}]
    elif choice == 6:
        space = trust["namespaces"][0]
        space["required_policy_digests"] = ["0x" + "22" * 32]
    elif choice == 7:
        trust["require_session_close"] = not trust["require_session_close"]
        trust["require_session_seal"] = not trust["require_session_seal"]
    else:
        trust["namespaces"][0]["minimum_revocation_list_number"] += rng.choice((0, 1))


CHANGES = (_time, _time, _time, _member, _member, _reference, _array, _array, _clone, _clone, _signer,
           revoke, _anchor, _anchor, _optional, _optional, _policy)


def change_world(rng: random.Random, world: World) -> list[str]:
    """One to three changes; returns their names."""
    names = []
    for _ in range(rng.choice((1, 1, 2, 2, 3))):
        change = rng.choice(CHANGES)
        try:
            change(rng, world)
            names.append(change.__name__.strip("_"))
        except (KeyError, IndexError, TypeError, ValueError, AttributeError):
            names.append("failed")  # an earlier change took away what this one needs
    return names
