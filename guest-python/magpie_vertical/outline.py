"""The tree of a page in the plugin's memory, for algorithms that visit every node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from .element import Element

if TYPE_CHECKING:
    from . import wire
    from .page import Page


class Outline:
    """All nodes of a page, including text nodes, with the same ids as elsewhere."""

    def __init__(self, page: Page, columns: wire.Outline) -> None:
        self.page = page
        """The page."""
        self.parents, self.ends, self.tags = columns.parents, columns.ends, columns.tags
        self.tag_names = columns.tag_names
        # Offsets in the text are in bytes of UTF-8, not in characters.
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
        """Text of a node and its descendants as written, including white space."""
        end = self.ends[node]
        stop = self._starts[end] if end < len(self._starts) else len(self._text)
        return self._text[self._starts[node] : stop].decode(errors="replace")


class OutlineNode:
    """One node of an outline."""

    __slots__ = ("node", "outline")

    def __init__(self, outline: Outline, node: int) -> None:
        self.outline = outline
        """Outline of the node."""
        self.node = node
        """Node id: the index in document order."""

    @property
    def tag(self) -> str:
        """Tag name; `#text` and `#document` for nodes that are not elements."""
        return self.outline.tag_names[self.outline.tags[self.node]]

    @property
    def text(self) -> str:
        """Text of the node as written, including white space."""
        return self.outline.text(self.node)

    @property
    def element(self) -> Element:
        """The same node as an element of the page."""
        return Element(self.outline.page, self.node)

    @property
    def parent(self) -> OutlineNode | None:
        """Parent of the node; `None` for the root."""
        return None if self.node == 0 else OutlineNode(self.outline, self.outline.parents[self.node])

    @property
    def children(self) -> Iterator[OutlineNode]:
        """Children, including text nodes."""
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
