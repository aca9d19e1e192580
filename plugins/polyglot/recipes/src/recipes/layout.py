"""A page as a list of elements with range, tag and classes, which is searched without calls to the
host."""

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property

from magpie_vertical import At, Page

from .texts import bare
from .vocabulary import AROUND_CLASS, INGREDIENT_CLASS

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")

# Elements that are a heading if a word for headings is all of their text.
HEADING_LIKE = frozenset("p div span strong b dt th td legend button a label summary em u li section header".split())

# Elements that contain no part of a recipe.
AROUND_TAGS = frozenset("nav footer select aside script style noscript template iframe svg".split())

# Maximum share of a page in an element around the recipe. Larger elements are the page's frame.
FRAME_SHARE = 0.4

# Maximum number of characters and nodes of a heading.
HEADING_CHARACTERS, HEADING_NODES = 80, 12

# A number and a word, or two words, without a space between.
NUMBER_AND_WORD = re.compile(r"[0-9¼½¾⅐-⅞][^\W\d_]")
TWO_WORDS = re.compile(r"[\w.]\w")

WHITE_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class Heading:
    """A line that names the content after it."""

    node: int
    end: int
    """End of its element."""
    level: int
    """Level: 1 to 6, or 7 for a line that only looks like a heading."""
    words: str
    """Text in lower case, without surrounding punctuation."""


class Layout:
    """The elements of a page by index in document order."""

    def __init__(self, page: Page) -> None:
        self.page = page
        outline = page.outline
        self.ends, self.parents = outline.ends, outline.parents
        self.tags = [outline.tag_names[tag] for tag in outline.tags]
        self.classes: dict[int, str] = {}
        for name in ("class", "id", "itemprop"):
            for element, value in page.having(name):
                known = self.classes.get(element.node)
                self.classes[element.node] = f"{known} {value}" if known else value
        self.around = self._around()
        self._texts: dict[int, At] = {}

    def elements(self, start: int, end: int, *tags: str) -> list[int]:
        """Returns the elements with these tags that begin in a range."""
        found = []
        for tag in tags:
            places = self._by_tag.get(tag, [])
            found += places[bisect_left(places, start) : bisect_left(places, end)]
        return sorted(found) if len(tags) > 1 else found

    def text(self, node: int) -> At:
        """Returns the text of an element in one line, without a bullet."""
        found = self._texts.get(node)
        if found is None:
            text = self.page.outline[node].element.text
            found = self._texts[node] = At(bare(self._apart(node, text)), text.element)
        return found

    def _apart(self, node: int, text: str) -> str:
        """Separates texts that only the style sheet separates: `<b>2</b><span>cups</span>`."""
        before, place = "", node
        for below in range(node + 1, self.ends[node]):
            if self.tags[below] == "#text":
                part = self.page.outline.text(below)
                ends = before[-1:] + part[:1]
                if NUMBER_AND_WORD.search(ends) or (TWO_WORDS.search(ends) and self._side_by_side(place, below)):
                    last, first = before.split()[-1], part.split()[0]
                    text = text.replace(last + first, f"{last} {first}", 1)
                before, place = part, below
        return text

    def _side_by_side(self, one: int, other: int) -> bool:
        """Returns true if two texts are in adjacent elements with a class each."""
        left, right = self.parents[one], self.parents[other]
        beside = left != right and self.parents[left] == self.parents[right]
        return beside and left in self.classes and right in self.classes

    def written(self, node: int) -> str:
        """Returns the text of an element with white space collapsed. It is faster than `text`, but
        words may touch."""
        return WHITE_SPACE.sub(" ", self.page.outline.text(node)).strip()

    @cached_property
    def headings(self) -> list[Heading]:
        """Returns all headings in document order, without those around the recipe."""
        found = []
        for node, tag in enumerate(self.tags):
            is_heading = tag in HEADINGS
            if not is_heading and (tag not in HEADING_LIKE or self.ends[node] - node > HEADING_NODES):
                continue
            if self.around[node]:
                continue
            words = self.written(node) if self.ends[node] - node < 60 else ""
            if words and len(words) <= HEADING_CHARACTERS:
                level = int(tag[1]) if is_heading else 7
                found.append(Heading(node, self.ends[node], level, words.casefold().strip(" :.!–-*▢•")))
        return found

    @cached_property
    def _by_tag(self) -> dict[str, list[int]]:
        places: dict[str, list[int]] = {}
        for node, tag in enumerate(self.tags):
            if not self.around[node]:
                places.setdefault(tag, []).append(node)
        return places

    def _around(self) -> bytearray:
        """Marks the nodes around the recipe. Elements that contain the recipe are never marked."""
        count = len(self.tags)
        around = bytearray(count)
        frame = count * FRAME_SHARE
        kept = [node for node, tag in enumerate(self.tags) if tag == "h1"]
        kept += [node for node, names in self.classes.items() if INGREDIENT_CLASS.search(names)]
        kept.sort()
        node = 0
        while node < count:
            end = self.ends[node]
            names = self.classes.get(node)
            if self.tags[node] in AROUND_TAGS or (
                names and AROUND_CLASS.search(names) and end - node < frame and not holds(kept, node, end)
            ):
                around[node:end] = b"\1" * (end - node)
                node = end
            else:
                node += 1
        return around


def holds(places: list[int], start: int, end: int) -> bool:
    """Returns true if a sorted list has an index in a range."""
    place = bisect_left(places, start)
    return place < len(places) and places[place] < end
