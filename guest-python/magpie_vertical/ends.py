"""Splits ranges of dates, as texts that the host parses."""

from __future__ import annotations

import re

from .element import At

# Matches the separator of a range. A hyphen without spaces only counts if it is not part of a date
# like 2026-10-28.
BETWEEN = re.compile(
    r"""\s*[–—]\s*
    | \s+(?:-|to|until|till|through|bis|au|al|hasta|tot)\s+
    | (?<=\d{4}-\d\d-\d\d)/
    | (?<!-\d)(?<!-\d\d)(?<!-\d{4})(?:(?<=\d)|(?<=\d\.))-(?=\d{1,2}\b(?!-))""",
    re.VERBOSE | re.IGNORECASE,
)

# Match a time of day, and one at the end of a text.
TIME = re.compile(r"\d{1,2}[:.h]\d{2}(?!\.?\d)")
LAST_TIME = re.compile(r"\d{1,2}[:.h]\d{2}(?!\.?\d)[^\d]*$")

# Match a word that may be a month, but not one like `th` or `Uhr`, and a day without a month.
MONTH = re.compile(r"[^\W\d_]{3,}")
DAY_ALONE = re.compile(r"\d{1,2}(?!\d|[./]\d)")


def ends(when: str | None) -> tuple[str | None, str | None]:
    """Returns both ends of a range of dates: for `28–30 October 2026` the whole text, from which
    the host takes the start, and `30 October 2026`. Parts that the second end omits are added from
    the first: the month of `Oct 28-30, 2026`, the day of `3 May, 19:30–22:00`. The second is `None`
    if there is no range. Both keep the element of the text, if it has one.
    """
    if when is None:
        return None, None
    end = _end(when)
    return when, At(end, when.element) if end is not None and isinstance(when, At) else end


def _end(text: str) -> str | None:
    parts = [part.strip() for part in BETWEEN.split(text)]
    if len(parts) != 2 or not all(re.search(r"\d", part) for part in parts):
        return None
    first, second = parts
    if TIME.match(second):
        return LAST_TIME.sub(lambda _: second, first) if LAST_TIME.search(first) else None
    month = MONTH.search(first)
    if month and DAY_ALONE.match(second) and not MONTH.search(second):
        return f"{month[0]} {second}"
    return second
