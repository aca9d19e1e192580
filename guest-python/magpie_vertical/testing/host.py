"""A replacement of the host's page."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin

from .. import wire
from . import css
from .dom import HIDDEN, Tree
from .forms import Forms

# Prefix of schema.org's names for types and properties.
VOCABULARY = re.compile(r"^(https?://(www\.)?schema\.org[/#]|schema:)")

# Properties of schema.org whose values are references, the common ones.
URL_PROPERTIES = frozenset(
    "contentUrl downloadUrl embedUrl hasMap hasMenu image license logo mainEntityOfPage map menu photo sameAs"
    " significantLink thumbnail thumbnailUrl url".split()
)


@dataclass
class FakePage:
    """A page with the functions of the contract, on a tree in memory."""

    tree: Tree
    address: str
    html: str
    code: int
    time: int
    headers: dict[str, str]
    given: list[wire.StructuredItem]
    dated: wire.PageDate = field(default_factory=wire.PageDate)

    def url(self) -> str:
        """Final URL."""
        return self.address

    def fetched_at(self) -> int:
        """Time of the fetch."""
        return self.time

    def own_date(self) -> wire.PageDate:
        """Date of the page itself."""
        return self.dated

    def status(self) -> int:
        """HTTP status."""
        return self.code

    def content_type(self) -> str:
        """Media type."""
        return (self.header("content-type") or "text/html").partition(";")[0].strip().lower()

    def header(self, name: str) -> str | None:
        """A response header."""
        return {known.lower(): value for known, value in self.headers.items()}.get(name.lower())

    def language(self) -> str | None:
        """Language of the page."""
        return self.tree.language() or self.header("content-language")

    def title(self) -> str | None:
        """Text of the `title` element."""
        found = self.select(0, "title")
        return (self.text_of(found[0]) or None) if found else None

    def text(self) -> str:
        """The source."""
        return self.html

    def body(self) -> bytes:
        """The source as bytes."""
        return self.html.encode()

    def structured_data(self) -> list[wire.StructuredItem]:
        """JSON-LD, and the entities given by the test."""
        found = []
        for node in self.select(0, "script[type='application/ld+json']"):
            try:
                document = json.loads(self.tree.source(node))
            except ValueError:
                continue
            for entity in _outermost(document):
                found.append(wire.StructuredItem("json-ld", [], json.dumps(self._uniform(entity)), node))
        return found + self.given

    def forms(self) -> list[wire.Form]:
        """All forms."""
        return Forms(self.tree, self.address, self.resolve).read()

    def resolve(self, reference: str) -> str | None:
        """Resolves a reference to an absolute URL."""
        address = urljoin(self.address, reference.strip())
        return address if address.startswith(("http://", "https://")) else None

    def root(self) -> int:
        """The document."""
        return 0

    def select(self, scope: int, selector: str) -> list[int]:
        """Elements below `scope` that match."""
        parsed = css.parse(selector)
        return [node for node in self.tree.elements(scope) if css.matches(self.tree, node, parsed, scope)]

    def matches(self, node: int, selector: str) -> bool:
        """Returns true if an element matches."""
        return css.matches(self.tree, node, css.parse(selector), node)

    def table(self, scope: int, rows: str, columns: list[wire.Column]) -> list[wire.Row]:
        """Rows and their cells."""
        found = self.select(scope, rows)
        return [wire.Row(row, [self._cell(row, column) for column in columns]) for row in found]

    def text_of(self, node: int) -> str:
        """Visible text."""
        return self.tree.visible(node)

    def own_text(self, node: int) -> str:
        """Visible text without that of child elements."""
        return self.tree.visible(node, own=True)

    def html_of(self, node: int) -> str:
        """The node as HTML."""
        return self.tree.markup(node)

    def tag(self, node: int) -> str:
        """Tag name."""
        return self.tree.nodes[node].tag

    def attribute(self, node: int, name: str) -> str | None:
        """One attribute."""
        return self.tree.nodes[node].attributes.get(name)

    def attributes(self, node: int) -> list[tuple[str, str]]:
        """All attributes."""
        return list(self.tree.nodes[node].attributes.items())

    def having(self, name: str) -> list[tuple[int, str]]:
        """All elements that have an attribute."""
        nodes = enumerate(self.tree.nodes)
        return [(index, node.attributes[name]) for index, node in nodes if name in node.attributes]

    def parent(self, node: int) -> int | None:
        """The parent."""
        return None if node == 0 else self.tree.nodes[node].parent

    def children(self, node: int) -> list[int]:
        """The child elements."""
        return self.tree.children(node)

    def outline(self) -> wire.Outline:
        """The tree in columns."""
        nodes = self.tree.nodes
        names = sorted({node.tag for node in nodes})
        starts, text, hidden_until = [], "", 0
        for index, node in enumerate(nodes):
            starts.append(len(text.encode()))
            if node.tag in HIDDEN:
                hidden_until = max(hidden_until, node.end)
            if index >= hidden_until:
                text += node.text
        parents = [node.parent for node in nodes]
        tags = [names.index(node.tag) for node in nodes]
        return wire.Outline(parents, [node.end for node in nodes], tags, names, text, starts)

    def _uniform(self, entity: dict[str, Any]) -> dict[str, Any]:
        """Converts an entity to the host's form: every property a list, types without their
        vocabulary, references absolute.
        """
        result: dict[str, Any] = {}
        for name, value in entity.items():
            values = value if isinstance(value, list) else [value]
            if name == "@type":
                result[name] = [VOCABULARY.sub("", str(each)) for each in values]
            elif name == "@id":
                result[name] = self._reference(value)
            elif name != "@context":
                name = VOCABULARY.sub("", name)
                result[name] = [self._value(name, each) for each in values]
        return result

    def _value(self, name: str, value: Any) -> Any:
        if isinstance(value, dict):
            return self._uniform(value)
        return self._reference(value) if name in URL_PROPERTIES else value

    def _reference(self, value: Any) -> Any:
        """Converts a reference to an absolute URL; keeps it as written if it is invalid."""
        if not isinstance(value, str) or not value.strip():
            return value
        return self.resolve(value) or value.strip()

    def _cell(self, row: int, column: wire.Column) -> wire.Cell | None:
        node = next(iter(self.select(row, column.css)), None) if column.css else row
        if node is None:
            return None
        match column.take:
            case "text":
                value: str | None = self.text_of(node)
            case "own-text":
                value = self.own_text(node)
            case "html":
                value = self.html_of(node)
            case take if take.startswith("@"):
                value = self.attribute(node, take[1:])
            case take:
                reference = self.attribute(node, take.removeprefix("url:"))
                value = None if reference is None else self.resolve(reference)
        return None if value is None else wire.Cell(node, value)


def _outermost(document: Any) -> list[dict[str, Any]]:
    """Outermost entities of a JSON-LD document."""
    if isinstance(document, list):
        return [entity for each in document for entity in _outermost(each)]
    if not isinstance(document, dict):
        return []
    return _outermost(document["@graph"]) if "@graph" in document else [document]

