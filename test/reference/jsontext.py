"""Strict JSON reader (SPEC "Reading bytes", steps 1 to 4)."""

import re

from jcs import jcs
from numbertext import free_number_of, integer_of
from pointers import pointer, text_fault

MAX_DEPTH = 64
MAX_VALUES = 8_000_000
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_SPACE = re.compile(r"[ \t\n\r]*")
_DIGITS = re.compile(r"[0-9]+")
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


class Ending(Exception):
    """A fault that stops the reading."""


def never_free(_path) -> bool:
    """No number of a trust policy or side input is free."""
    return False


def bundle_free(path) -> bool:
    """The two places of a bundle where numbers are free (SPEC "Integers"), by pointer alone."""
    if len(path) >= 2 and path[0] == "policies":
        return True
    return len(path) >= 4 and path[0] == "disclosures" and path[2] == "value" and path[3] == "json"


class Notes:
    """The first fault of each code, in the order of the text."""

    def __init__(self):
        self.first: dict[str, str] = {}

    def note(self, code: str, path) -> None:
        self.first.setdefault(code, pointer(path))

    def faults(self) -> list[tuple[str, str]]:
        return list(self.first.items())


class _Reader:
    def __init__(self, text: str, free):
        self.text = text
        self.at = 0
        self.begun = 0
        self.free = free
        self.notes = Notes()

    def stop(self) -> Ending:
        """The text deviates from the grammar here."""
        return Ending("FORMAT_TRUNCATED" if self.at >= len(self.text) else "FORMAT_SYNTAX_INVALID")

    def space(self) -> str:
        self.at = _SPACE.match(self.text, self.at).end()
        return self.text[self.at:self.at + 1]

    def document(self):
        value = self.value((), 0)
        if self.space() != "":
            raise Ending("FORMAT_SYNTAX_INVALID")
        return value

    def value(self, path: tuple, depth: int):
        char = self.space()
        if char != "":
            if self.begun == MAX_VALUES:
                raise Ending("FORMAT_TOO_LARGE")
            self.begun += 1
        if char in ("{", "["):
            if depth == MAX_DEPTH:
                raise Ending("FORMAT_TOO_LARGE")
            self.at += 1
            return self.object(path, depth + 1) if char == "{" else self.array(path, depth + 1)
        if char == '"':
            text = self.string()
            if text_fault(text):
                self.notes.note("FORMAT_TEXT_INVALID", path)
            return text
        if char == "-" or "0" <= char <= "9":
            return self.number(path)
        for word, meaning in (("true", True), ("false", False), ("null", None)):
            if char == word[0]:
                self.literal(word)
                return meaning
        raise self.stop()

    def literal(self, word: str) -> None:
        for letter in word:
            if self.text[self.at:self.at + 1] != letter:
                raise self.stop()
            self.at += 1

    def object(self, path: tuple, depth: int) -> dict:
        result: dict = {}
        if self.space() == "}":
            self.at += 1
            return result
        while True:
            if self.space() != '"':
                raise self.stop()
            name = self.string()
            if text_fault(name):
                self.notes.note("FORMAT_TEXT_INVALID", path)
            if name in result:
                self.notes.note("FORMAT_DUPLICATE_MEMBER", path + (name,))
            if self.space() != ":":
                raise self.stop()
            self.at += 1
            result[name] = self.value(path + (name,), depth)
            char = self.space()
            if char not in (",", "}"):
                raise self.stop()
            self.at += 1
            if char == "}":
                return result

    def array(self, path: tuple, depth: int) -> list:
        result: list = []
        if self.space() == "]":
            self.at += 1
            return result
        while True:
            result.append(self.value(path + (len(result),), depth))
            char = self.space()
            if char not in (",", "]"):
                raise self.stop()
            self.at += 1
            if char == "]":
                return result

    def string(self) -> str:
        self.at += 1
        parts: list[str] = []
        escaped = False
        while True:
            plain = _PLAIN.match(self.text, self.at)
            parts.append(plain.group())
            self.at = plain.end()
            char = self.text[self.at:self.at + 1]
            if char == '"':
                self.at += 1
                break
            if char != "\\":
                raise self.stop()
            self.at += 1
            parts.append(self.escape())
            escaped = True
        text = "".join(parts)
        if escaped:  # joins surrogate pairs, keeps lone surrogates
            text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        return text

    def escape(self) -> str:
        char = self.text[self.at:self.at + 1]
        if char in _ESCAPES:
            self.at += 1
            return _ESCAPES[char]
        if char != "u":
            raise self.stop()
        self.at += 1
        start = self.at
        while self.at < start + 4:
            if self.text[self.at:self.at + 1] not in tuple("0123456789abcdefABCDEF"):
                raise self.stop()
            self.at += 1
        return chr(int(self.text[start:self.at], 16))

    def digits(self) -> None:
        match = _DIGITS.match(self.text, self.at)
        if match is None:
            raise self.stop()
        self.at = match.end()

    def number(self, path: tuple):
        start = self.at
        if self.text[self.at] == "-":
            self.at += 1
        if self.text[self.at:self.at + 1] == "0":
            self.at += 1
        else:
            self.digits()
        if self.text[self.at:self.at + 1] == ".":
            self.at += 1
            self.digits()
        if self.text[self.at:self.at + 1] in ("e", "E"):
            self.at += 1
            if self.text[self.at:self.at + 1] in ("+", "-"):
                self.at += 1
            self.digits()
        text = self.text[start:self.at]
        value = free_number_of(text) if self.free(path) else integer_of(text)
        if value is None:
            self.notes.note("FORMAT_NUMBER_INVALID", path)
        return value


def too_long(value, size: int) -> list[tuple[str, str]]:
    """The fault of a value whose JCS has more than 512,000,000 bytes; short input cannot become that long."""
    if size > 64_000_000 and len(jcs(value)) > 512_000_000:
        return [("FORMAT_TOO_LARGE", "")]
    return []


def read_json(data: bytes, limit: int, free=never_free):
    """The value and the faults, each a code and a pointer."""
    if len(data) > limit:
        return None, [("FORMAT_TOO_LARGE", "")]
    if data.startswith(b"\xef\xbb\xbf"):
        return None, [("FORMAT_TEXT_INVALID", "")]
    try:
        text = data.decode("utf-8", "strict")
    except UnicodeDecodeError:
        return None, [("FORMAT_TEXT_INVALID", "")]
    reader = _Reader(text, free)
    ending: list[tuple[str, str]] = []
    value = None
    try:
        value = reader.document()
    except Ending as stop:
        ending.append((str(stop), ""))
    faults = ending + reader.notes.faults()
    return value, faults or too_long(value, len(data))
