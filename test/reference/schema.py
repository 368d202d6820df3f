"""Closed schemas: the machinery (SPEC "Closed schemas") and the field kinds (SPEC "Conventions").

A kind is a function (value, path, faults) that adds (code, path) for every fault.
"""

import re

from instants import parse_time
from keys import parse_public_key
from numbertext import MAX_INTEGER
from pointers import pointer

PROTOCOL = "OSA_PROOF_V3"
VALUE = "FORMAT_VALUE_INVALID"


def text(accepts):
    """A string that a function accepts."""
    def kind(value, path, faults):
        if not isinstance(value, str):
            faults.append(("FORMAT_WRONG_TYPE", path))
        elif not accepts(value):
            faults.append((VALUE, path))
    return kind


def matching(pattern: str, longest: int | None = None):
    compiled = re.compile(pattern)
    return text(lambda value: (longest is None or len(value) <= longest) and compiled.fullmatch(value) is not None)


def units(value: str) -> int:
    """Length in UTF-16 code units."""
    return len(value) + sum(1 for char in value if ord(char) > 0xFFFF)


def one_of(*texts: str):
    return text(lambda value: value in texts)


def integer(least: int, most: int = MAX_INTEGER):
    def kind(value, path, faults):
        if isinstance(value, bool) or not isinstance(value, int):
            faults.append(("FORMAT_WRONG_TYPE", path))
        elif not least <= value <= most:
            faults.append((VALUE, path))
    return kind


def boolean(value, path, faults):
    if not isinstance(value, bool):
        faults.append(("FORMAT_WRONG_TYPE", path))


def anything(_value, _path, _faults):
    """Free JSON."""


def free_object(value, path, faults):
    if not isinstance(value, dict):
        faults.append(("FORMAT_WRONG_TYPE", path))


def nullable(kind):
    def either(value, path, faults):
        if value is not None:
            kind(value, path, faults)
    return either


def array(item, most: int, least: int = 0, unique: bool = False):
    def kind(value, path, faults):
        if not isinstance(value, list):
            faults.append(("FORMAT_WRONG_TYPE", path))
        elif len(value) > most:
            faults.append(("FORMAT_TOO_LARGE", path))
        elif len(value) < least:
            faults.append((VALUE, path))
        else:
            seen = set()
            for index, entry in enumerate(value):
                item(entry, path + (index,), faults)
                if unique and isinstance(entry, str):
                    if entry in seen:
                        faults.append((VALUE, path + (index,)))
                    seen.add(entry)
    return kind


def record(required: dict, optional: dict | None = None, type_name: str | None = None,
           protocol: bool = False, rule=None):
    """A closed object. A rule is judged only where nothing else was found."""
    optional = optional or {}
    versions = {}
    if protocol:
        versions["protocol"] = PROTOCOL
    if type_name is not None:
        versions["type"] = type_name

    def kind(value, path, faults):
        if not isinstance(value, dict):
            faults.append(("FORMAT_WRONG_TYPE", path))
            return
        before = len(faults)
        for name, wanted in versions.items():
            if value.get(name) != wanted:
                faults.append(("FORMAT_VERSION_UNSUPPORTED", path + (name,)))
        if len(faults) > before:
            return
        for name in value:
            if name not in required and name not in optional and name not in versions:
                faults.append(("FORMAT_UNKNOWN_MEMBER", path + (name,)))
        for name in required:
            if name not in value:
                faults.append(("FORMAT_MISSING_MEMBER", path + (name,)))
        for name, member in value.items():
            member_kind = required.get(name) or optional.get(name)
            if member_kind is not None:
                member_kind(member, path + (name,), faults)
        if rule is not None and len(faults) == before:
            rule(value, path, faults)
    return kind


def faults_of(kind, value) -> list[tuple[str, str]]:
    """Every fault of a whole input, as code and pointer."""
    faults: list = []
    kind(value, (), faults)
    return [(code, pointer(path)) for code, path in faults]


_HEX = r"0x(?:[0-9a-f]{2})*"
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_IDENTIFIER = re.compile(r"[!-~]{1,128}")
_HEX_TEXT = re.compile(_HEX)
_DNS_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_SEGMENT = re.compile(r"[A-Za-z0-9._-]+")


def _is_dns_name(value: str) -> bool:
    return len(value) <= 253 and _DNS_NAME.fullmatch(value) is not None


def _is_agent_id(value: str) -> bool:
    if len(value) > 512 or not value.startswith("@ai:"):
        return False
    name, *segments = value[4:].split("/")
    return _is_dns_name(name) and len(segments) >= 1 and all(
        _SEGMENT.fullmatch(segment) and segment not in (".", "..") for segment in segments
    )


def _is_tool(value: str) -> bool:
    if _IDENTIFIER.fullmatch(value) is None or "*" in value:
        return False
    return value == "osa.denied" or not value.startswith("osa.")


def dns_name_of(agent_id: str) -> str:
    return agent_id[4:].split("/")[0]


hex_bytes = matching(_HEX)
digest = matching(r"0x[0-9a-f]{64}")
salt = digest
signature = matching(r"0x(?:[0-9a-f]{2}){8,72}")
public_key = text(lambda value: _HEX_TEXT.fullmatch(value) is not None and parse_public_key(value) is not None)
time = text(lambda value: parse_time(value) is not None)
identifier = text(lambda value: _IDENTIFIER.fullmatch(value) is not None)
tool = text(_is_tool)
dns_name = text(_is_dns_name)
agent_id = text(_is_agent_id)
algorithm = one_of("ECDSA_P256", "ED25519")
status = one_of("completed", "failed", "denied", "interrupted")
scope = one_of("session", "causal")
