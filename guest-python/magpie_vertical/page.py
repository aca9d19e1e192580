"""The page a vertical is asked about. The host has fetched, decoded and parsed it."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from .element import At, Element, Row
from .entity import Entity, read_entities
from .outline import Outline

if TYPE_CHECKING:
    from . import wire


class Page:
    """A page, lent for one call: keep what you read of it, never the page itself."""

    def __init__(self, host: wire.HostPage) -> None:
        self.host = host
        """The contract's page, for what this class does not offer."""

    @cached_property
    def url(self) -> str:
        """The final URL, after redirects."""
        return self.host.url()

    @cached_property
    def title(self) -> str | None:
        """The text of the `title` element."""
        return self.host.title()

    @cached_property
    def language(self) -> str | None:
        """The page's language as a BCP 47 tag, from the page itself or its headers."""
        return self.host.language()

    @cached_property
    def fetched_at(self) -> datetime:
        """When it was fetched. This is also what the clock says."""
        return datetime.fromtimestamp(self.host.fetched_at(), UTC)

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.host.status()

    @property
    def content_type(self) -> str:
        """The media type without parameters, in lower case. Empty when unknown."""
        return self.host.content_type()

    def header(self, name: str) -> str | None:
        """The value of a response header, by its name in any case."""
        return self.host.header(name)

    @property
    def text(self) -> str:
        """The text a reader sees on the whole page. See `Element.text`."""
        return self.root.text

    @property
    def source(self) -> str:
        """The whole source, decoded to text."""
        return self.host.text()

    @property
    def body(self) -> bytes:
        """The whole source as bytes, for those who bring a parser."""
        return self.host.body()

    def resolve(self, reference: str) -> str | None:
        """A reference on the page as an absolute URL."""
        return self.host.resolve(reference)

    @cached_property
    def root(self) -> Element:
        """The document itself, as an element: the scope of everything."""
        return Element(self, self.host.root())

    def select(self, css: str) -> list[Element]:
        """The elements that match a CSS selector, in document order."""
        return self.root.select(css)

    def first(self, css: str) -> Element | None:
        """The first element that matches a CSS selector."""
        return self.root.first(css)

    def text_of(self, css: str) -> At | None:
        """The text of the first match; none when nothing matches, or it has no text."""
        return self.root.text_of(css)

    def table(self, rows: str, **columns: str) -> list[Row]:
        """Rows and their cells in one question to the host; see `Element.table`."""
        return self.root.table(rows, **columns)

    def labelled(self) -> dict[str, At]:
        """What labels say of their values, by label; see `Element.labelled`."""
        return self.root.labelled()

    def having(self, attribute: str) -> list[tuple[Element, str]]:
        """All elements that carry an attribute, with its value, in document order."""
        return [(Element(self, node), value) for node, value in self.host.having(attribute)]

    @cached_property
    def structured(self) -> list[Entity]:
        """The page's structured data (JSON-LD, microdata, RDFa, microformats, Open Graph): each outermost entity."""
        return read_entities(self, self.host.structured_data())

    def entities(self, *types: str) -> list[Entity]:
        """Entities of any of the types, nested ones too, in document order. All entities when no type is named."""
        found = [each for outermost in self.structured for each in outermost.walk()]
        return [entity for entity in found if not types or any(entity.is_a(name) for name in types)]

    @cached_property
    def outline(self) -> Outline:
        """The whole tree in this plugin's memory, to walk without a question to the host for each node."""
        return Outline(self, self.host.outline())

    def __repr__(self) -> str:
        return f"Page({self.url!r})"
