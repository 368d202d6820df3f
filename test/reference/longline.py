"""Long lines of root keys for probes (SPEC "Root rotation")."""

import copy
import random

from instants import format_time, parse_time
from mutate import revoke
from remake import Key, World, instants_of


def long_line(rng: random.Random, world: World) -> None:
    """The namespace gets a line of seven roots, some pinned, with one flaw or none in its rotations."""
    count, middle = 7, rng.randrange(7)
    first = min(instants_of(world)) - 10_000_000
    last = max(instants_of(world)) + 10_000_000
    space = world.trust["namespaces"][0]
    algorithm = world.keys[space["roots"][0]["public_key"].removeprefix("key:")].algorithm
    for number in range(count):
        world.keys[f"line{number}"] = Key(algorithm, f"line {number}")
    rotations = []
    for number in range(1, count):
        effective = first + number * 1000 if number <= middle else last + number * 1000
        rotations.append({
            "protocol": "OSA_PROOF_V3", "type": "RootRotationV1", "namespace_id": space["namespace_id"],
            "issued_at": format_time(effective - rng.choice((0, 0, 500))), "issuer_key_id": f"line-{number - 1}",
            "digest_algorithm": "SHA-256", "canonicalization": "RFC8785_JCS", "signing_algorithm": algorithm,
            "signature": "", "new_root_signature": "", "rotation_number": number,
            "old_root_key_id": f"line-{number - 1}", "old_root_public_key": f"key:line{number - 1}",
            "new_root_key_id": f"line-{number}", "new_root_public_key": f"key:line{number}",
            "effective_at": format_time(effective), "~id": f"line{number}",
            "~signer": f"key:line{number - 1}", "~second": f"key:line{number}",
        })
    if rng.random() < 0.5:
        rotation = rng.choice(rotations)
        other = rng.choice(rotations)
        member = rng.choice(("effective_at", "rotation_number", "new_root_key_id", "old_root_key_id",
                             "new_root_public_key", "old_root_public_key", "issuer_key_id", "~signer", "~second"))
        rotation[member] = copy.deepcopy(other[member])
        if member.endswith("public_key") and rng.random() < 0.7:
            rotation["~second" if member[:3] == "new" else "~signer"] = other[member]
        if member == "old_root_key_id":
            rotation["issuer_key_id"] = rotation[member]
        if member == "effective_at":
            rotation["issued_at"] = rotation[member]
    if rng.random() < 0.4:
        rotations.pop(rng.randrange(len(rotations)))
    if rng.random() < 0.2:
        again = copy.deepcopy(rng.choice(rotations))
        again["~id"] += "again"
        again["issued_at"] = format_time((parse_time(again["issued_at"]) or 0) - 1)
        rotations.append(again)
    rng.shuffle(rotations)
    cut = rng.randrange(len(rotations) + 1) if world.supplement is not None else len(rotations)
    world.bundle["root_rotations"] = rotations[:cut]
    if world.supplement is not None:
        world.supplement["root_rotations"] = rotations[max(0, cut - 1):]
    pinned = rng.sample(range(count), rng.choice((1, 1, 2, 3)))
    space["roots"] = [
        {"key_id": f"line-{number}", "public_key": f"key:line{number}", "rotation_number": number} for number in pinned
    ]
    if rng.random() < 0.15:
        root = min(space["roots"], key=lambda entry: entry["rotation_number"])
        if rng.random() < 0.5:
            root["key_id"] = "line-9"
        else:
            world.keys["stranger"] = Key(algorithm, "stranger")
            root["public_key"] = "key:stranger"
    lists = world.bundle["revocation_lists"] + (world.supplement or {}).get("revocation_lists", [])
    signed = world.bundle["agent_key_certificates"] + world.bundle["identity_records"]
    signed += [item["list"] for item in lists]
    stray = rng.random() < 0.3
    for body in signed:
        number = rng.randrange(count) if stray and rng.random() < 0.4 else middle
        body["issuer_key_id"], body["~signer"] = f"line-{number}", f"key:line{number}"
        body["signing_algorithm"] = algorithm
    if rng.random() < 0.2:
        number = rng.randrange(1, count)
        head = {"number": number, "digest": f"ref:line{number}" if rng.random() < 0.7 else "0x" + "33" * 32}
        world.heads = {"protocol": "OSA_PROOF_V3", "type": "KnownHeadsV1", "logs": [],
                       "namespaces": [{"namespace_id": space["namespace_id"], "root_rotation": head}]}
    if rng.random() < 0.3:
        revoke(rng, world)
