"""Public keys and signatures of both algorithms (SPEC "Keys in bytes", "Signatures")."""

import hashlib
from functools import lru_cache

import ed25519
import p256


def sha256_hex(data: bytes) -> str:
    return "0x" + hashlib.sha256(data).hexdigest()


def unhex(text: str) -> bytes:
    return bytes.fromhex(text[2:])


@lru_cache(maxsize=65536)
def parse_public_key(text: str):
    """(algorithm, key) of a SubjectPublicKeyInfo in hex, or None."""
    data = unhex(text)
    point = p256.parse_spki(data)
    if point is not None:
        return "ECDSA_P256", point
    key = ed25519.parse_spki(data)
    return None if key is None else ("ED25519", key)


def algorithm_of(public_key: str) -> str:
    return parse_public_key(public_key)[0]


def thumbprint(public_key: str) -> str:
    return sha256_hex(unhex(public_key))


@lru_cache(maxsize=1 << 20)
def signature_verifies(public_key: str, message: bytes, signature: str) -> bool:
    algorithm, key = parse_public_key(public_key)
    verify = p256.verify if algorithm == "ECDSA_P256" else ed25519.verify
    return verify(key, message, unhex(signature))
