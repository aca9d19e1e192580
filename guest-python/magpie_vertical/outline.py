"""The tree of a page in the plugin's own memory, for algorithms that look at every node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .element import Element

if TYPE_CHECKING:
    from . import wire
    from .page import Page


class Outline:
    """All nodes of a page, text nodes among them, with the same numbers as elsewhere."""

    def __init__(self, page: Page, columns: wire.Outline) -> None:
        self.page = page
        """The page."""
        self.parents, self.ends, self.tags = columns.parents, columns.ends, columns.tags
        self.tag_names = columns.tag_names
        # Places in the text are counted in bytes of UTF-8, not in characters.
        self._text = columns.text.encode()
        self._starts = columns.starts

    def __len__(self) -> int:
        return len(self.parents)

    def __getitem__(self, node: int) -> OutlineNode:
        if not 0 <= node < len(self.parents):
            raise IndexError(f"the page has no node {node}")
        return OutlineNode(self, node)

    def __iter__(self) -> Iterator[OutlineNode]:
        return (OutlineNode(self, node) for node in range(len(self.parents)))

    def text(self, node: int) -> str:
        """The text of a node and its descendants as written, white space and all."""
        end = self.ends[node]
        stop = self._starts[end] if end < len(self._starts) else len(self._text)
        return self._text[self._starts[node] : stop].decode(errors="replace")


class OutlineNode:
    """One node of an outline."""

    __slots__ = ("node", "outline")

    def __init__(self, outline: Outline, node: int) -> None:
        self.outline = outline
        """The outline it belongs to."""
        self.node = node
        """Its number: its place in document order."""

    @property
    def tag(self) -> str:
        """The tag's name; `#text` and `#document` for what is no element."""
        return self.outline.tag_names[self.outline.tags[self.node]]

    @property
    def text(self) -> str:
        """Its text as written, white space and all."""
        return self.outline.text(self.node)

    @property
    def element(self) -> Element:
        """The same node as an element of the page."""
        return Element(self.outline.page, self.node)

    @property
    def parent(self) -> OutlineNode | None:
        """The parent; none for the root."""
        return None if self.node == 0 else OutlineNode(self.outline, self.outline.parents[self.node])

    @property
    def children(self) -> Iterator[OutlineNode]:
        """The children, text nodes among them."""
        child, end = self.node + 1, self.outline.ends[self.node]
        while child < end:
            yield OutlineNode(self.outline, child)
            child = self.outline.ends[child]

    @property
    def descendants(self) -> Iterator[OutlineNode]:
        """All nodes below this one, in document order."""
        return (OutlineNode(self.outline, node) for node in range(self.node + 1, self.outline.ends[self.node]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OutlineNode) and self.node == other.node and self.outline is other.outline

    def __hash__(self) -> int:
        return hash(self.node)

    def __repr__(self) -> str:
        return f"<{self.tag}>#{self.node}"
