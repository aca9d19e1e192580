"""The page given to a vertical. The host has fetched, decoded and parsed it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from .element import At, Element, Row
from .entity import Entity, read_entities
from .form import Form, read_forms
from .outline import Outline

if TYPE_CHECKING:
    from . import wire


@dataclass(frozen=True)
class OwnDate:
    """Date of a page itself. It never depends on the time of the fetch."""

    day: date | None = None
    """Day on which the page was published or changed. "Today" on the page is this day."""
    source: str = ""
    """Place where the day is stated: `structured-data`, `url`, `heading` or `header`. Empty without a day."""
    year: int | None = None
    """Year that the title, the main heading or the URL states for the dates on the page."""


class Page:
    """A page, lent for one call: keep the values you read, never the page itself."""

    def __init__(self, host: wire.HostPage) -> None:
        self.host = host
        """The contract's page, for functions that this class does not offer."""

    @cached_property
    def url(self) -> str:
        """Final URL, after redirects."""
        return self.host.url()

    @cached_property
    def title(self) -> str | None:
        """Text of the `title` element."""
        return self.host.title()

    @cached_property
    def language(self) -> str | None:
        """Language of the page as a BCP 47 tag, from the page itself or its headers."""
        return self.host.language()

    @cached_property
    def own_date(self) -> OwnDate:
        """Date of the page itself, as far as it states one."""
        stated = self.host.own_date()
        return OwnDate(date.fromisoformat(stated.day) if stated.day else None, stated.source, stated.year)

    @cached_property
    def fetched_at(self) -> datetime:
        """Time of the fetch. The clock shows the same time. No value of an object may depend on it; see
        `own_date`.
        """
        return datetime.fromtimestamp(self.host.fetched_at(), UTC)

    @property
    def status(self) -> int:
        """HTTP status."""
        return self.host.status()

    @property
    def content_type(self) -> str:
        """Media type without parameters, in lower case. Empty if unknown."""
        return self.host.content_type()

    def header(self, name: str) -> str | None:
        """Value of a response header; the case of its name does not matter."""
        return self.host.header(name)

    @property
    def text(self) -> str:
        """Visible text of the whole page. See `Element.text`."""
        return self.root.text

    @property
    def source(self) -> str:
        """The whole source, decoded to text."""
        return self.host.text()

    @property
    def body(self) -> bytes:
        """The whole source as bytes, for plugins with their own parser."""
        return self.host.body()

    def resolve(self, reference: str) -> str | None:
        """Resolves a reference on the page to an absolute URL."""
        return self.host.resolve(reference)

    @cached_property
    def root(self) -> Element:
        """The document itself, as an element."""
        return Element(self, self.host.root())

    def select(self, css: str) -> list[Element]:
        """Elements that match a CSS selector, in document order."""
        return self.root.select(css)

    def first(self, css: str) -> Element | None:
        """First element that matches a CSS selector."""
        return self.root.first(css)

    def text_of(self, css: str) -> At | None:
        """Text of the first match; `None` if there is no match or it has no text."""
        return self.root.text_of(css)

    def table(self, rows: str, **columns: str) -> list[Row]:
        """Selects rows and their cells in one call to the host; see `Element.table`."""
        return self.root.table(rows, **columns)

    def labelled(self) -> dict[str, At]:
        """Labelled values, by label; see `Element.labelled`."""
        return self.root.labelled()

    def having(self, attribute: str) -> list[tuple[Element, str]]:
        """All elements that have an attribute, with its value, in document order."""
        return [(Element(self, node), value) for node, value in self.host.having(attribute)]

    @cached_property
    def structured(self) -> list[Entity]:
        """Outermost entities of the page's structured data (JSON-LD, microdata, RDFa, microformats,
        Open Graph).
        """
        return read_entities(self, self.host.structured_data())

    def entities(self, *types: str) -> list[Entity]:
        """Entities of any of the types, including nested ones, in document order. Without types,
        all entities.
        """
        found = [each for outermost in self.structured for each in outermost.walk()]
        return [entity for entity in found if not types or any(entity.is_a(name) for name in types)]

    @cached_property
    def forms(self) -> list[Form]:
        """Forms with their fields, labels and choices, in document order."""
        return read_forms(self, self.host.forms())

    @cached_property
    def outline(self) -> Outline:
        """The whole tree in the plugin's memory, for walking without calls to the host."""
        return Outline(self, self.host.outline())

    def __repr__(self) -> str:
        return f"Page({self.url!r})"
