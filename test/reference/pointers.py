"""JSON Pointers and their order (SPEC "Conventions", "First failure")."""

from functools import cmp_to_key


def pointer(path) -> str:
    """The JSON Pointer (RFC 6901) of a path of names and indices."""
    return "".join("/" + str(token).replace("~", "~0").replace("/", "~1") for token in path)


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
