"""JSON Pointers, where they end, and their order (SPEC "Conventions", "Reading bytes", "First failure")."""

from functools import cmp_to_key


MAX_NAME_UNITS = 1024


def text_fault(text: str) -> bool:
    """A lone surrogate or a Unicode noncharacter."""
    if text.isascii():
        return False
    for char in text:
        code = ord(char)
        if 0xD800 <= code <= 0xDFFF or 0xFDD0 <= code <= 0xFDEF or code & 0xFFFE == 0xFFFE:
            return True
    return False


def pointer(path) -> str:
    """The JSON Pointer (RFC 6901) of a path of names and indices, as far as the names can stand in one."""
    tokens = []
    for token in path:
        if isinstance(token, str) and (len(utf16(token)) > 2 * MAX_NAME_UNITS or text_fault(token)):
            break
        tokens.append("/" + str(token).replace("~", "~0").replace("/", "~1"))
    return "".join(tokens)


def _tokens(text: str) -> list[str]:
    return [token.replace("~1", "/").replace("~0", "~") for token in text.split("/")[1:]]


def _is_digits(token: str) -> bool:
    return token != "" and all("0" <= char <= "9" for char in token)


def utf16(text: str) -> bytes:
    """Code units, big-endian, so that bytes compare as code units do."""
    return text.encode("utf-16-be", "surrogatepass")


def _compare_tokens(a: str, b: str) -> int:
    if _is_digits(a) != _is_digits(b):
        return -1 if _is_digits(a) else 1
    if _is_digits(a):
        x, y = a.lstrip("0"), b.lstrip("0")
        if (len(x), x) != (len(y), y):
            return -1 if (len(x), x) < (len(y), y) else 1
    x, y = utf16(a), utf16(b)
    return (x > y) - (x < y)


def compare(a: str, b: str) -> int:
    """SPEC "First failure": token by token, numbers as numbers and first, a prefix before what it begins."""
    left, right = _tokens(a), _tokens(b)
    for x, y in zip(left, right):
        order = _compare_tokens(x, y)
        if order != 0:
            return order
    return (len(left) > len(right)) - (len(left) < len(right))


pointer_key = cmp_to_key(compare)
