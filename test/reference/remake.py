"""Makes an accepted case again under keys of our own, so that changed statements can be signed.

The world is a case whose references are symbols: `ref:` a statement, `key:` a public key, `thumb:`
its thumbprint. After any change to it, `build` signs, hashes and anchors everything over the change.
Names that begin with `~` are instructions to `build` and do not reach the bundle.
"""

import base64
import copy
import hashlib
import json
from functools import lru_cache

import ed25519
import p256
from cbor import write_cbor
from instants import parse_time
from jcs import jcs
from keys import algorithm_of, sha256_hex, thumbprint, unhex
from merkle import path_of, root_of, tree_order
from note import LOG_P256, WITNESS, parse_vkey
from tlog import anchor_entry, parse_proof
from verify import Inputs, read_bundle

STATEMENT_ARRAYS = (
    "identity_records", "root_rotations", "agent_key_certificates", "runtime_key_certificates",
    "delegations", "receipts", "session_closes", "session_seals",
)
KEY_MEMBERS = ("public_key", "old_root_public_key", "new_root_public_key")


class Key:
    """A key pair of our own in place of one of the case."""

    def __init__(self, algorithm: str, label: str):
        self.algorithm = algorithm
        self.seed = hashlib.sha256(label.encode()).digest()

    def spki(self) -> str:
        return _spki(self.algorithm, self.seed)

    def sign(self, message: bytes) -> bytes:
        return _sign(self.algorithm, self.seed, message)


@lru_cache(maxsize=None)
def _spki(algorithm: str, seed: bytes) -> str:
    if algorithm == "ECDSA_P256":
        return "0x" + p256.public_spki(int.from_bytes(seed, "big") % p256.N).hex()
    return "0x" + (ed25519.SPKI_PREFIX + ed25519.public_key(seed)).hex()


@lru_cache(maxsize=1 << 16)
def _sign(algorithm: str, seed: bytes, message: bytes) -> bytes:
    if algorithm == "ECDSA_P256":
        return p256.sign(int.from_bytes(seed, "big") % p256.N, message)
    return ed25519.sign(seed, message)


def entries(bundle: dict, supplement: dict | None):
    """(holder, name, index) of every statement of both inputs."""
    for holder in (bundle, supplement):
        if holder is None:
            continue
        for name in STATEMENT_ARRAYS:
            for body in holder.get(name, ()):
                yield body
        for entry in holder["revocation_lists"]:
            yield entry["list"]


class World:
    def __init__(self, inputs: Inputs):
        self.at = inputs.at
        self.bundle, faults = read_bundle(inputs.bundle, 1 << 30)
        assert not faults
        load = lambda data: None if data is None else json.loads(data)  # noqa: E731
        self.trust, self.supplement = load(inputs.trust), load(inputs.supplement)
        self.heads, self.expectations = load(inputs.heads), load(inputs.expectations)
        self.keys: dict[str, Key] = {}
        self.note_keys: dict = {}
        self._symbolic()

    def copy(self) -> "World":
        return copy.deepcopy(self)

    def parts(self) -> dict:
        named = {"bundle": self.bundle, "trust": self.trust, "supplement": self.supplement,
                 "heads": self.heads, "expectations": self.expectations}
        return {name: part for name, part in named.items() if part is not None}

    def _symbolic(self) -> None:
        symbols: dict[str, str] = {}
        by_key_id: dict[str, str] = {}

        def keys(value) -> None:
            if isinstance(value, list):
                for item in value:
                    keys(item)
            elif isinstance(value, dict):
                for name in KEY_MEMBERS:
                    if isinstance(value.get(name), str):
                        self._key(symbols, value[name])
                for pair in (("key_id", "public_key"), ("agent_key_id", "public_key"),
                             ("runtime_key_id", "public_key"), ("old_root_key_id", "old_root_public_key"),
                             ("new_root_key_id", "new_root_public_key")):
                    if pair[0] in value and pair[1] in value:
                        by_key_id[value[pair[0]]] = symbols[value[pair[1]]]
                for item in value.values():
                    keys(item)

        for part in self.parts().values():
            keys(part)
        identities: dict[str, str] = {}
        for body in entries(self.bundle, self.supplement):
            digest = sha256_hex(jcs(body))
            identities.setdefault(digest, f"s{len(identities)}")
            symbols[digest] = "ref:" + identities[digest]
        marks = []
        for body in entries(self.bundle, self.supplement):
            signer = by_key_id.get(body.get("issuer_key_id", body.get("runtime_key_id")))
            marks.append((body, identities[sha256_hex(jcs(body))], signer, by_key_id.get(body.get("new_root_key_id"))))
        for body, identity, signer, second in marks:
            body["~id"], body["~signer"], body["~second"] = identity, signer, second
        for log in self.trust["tlog"]["logs"] + self.trust["tlog"]["witnesses"]:
            key = parse_vkey(log["vkey"])
            algorithm = "ECDSA_P256" if key.kind == LOG_P256 else "ED25519"
            own = Key(algorithm, f"note {key.name} {key.kind} {key.key.hex()}")
            log["vkey"], new_id = self._vkey(key, own)
            self.note_keys[key.name, key.key_id] = (key.name, new_id, key.kind, own)
        for holder in (self.bundle, self.supplement):
            for entry in [] if holder is None else holder.get("evidence_trees", []) + holder["revocation_lists"]:
                entry["anchors"] = [self._anchor(anchor) for anchor in entry["anchors"]]
        for part in self.parts().values():
            _replace(part, symbols)

    def _key(self, symbols: dict, text: str) -> None:
        if text not in symbols:
            name = f"k{len(self.keys)}"
            self.keys[name] = Key(algorithm_of(text), text)
            symbols[text], symbols[thumbprint(text)] = "key:" + name, "thumb:" + name

    @staticmethod
    def _vkey(key, own: Key) -> tuple[str, bytes]:
        spki = unhex(own.spki())
        data = bytes([key.kind]) + (spki if key.kind == LOG_P256 else spki[12:])
        hashed = spki if key.kind == LOG_P256 else key.name.encode() + b"\n" + data
        key_id = hashlib.sha256(hashed).digest()[:4]
        return f"{key.name}+{key_id.hex()}+{base64.b64encode(data).decode()}", key_id

    def _anchor(self, anchor: dict) -> dict:
        proof = parse_proof(anchor["proof"]) if anchor["type"] == "tlog" else None
        if proof is None:
            return anchor
        lines = []
        for (name, key_id), signature in proof.note.lines.items():
            known = self.note_keys.get((name, key_id))
            if known is not None:
                time = int.from_bytes(signature[:8], "big") if known[2] == WITNESS else None
                lines.append({"~name": name, "~key_id": key_id.hex(), "seconds": time})
        return {"~type": "tlog", "~origin": proof.checkpoint.origin, "~lines": lines}

    # From symbols back to bytes.

    def build(self, cbor: bool = False) -> Inputs:
        self._digests: dict[str, str] = {}
        self._bodies = {body["~id"]: body for body in entries(self.bundle, self.supplement)}
        self._open: set[str] = set()
        logs: dict[str, list] = {}
        bundle = self._holder(self.bundle, logs)
        supplement = None if self.supplement is None else self._holder(self.supplement, logs)
        for origin, entries_of_log in logs.items():
            self._seal_log(origin, entries_of_log)
        heads = None if self.heads is None else self._value(self.heads)
        for log in heads["logs"] if heads else ():
            leaves = [entry for entry, _, _ in logs.get(log["origin"], ())]
            if leaves and log.pop("~known", True):
                log["size"], log["root"] = len(leaves), "0x" + root_of(leaves).hex()
        data = lambda value: None if value is None else jcs(value)  # noqa: E731
        return Inputs(
            write_cbor(bundle) if cbor else jcs(bundle), jcs(self._value(self.trust)), self.at,
            data(None if self.expectations is None else self._value(self.expectations)),
            data(supplement), data(heads),
        )

    def _value(self, value):
        if isinstance(value, dict):
            if "~id" in value:
                return self._statement(value)
            return {name: self._value(item) for name, item in value.items() if not name.startswith("~")}
        if isinstance(value, list):
            return [self._value(item) for item in value]
        if isinstance(value, str):
            kind, _, name = value.partition(":")
            if kind == "ref":
                return self._digest(name)
            if kind == "key" and name in self.keys:
                return self.keys[name].spki()
            if kind == "thumb" and name in self.keys:
                return thumbprint(self.keys[name].spki())
        return value

    def _digest(self, identity: str) -> str:
        if identity not in self._digests:
            body = self._bodies.get(identity)
            if body is None or identity in self._open:  # removed, or in a circle
                return sha256_hex(identity.encode())
            self._statement(body)
        return self._digests[identity]

    def _statement(self, body: dict) -> dict:
        self._open.add(body["~id"])
        unsigned = {name: self._value(item) for name, item in body.items()
                    if not name.startswith("~") and name not in ("signature", "new_root_signature")}
        self._open.discard(body["~id"])
        message, result = jcs(unsigned), dict(unsigned)
        for member, signer in (("signature", "~signer"), ("new_root_signature", "~second")):
            if member in body:
                key = self.keys.get((body.get(signer) or "key:").removeprefix("key:"))
                result[member] = body[member] if key is None else "0x" + key.sign(message).hex()
        self._digests[body["~id"]] = sha256_hex(jcs(result))
        return result

    def _holder(self, holder: dict, logs: dict) -> dict:
        result = {name: self._value(item) for name, item in holder.items()
                  if name not in ("evidence_trees", "revocation_lists")}
        namespace = self.bundle.get("namespace_id")
        if "evidence_trees" in holder:
            result["evidence_trees"] = []
            for tree in holder["evidence_trees"]:
                made = self._tree(tree)
                entry = anchor_entry(namespace, "evidence_root", made["root"], made["tree_size"])
                made["anchors"] = [self._anchored(anchor, entry, logs) for anchor in tree["anchors"]]
                result["evidence_trees"].append(made)
        result["revocation_lists"] = []
        for item in holder["revocation_lists"]:
            body = self._value(item["list"])
            entry = anchor_entry(namespace, "revocation_list", sha256_hex(jcs(body)), 1)
            anchors = [self._anchored(anchor, entry, logs) for anchor in item["anchors"]]
            result["revocation_lists"].append({"list": body, "anchors": anchors})
        return result

    def _causes(self, reference: str) -> list[str]:
        body = self._bodies.get(reference.removeprefix("ref:"), {})
        causes = body.get("parent_receipt_digests") or body.get("session_close_digests") or []
        return [self._value(cause) for cause in causes + [body[m] for m in ("last_receipt_digest",) if m in body]]

    def _tree(self, tree: dict) -> dict:
        result = self._value({name: item for name, item in tree.items() if name != "anchors"})
        if tree.get("~frozen"):
            return result
        if tree["mode"] == "complete" and tree.get("leaves"):
            causes = {self._value(leaf): self._causes(leaf) for leaf in tree["leaves"]}
            ordered = tree_order(causes)
            if not tree.get("~order") and len(ordered) == len(result["leaves"]):
                result["leaves"] = ordered
            result["tree_size"] = len(result["leaves"])
            result["root"] = "0x" + root_of([unhex(leaf) for leaf in result["leaves"]]).hex()
        elif tree["mode"] == "inclusion" and tree.get("proofs") and tree["tree_size"] <= 4096:
            leaves = [hashlib.sha256(f"leaf {i}".encode()).digest() for i in range(tree["tree_size"])]
            for proof in result["proofs"]:
                if proof["leaf_index"] < len(leaves):
                    leaves[proof["leaf_index"]] = unhex(proof["statement_digest"])
            for proof in result["proofs"]:
                if proof["leaf_index"] < len(leaves):
                    path = path_of(leaves, proof["leaf_index"])
                    proof["audit_path"] = ["0x" + step.hex() for step in path]
            result["root"] = "0x" + root_of(leaves).hex()
        return result

    def _anchored(self, anchor: dict, entry: bytes, logs: dict) -> dict:
        if anchor.get("~type") != "tlog":
            return dict(anchor)
        made = {"type": "tlog"}
        if anchor.get("~other_entry"):
            entry = b"another entry"
        logs.setdefault(anchor["~origin"], []).append((entry, anchor, made))
        return made

    def _seal_log(self, origin: str, entries_of_log: list) -> None:
        leaves = [entry for entry, _, _ in entries_of_log]
        for index, (_, anchor, made) in enumerate(entries_of_log):
            size = min(max(anchor.get("~size", len(leaves)), index + 1), len(leaves))
            shown = leaves[:size] if not anchor.get("~fork") else leaves[:size] + [b"fork"]
            if anchor.get("~fork") == "same size" and index + 1 < size:
                shown = leaves[:size - 1] + [b"fork"]
            text = f"{origin}\n{len(shown)}\n{_b64(root_of(shown))}\n" + anchor.get("~extension", "")
            lines = "".join(self._line(line, text) for line in anchor["~lines"])
            path = "".join(_b64(step) + "\n" for step in path_of(shown, index))
            made["proof"] = f"c2sp.org/tlog-proof@v1\nindex {index}\n{path}\n{text}\n{lines}"

    def _line(self, line: dict, text: str) -> str:
        name, key_id, kind, own = self.note_keys[line["~name"], bytes.fromhex(line["~key_id"])]
        if kind == WITNESS:
            seconds = line["seconds"]
            signature = own.sign(f"cosignature/v1\ntime {seconds}\n{text}".encode())
            signature = seconds.to_bytes(8, "big") + signature
        else:
            signature = own.sign(text.encode())
        if line.get("~broken"):
            signature = signature[:-1] + bytes([signature[-1] ^ 1])
        return f"\u2014 {name} {_b64(key_id + signature)}\n"


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _replace(value, symbols: dict) -> None:
    """Symbols in place of digests and keys, in place."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for name, item in list(pairs):
        if isinstance(item, (dict, list)):
            _replace(item, symbols)
        elif isinstance(item, str) and item in symbols and name not in ("json",):
            value[name] = symbols[item]


def instants_of(world: World) -> list[int]:
    """Every time of a world, in milliseconds."""
    found: list[int] = [parse_time(world.at)] if parse_time(world.at) is not None else []

    def walk(value) -> None:
        if isinstance(value, dict):
            if isinstance(value.get("seconds"), int):
                found.append(value["seconds"] * 1000)
            for item in value.values():
                walk(item)
        elif isinstance(value, list):
            for item in value:
                walk(item)
        elif isinstance(value, str) and (instant := parse_time(value)) is not None:
            found.append(instant)

    for part in world.parts().values():
        walk(part)
    return sorted(set(found))
