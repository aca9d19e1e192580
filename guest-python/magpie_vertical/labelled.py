"""Labels and their values, in the usual forms."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .element import At, Element

# Pairs of elements, a label and the value after it: the tags of both, and a selector for both.
PAIRS = [
    ("dt", "dd", "dt, dd"),
    ("th", "td", "tr > th:first-child, tr > th:first-child + td"),
]

# Selector of elements whose lines may be `Label: value`. Longer labels are sentences.
LINES = "li, p, :is(div, td, dd, span):has(> :is(b, strong))"
LINE = re.compile(r"([^:]{1,60}):\s+(\S.*)")


def labelled(scope: Element) -> dict[str, At]:
    """Implements `Element.labelled`."""
    found: dict[str, At] = {}
    for label, value, css in PAIRS:
        cells = [(row.element.tag, row["text"]) for row in scope.table(css, text="")]
        for (tag, text), (next_tag, next_text) in zip(cells, cells[1:], strict=False):
            if (tag, next_tag) == (label, value) and text and next_text:
                found.setdefault(plain(text), next_text)
    for row in scope.table(LINES, text=""):
        for line in (row["text"] or "").splitlines():
            if match := LINE.fullmatch(line):
                found.setdefault(plain(match[1]), row.element.at(match[2]))
    found.pop("", None)
    return found


def plain(label: str) -> str:
    """Normalises a label for lookups."""
    return " ".join(label.split()).strip(" :").lower()
