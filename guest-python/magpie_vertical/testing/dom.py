"""A small HTML tree, in document order."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

# Elements without end tag.
VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())

# Elements that start a new line of visible text.
BLOCKS = frozenset(
    "address article aside blockquote br dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5"
    " h6 header hr legend li main nav ol option p pre section summary table tbody td tfoot th thead tr ul".split()
)

# Elements whose text is invisible.
HIDDEN = frozenset("script style template noscript".split())

# Open elements that a start tag closes.
ENDS = {
    "li": {"li"},
    "dt": {"dt", "dd"},
    "dd": {"dt", "dd"},
    "tr": {"tr", "td", "th"},
    "td": {"td", "th"},
    "th": {"td", "th"},
    "option": {"option"},
    "p": {"p"},
}


@dataclass
class Node:
    """An element, a text, or the document."""

    tag: str
    parent: int
    attributes: dict[str, str] = field(default_factory=dict)
    text: str = ""
    end: int = 0
    """One past the last descendant."""


class Tree(HTMLParser):
    """All nodes in document order; the root is 0."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.nodes = [Node("#document", 0)]
        self._open = [0]

    @classmethod
    def parse(cls, text: str) -> Tree:
        """Parses a page."""
        tree = cls()
        tree.feed(text)
        tree.close()
        while tree._open:
            tree._end_innermost()
        return tree

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Called by the parser."""
        while self.nodes[self._open[-1]].tag in ENDS.get(tag, ()):
            self._end_innermost()
        self._add(Node(tag, self._open[-1], {name: value or "" for name, value in reversed(attrs)}))
        if tag not in VOID:
            self._open.append(len(self.nodes) - 1)

    def handle_endtag(self, tag: str) -> None:
        """Called by the parser."""
        if any(self.nodes[node].tag == tag for node in self._open):
            while self.nodes[self._open[-1]].tag != tag:
                self._end_innermost()
            self._end_innermost()

    def handle_data(self, data: str) -> None:
        """Called by the parser."""
        self._add(Node("#text", self._open[-1], text=data))

    def elements(self, scope: int) -> list[int]:
        """Elements below a node."""
        below = range(scope + 1, self.nodes[scope].end)
        return [node for node in below if not self.nodes[node].tag.startswith("#")]

    def children(self, node: int) -> list[int]:
        """Child elements of a node."""
        return [child for child in self.elements(node) if self.nodes[child].parent == node]

    def source(self, node: int) -> str:
        """All text below a node as written, visible or not."""
        return "".join(each.text for each in self.nodes[node : self.nodes[node].end])

    def visible(self, node: int, own: bool = False) -> str:
        """Visible text of a node."""
        parts = []
        below, end = node, self.nodes[node].end
        while below < end:
            each = self.nodes[below]
            if each.tag in HIDDEN and below != node:
                below = each.end
                continue
            if each.tag in BLOCKS:
                parts.append("\0")
            if not own or each.parent == node or below == node:
                parts.append(each.text)
            # Text after a block is on a new line too; a block ends where its descendants end.
            below += 1
            parts += ["\0" for above in self._ending_at(below, node) if self.nodes[above].tag in BLOCKS]
        lines = [" ".join(line.split()) for line in "".join(parts).split("\0")]
        return "\n".join(line for line in lines if line)

    def markup(self, node: int) -> str:
        """A node as HTML."""
        each = self.nodes[node]
        if each.tag == "#text":
            return html.escape(each.text, quote=False)
        below = "".join(self.markup(child) for child in range(node + 1, each.end) if self.nodes[child].parent == node)
        if each.tag == "#document":
            return below
        attributes = "".join(f' {name}="{html.escape(value)}"' for name, value in each.attributes.items())
        return f"<{each.tag}{attributes}>" + ("" if each.tag in VOID else f"{below}</{each.tag}>")

    def language(self) -> str | None:
        """Language declared by the page."""
        tags = (each.attributes.get("lang", "") for each in self.nodes if each.tag == "html")
        return next((tag for tag in tags if re.fullmatch(r"[A-Za-z]{2,3}(-\w+)*", tag)), None)

    def _ending_at(self, index: int, scope: int) -> list[int]:
        ending, node = [], index - 1
        while node > scope and self.nodes[node].end == index:
            ending.append(node)
            node = self.nodes[node].parent
        return ending

    def _add(self, node: Node) -> None:
        node.end = len(self.nodes) + 1
        self.nodes.append(node)

    def _end_innermost(self) -> None:
        self.nodes[self._open.pop()].end = len(self.nodes)
