"""Support for tests in plain Python, without Wasm.

    page = page_from_html("https://example.org/1", "<h1>Tempest</h1>")
    (found,) = extract(Books, page)
    assert found.record.title == "Tempest"

The page is a small replacement of the host's. It parses HTML with Python's own parser. It supports
CSS selectors with the structural pseudo-classes (`:nth-child`, `:is`, `:not`, `:has` and the like;
not `of` in `:nth-child`). The only structured data is JSON-LD (`structured=` takes entities of
other syntaxes). `magpie plugin test` runs the component against pages as the host parses them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .. import component, wire
from ..page import OwnDate, Page
from ..record import Found
from ..vertical import Judgement, Validator, Vertical
from .dom import Tree
from .host import FakePage

__all__ = ["extract", "judge", "page_from_html"]

# 1 March 2026, noon: an arbitrary fixed time.
FETCHED_AT = 1_772_366_400


def page_from_html(
    url: str,
    html: str,
    *,
    status: int = 200,
    fetched_at: int = FETCHED_AT,
    headers: Mapping[str, str] | None = None,
    structured: list[dict[str, Any]] | None = None,
    own_date: OwnDate | None = None,
) -> Page:
    """Makes a page from HTML. `structured` are entities besides those in JSON-LD: `[{"@type":
    "Event", "name": "…"}]`. `own_date` is the date that the host would find on the page.
    """
    own = own_date or OwnDate()
    dated = wire.PageDate(own.day.isoformat() if own.day else None, own.source, own.year)
    given = [wire.StructuredItem("microdata", [], json.dumps(entity), None) for entity in structured or []]
    return Page(FakePage(Tree.parse(html), url, html, status, fetched_at, dict(headers or {}), given, dated))


def extract(vertical: type[Vertical[Any]], page: Page, options: Mapping[str, Any] | None = None) -> list[Found[Any]]:
    """Runs a vertical on a page, with the given options and the defaults of all others."""
    with _options(options):
        return component.extract(vertical(), page)


def judge(validator: type[Validator], page: Page, options: Mapping[str, Any] | None = None) -> Judgement:
    """Runs a validator on a page, with the given options and the defaults of all others."""
    with _options(options):
        return component.judge(validator(), page)


@contextmanager
def _options(options: Mapping[str, Any] | None) -> Iterator[None]:
    before = wire.get_option
    values = {name: json.dumps(value) for name, value in (options or {}).items()}
    wire.get_option = lambda name: values.get(name)
    try:
        yield
    finally:
        wire.get_option = before
