"""Canonical JSON, RFC 8785 (SPEC "Conventions")."""

from pointers import utf16

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ESCAPES |= {chr(code): f"\\u{code:04x}" for code in range(32) if chr(code) not in _ESCAPES}
_TABLE = str.maketrans(_ESCAPES)


def _number(value: float) -> str:
    """ECMAScript Number::toString of a double that is no integer."""
    sign = "-" if value < 0 else ""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + int(exponent or "0")
    digits = (whole + fraction).rstrip("0")
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    digits = stripped
    if 0 < point <= 21:
        if point >= len(digits):
            return sign + digits + "0" * (point - len(digits))
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    shown = point - 1
    text = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return f"{sign}{text}e{'+' if shown >= 0 else '-'}{abs(shown)}"


def jcs_text(value) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, str):
        return '"' + value.translate(_TABLE) + '"'
    if isinstance(value, list):
        return "[" + ",".join(map(jcs_text, value)) + "]"
    members = (f"{jcs_text(name)}:{jcs_text(value[name])}" for name in sorted(value, key=utf16))
    return "{" + ",".join(members) + "}"


def jcs(value) -> bytes:
    return jcs_text(value).encode("utf-8")
