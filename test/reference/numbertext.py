"""The number rules of SPEC "Integers"."""

MAX_INTEGER = 2**53 - 1


def integer_of(text: str) -> int | None:
    """A number that is not free: digits only, no leading zero, at most 2^53-1."""
    if not text.isascii() or not text.isdigit() or len(text) > 16 or (len(text) > 1 and text[0] == "0"):
        return None
    value = int(text)
    return value if value <= MAX_INTEGER else None


def _decimal(text: str) -> tuple[bool, str, int]:
    """Sign, significant digits without zeros at either end, exponent of the last digit."""
    negative = text.startswith("-")
    mantissa, _, exponent_text = text.lstrip("-").lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    sign, magnitude = (-1, exponent_text[1:]) if exponent_text[:1] == "-" else (1, exponent_text.lstrip("+"))
    magnitude = magnitude.lstrip("0")
    # An exponent this long is out of range whatever the digits; clamp it.
    exponent = sign * (int(magnitude or "0") if len(magnitude) < 19 else 10**18)
    exponent -= len(fraction)
    stripped = digits.rstrip("0")
    return negative, stripped, exponent + len(digits) - len(stripped)


def free_number_of(text: str) -> int | float | None:
    """A free number, or None where "Integers" refuses it."""
    negative, digits, exponent = _decimal(text)
    if digits == "":
        return 0  # any zero, negative zero too
    if len(digits) > 17 or not -400 < exponent < 400:
        return None  # no double has this as its shortest text
    if exponent >= 0:
        whole = int(digits) * 10**exponent
        if whole > MAX_INTEGER:
            return None
        return -whole if negative else whole
    value = float(("-" if negative else "") + digits + "e" + str(exponent))
    if value == 0 or value in (float("inf"), float("-inf")):
        return None
    if _decimal(repr(value)) != (negative, digits, exponent):
        return None
    return value
