"""Elements of a page, and texts with their element."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from . import wire
from .errors import InvalidSelector
from .labelled import labelled

if TYPE_CHECKING:
    from .page import Page


class At(str):
    """A text with the element from which it was read, which the host keeps as the value's source.

    Everything read from a page has this type: `heading.text`, `link["href"]`. A derived text
    (`text.strip()`) is a plain `str` again; use `At(text.strip(), heading)` to keep the source.
    """

    __slots__ = ("element",)

    element: Element

    def __new__(cls, text: str, element: Element) -> At:
        self = super().__new__(cls, text)
        self.element = element
        return self


    def parts(self, separator: str) -> list[At]:
        """Splits the text at separators into parts with the same element, trimmed and without empty
        ones: `row["topics"].parts(",")`. Each character is a separator: `parts(";,")`.
        """
        found = re.split(f"[{re.escape(separator)}]", self)
        return [At(part.strip(), self.element) for part in found if part.strip()]


class Element:
    """One element of a page. Two are equal if they are the same element of the same page."""

    __slots__ = ("node", "page")

    def __init__(self, page: Page, node: int) -> None:
        self.page = page
        """Page of the element."""
        self.node = node
        """Node id: the index in document order."""

    @property
    def tag(self) -> str:
        """Tag name in lower case."""
        return self.page.host.tag(self.node)

    @property
    def text(self) -> At:
        """Visible text: white space is collapsed, blocks and line breaks are line feeds, and the
        ends are trimmed.
        """
        return At(self.page.host.text_of(self.node), self)

    @property
    def own_text(self) -> At:
        """As `text`, without the text of child elements."""
        return At(self.page.host.own_text(self.node), self)

    @property
    def html(self) -> str:
        """The element as HTML."""
        return self.page.host.html_of(self.node)

    @property
    def attributes(self) -> dict[str, str]:
        """All attributes, in source order."""
        return dict(self.page.host.attributes(self.node))

    @property
    def classes(self) -> list[str]:
        """Names in the `class` attribute."""
        return (self.page.host.attribute(self.node, "class") or "").split()

    def attr(self, name: str) -> At | None:
        """An attribute as written; `None` if it is missing."""
        value = self.page.host.attribute(self.node, name)
        return None if value is None else At(value, self)

    def __getitem__(self, name: str) -> At:
        value = self.attr(name)
        if value is None:
            raise KeyError(f"{self!r} has no attribute {name}")
        return value

    def url(self, name: str = "href") -> At | None:
        """An attribute with a reference, as an absolute URL."""
        reference = self.page.host.attribute(self.node, name)
        address = None if reference is None else self.page.host.resolve(reference)
        return None if address is None else At(address, self)

    def select(self, css: str) -> list[Element]:
        """Elements below this one that match a CSS selector, in document order."""
        try:
            return self._elements(self.page.host.select(self.node, css))
        except wire.Err as error:
            raise InvalidSelector(error.value.message) from None

    def first(self, css: str) -> Element | None:
        """First element below this one that matches a CSS selector."""
        found = self.select(css)
        return found[0] if found else None

    def text_of(self, css: str) -> At | None:
        """Text of the first match; `None` if there is no match or it has no text."""
        found = self.first(css)
        return (found.text or None) if found else None

    def matches(self, css: str) -> bool:
        """Returns true if this element matches a CSS selector."""
        try:
            return self.page.host.matches(self.node, css)
        except wire.Err as error:
            raise InvalidSelector(error.value.message) from None

    def table(self, rows: str, **columns: str) -> list[Row]:
        """Selects rows and their cells in one call to the host, many times faster than a call for
        each cell.

        Each element that matches `rows` is a row. A column is a selector, whose first match in the
        row counts, followed by the value to take: `"h3"` for its text, `"h3::own-text"`,
        `"div::html"`, `"time::attr(datetime)"`, or `"a::url(href)"`. Without a selector it applies
        to the row itself: `"::attr(id)"`.
        """
        wanted = [wire.Column(*_column(column)) for column in columns.values()]
        try:
            found = self.page.host.table(self.node, rows, wanted)
        except wire.Err as error:
            raise InvalidSelector(error.value.message) from None
        return [self._row(row, columns) for row in found]

    def labelled(self) -> dict[str, At]:
        """Labelled values, by label: `page.labelled().get("closing date")`. Labels are in lower
        case and without a colon; the first of equal ones counts. They are found in `dt`/`dd`, in
        `th`/`td`, and in lines `Label: value` of list items, paragraphs, and elements that contain
        bold text.
        """
        return labelled(self)

    def at(self, text: str) -> At:
        """A text derived from this element."""
        return At(text, self)

    @property
    def parent(self) -> Element | None:
        """Parent of the element; `None` for the document itself."""
        node = self.page.host.parent(self.node)
        return None if node is None else Element(self.page, node)

    @property
    def ancestors(self) -> Iterator[Element]:
        """The parent, its parent, and so on up to the document itself."""
        above = self.parent
        while above is not None:
            yield above
            above = above.parent

    @property
    def children(self) -> list[Element]:
        """Child elements, without text."""
        return self._elements(self.page.host.children(self.node))

    def _elements(self, nodes: list[int]) -> list[Element]:
        return [Element(self.page, node) for node in nodes]

    def _row(self, row: wire.Row, columns: dict[str, str]) -> Row:
        cells = {
            name: None if cell is None else At(cell.text, Element(self.page, cell.node))
            for name, cell in zip(columns, row.cells, strict=True)
        }
        return Row(Element(self.page, row.node), cells)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Element) and self.node == other.node and self.page is other.page

    def __hash__(self) -> int:
        return hash(self.node)

    def __repr__(self) -> str:
        return f"<{self.tag}>#{self.node}"


class Row:
    """One row of a table: `row["title"]` is the cell of a column, `None` if there was no match."""

    __slots__ = ("cells", "element")

    def __init__(self, element: Element, cells: dict[str, At | None]) -> None:
        self.element = element
        """The element that matched the row's selector."""
        self.cells = cells
        """All cells by column name."""

    def __getitem__(self, column: str) -> At | None:
        return self.cells[column]

    def __repr__(self) -> str:
        return f"Row({self.cells!r})"


# Matches the value to take, after the selector of a column.
_TAKE = re.compile(r"::(text|own-text|html|(attr|url)\(([^()]+)\))$")


def _column(column: str) -> tuple[str, str]:
    """Converts a column to the contract's form: the selector, and the value to take."""
    match = _TAKE.search(column)
    if match is None:
        return column, "text"
    css = column[: match.start()].strip()
    whole, function, name = match.groups()
    if function is None:
        return css, whole
    return css, f"@{name}" if function == "attr" else f"url:{name}"
