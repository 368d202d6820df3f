"""Deterministic CBOR, both ways (SPEC "Compact binary form")."""

import math
import re
import struct

from jsontext import MAX_DEPTH, MAX_VALUES, Ending, Notes, too_long
from numbertext import MAX_INTEGER
from pointers import pointer, pointer_key, text_fault

_HEX = re.compile(r"0x(?:[0-9a-f]{2})*")
_SIMPLE = {20: False, 21: True, 22: None}


def _is_hex(text: str) -> bool:
    return _HEX.fullmatch(text) is not None


def _float_bytes(value: float) -> bytes:
    """Initial byte and the shortest width that gives back exactly the value."""
    for head, width in ((b"\xf9", ">e"), (b"\xfa", ">f")):
        try:
            packed = struct.pack(width, value)
        except OverflowError:
            continue
        if struct.unpack(width, packed)[0] == value:
            return head + packed
    return b"\xfb" + struct.pack(">d", value)


class _Reader:
    def __init__(self, data: bytes):
        self.data = data
        self.at = 0
        self.begun = 0
        self.notes = Notes()

    def take(self, count: int) -> bytes:
        if len(self.data) - self.at < count:
            raise Ending("FORMAT_TRUNCATED")
        self.at += count
        return self.data[self.at - count:self.at]

    def head(self) -> tuple[int, int, int]:
        """Major type, additional information and argument, in the order of the SPEC."""
        initial = self.take(1)[0]
        major, info = initial >> 5, initial & 31
        if info >= 28 or major == 6 or (major == 7 and info not in (20, 21, 22, 25, 26, 27)):
            raise Ending("FORMAT_SYNTAX_INVALID")
        if info < 24:
            return major, info, info
        width = 1 << (info - 24)
        argument = int.from_bytes(self.take(width), "big")
        if major != 7 and argument < (24 if width == 1 else 1 << (4 * width)):
            raise Ending("FORMAT_SYNTAX_INVALID")
        return major, info, argument

    def document(self):
        value = self.item((), 0)
        if self.at != len(self.data):
            raise Ending("FORMAT_SYNTAX_INVALID")
        return value

    def item(self, path: tuple, depth: int):
        start = self.at
        if start < len(self.data):
            if self.begun == MAX_VALUES:
                raise Ending("FORMAT_TOO_LARGE")
            self.begun += 1
        major, info, argument = self.head()
        if major in (0, 1):
            value = argument if major == 0 else -1 - argument
            if abs(value) > MAX_INTEGER:
                self.notes.note("FORMAT_NUMBER_INVALID", path)
            return value
        if major == 2:
            return "0x" + self.take(argument).hex()
        if major == 3:
            text = self.text(self.take(argument), path)
            if _is_hex(text):
                raise Ending("FORMAT_SYNTAX_INVALID")
            return text
        if major == 7:
            return self.float(self.data[start:self.at], path) if info > 24 else _SIMPLE[info]
        if depth == MAX_DEPTH:
            raise Ending("FORMAT_TOO_LARGE")
        if argument * (major - 3) > len(self.data) - self.at:
            raise Ending("FORMAT_TRUNCATED")
        if major == 4:
            return [self.item(path + (index,), depth + 1) for index in range(argument)]
        return self.map(argument, path, depth + 1)

    def map(self, count: int, path: tuple, depth: int) -> dict:
        result: dict = {}
        before = b""
        for _ in range(count):
            start = self.at
            if start < len(self.data) and self.data[start] >> 5 != 3:
                raise Ending("FORMAT_SYNTAX_INVALID")
            _, _, length = self.head()
            encoding = self.data[start:self.at] + self.take(length)
            if encoding < before:
                raise Ending("FORMAT_SYNTAX_INVALID")
            name = self.text(encoding[-length:] if length else b"", path)
            if encoding == before:
                self.notes.note("FORMAT_DUPLICATE_MEMBER", path + (name,))
            before = encoding
            result[name] = self.item(path + (name,), depth)
        return result

    def text(self, data: bytes, path: tuple) -> str:
        try:
            text = data.decode("utf-8", "strict")
        except UnicodeDecodeError:
            self.notes.note("FORMAT_TEXT_INVALID", path)
            return data.decode("utf-8", "replace")
        if text_fault(text):
            self.notes.note("FORMAT_TEXT_INVALID", path)
        return text

    def float(self, encoding: bytes, path: tuple):
        value = struct.unpack({3: ">e", 5: ">f", 9: ">d"}[len(encoding)], encoding[1:])[0]
        if not math.isfinite(value) or (value == 0 and encoding[1] == 0x80):
            self.notes.note("FORMAT_NUMBER_INVALID", path)
            return value
        if _float_bytes(value) != encoding:
            raise Ending("FORMAT_SYNTAX_INVALID")
        if value.is_integer():
            if abs(value) <= MAX_INTEGER:
                raise Ending("FORMAT_SYNTAX_INVALID")
            self.notes.note("FORMAT_NUMBER_INVALID", path)
        return value


def _numbers(value, path: tuple, free, found: list[str]) -> None:
    """Numbers outside free JSON that are no integer from 0 to 2^53-1."""
    if isinstance(value, dict):
        for name, member in value.items():
            _numbers(member, path + (name,), free, found)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            _numbers(item, path + (index,), free, found)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        if not free(path) and (isinstance(value, float) or value < 0):
            found.append(pointer(path))


def read_cbor(data: bytes, limit: int, free):
    """The value and the faults, each a code and a pointer."""
    if len(data) > limit:
        return None, [("FORMAT_TOO_LARGE", "")]
    reader = _Reader(data)
    value = None
    faults: list[tuple[str, str]] = []
    try:
        value = reader.document()
    except Ending as stop:
        faults.append((str(stop), ""))
    faults += reader.notes.faults()
    faults = faults or too_long(value, len(data))
    if not faults:
        found: list[str] = []
        _numbers(value, (), free, found)
        if found:
            faults.append(("FORMAT_NUMBER_INVALID", min(found, key=pointer_key)))
    return value, faults


def _head(major: int, argument: int) -> bytes:
    if argument < 24:
        return bytes([major << 5 | argument])
    for info, width in ((24, 1), (25, 2), (26, 4), (27, 8)):
        if argument < 1 << (8 * width):
            return bytes([major << 5 | info]) + argument.to_bytes(width, "big")
    raise ValueError("argument too large")


def write_cbor(value) -> bytes:
    """The one encoding of a JSON value."""
    if value is None:
        return b"\xf6"
    if isinstance(value, bool):
        return b"\xf5" if value else b"\xf4"
    if isinstance(value, int):
        return _head(0, value) if value >= 0 else _head(1, -1 - value)
    if isinstance(value, float):
        return _float_bytes(value)
    if isinstance(value, str):
        if _is_hex(value):
            data = bytes.fromhex(value[2:])
            return _head(2, len(data)) + data
        data = value.encode("utf-8")
        return _head(3, len(data)) + data
    if isinstance(value, list):
        return _head(4, len(value)) + b"".join(write_cbor(item) for item in value)
    names = {}
    for name in value:
        data = name.encode("utf-8")
        names[_head(3, len(data)) + data] = name
    return _head(5, len(value)) + b"".join(key + write_cbor(value[names[key]]) for key in sorted(names))
