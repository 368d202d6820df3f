"""Times (SPEC "Conventions"): milliseconds since 1970 of the one spelling."""

import re
from functools import lru_cache

_TIME = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{3}))?Z", re.ASCII)
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def _leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def _days_before_year(year: int) -> int:
    """Days from 0000-01-01 in the proleptic Gregorian calendar."""
    if year == 0:
        return 0
    before = year - 1
    return 366 + before * 365 + before // 4 - before // 100 + before // 400


@lru_cache(maxsize=65536)
def parse_time(text: str) -> int | None:
    match = _TIME.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = (int(part) for part in match.groups()[:6])
    if not (1 <= month <= 12 and hour <= 23 and minute <= 59 and second <= 59):
        return None
    leap_day = 1 if month == 2 and _leap(year) else 0
    if not 1 <= day <= _DAYS[month - 1] + leap_day:
        return None
    days = _days_before_year(year) - _days_before_year(1970) + sum(_DAYS[:month - 1]) + day - 1
    if month > 2 and _leap(year):
        days += 1
    return (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + int(match.group(7) or 0)


def format_time(instant: int) -> str:
    """For probes: the spelling of an instant."""
    seconds, millis = divmod(instant, 1000)
    days, rest = divmod(seconds, 86400)
    days += _days_before_year(1970)
    year = days // 366
    while _days_before_year(year + 1) <= days:
        year += 1
    days -= _days_before_year(year)
    month = 1
    while days >= (length := _DAYS[month - 1] + (1 if month == 2 and _leap(year) else 0)):
        days -= length
        month += 1
    text = f"{year:04}-{month:02}-{days + 1:02}T{rest // 3600:02}:{rest // 60 % 60:02}:{rest % 60:02}"
    return text + (f".{millis:03}Z" if millis else "Z")
