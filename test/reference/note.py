"""Signed notes, vkeys, checkpoints and cosignatures (SPEC "Signed note" to "Cosignature")."""

import base64
import hashlib
import re
import unicodedata
from typing import NamedTuple

import ed25519
import p256
from numbertext import integer_of

LOG_ED25519, LOG_P256, WITNESS = 1, 2, 4
MAX_TIME = 253402300799
_VKEY = re.compile(r"([^+]*)\+([0-9a-f]{8})\+([A-Za-z0-9+/=]+)", re.DOTALL)
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\ud800-\udfff]")
# White_Space of the Unicode Character Database.
_WHITE_SPACE = set("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {
    chr(code) for code in range(0x2000, 0x200B)
}


def canonical_base64(text: str) -> bytes | None:
    """RFC 4648 section 4 with padding, in its one spelling."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except ValueError:
        return None
    return data if base64.b64encode(data).decode("ascii") == text else None


def is_key_name(name: str) -> bool:
    return name != "" and not any(
        char == "+" or char in _WHITE_SPACE or unicodedata.category(char) == "Cc" for char in name
    )


class VerifierKey(NamedTuple):
    name: str
    key_id: bytes
    kind: int
    key: bytes
    parsed: object


def parse_vkey(text: str) -> VerifierKey | None:
    if len(text) > 1024:
        return None
    match = _VKEY.fullmatch(text)
    if match is None or not is_key_name(match.group(1)):
        return None
    name, key_id = match.group(1), bytes.fromhex(match.group(2))
    data = canonical_base64(match.group(3))
    if data is None or len(data) < 2:
        return None
    kind, key = data[0], data[1:]
    if kind == LOG_P256:
        parsed = p256.parse_spki(key)
        computed = hashlib.sha256(key).digest()
    elif kind in (LOG_ED25519, WITNESS):
        parsed = ed25519.parse_key(key)
        computed = hashlib.sha256(name.encode("utf-8", "surrogatepass") + b"\n" + data).digest()
    else:
        return None
    if parsed is None or computed[:4] != key_id:
        return None
    return VerifierKey(name, key_id, kind, key, parsed)


class Note(NamedTuple):
    text: str
    lines: dict  # (name, key id) -> signature


def parse_note(text: str) -> Note | None:
    if len(text.encode("utf-16-le", "surrogatepass")) > 2 * 65536 or _CONTROL.search(text):
        return None
    if not text.endswith("\n"):
        return None
    split = text.rfind("\n\n")
    if split < 0:
        return None
    signatures = text[split + 2:].split("\n")[:-1]
    if not 1 <= len(signatures) <= 64:
        return None
    lines: dict = {}
    for line in signatures:
        parts = line.split(" ")
        if len(parts) != 3 or parts[0] != "\u2014" or not is_key_name(parts[1]):
            return None
        data = canonical_base64(parts[2])
        if data is None or len(data) < 5 or (parts[1], data[:4]) in lines:
            return None
        lines[parts[1], data[:4]] = data[4:]
    return Note(text[:split + 1], lines)


class Checkpoint(NamedTuple):
    origin: str
    size: int
    root: bytes


def parse_checkpoint(text: str) -> Checkpoint | None:
    lines = text.split("\n")
    if len(lines) < 4 or lines[-1] != "" or "" in lines[:-1]:
        return None
    size, root = integer_of(lines[1]), canonical_base64(lines[2])
    if size is None or root is None or len(root) != 32:
        return None
    if size == 0 and root != hashlib.sha256(b"").digest():
        return None
    return Checkpoint(lines[0], size, root)


def log_line_verifies(key: VerifierKey, note: Note, signature: bytes) -> bool:
    message = note.text.encode("utf-8")
    if key.kind == LOG_P256:
        return p256.verify(key.parsed, message, signature, any_s=True)
    return ed25519.verify(key.parsed, message, signature)


def cosignature_time(key: VerifierKey, note: Note, signature: bytes) -> int | None:
    """The time of a cosignature that verifies; None when the line is wrong."""
    if len(signature) != 72:
        return None
    seconds = int.from_bytes(signature[:8], "big")
    message = f"cosignature/v1\ntime {seconds}\n{note.text}".encode("utf-8")
    if seconds > MAX_TIME or not ed25519.verify(key.parsed, message, signature[8:]):
        return None
    return seconds
