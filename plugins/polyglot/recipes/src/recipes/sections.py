"""Finds the parts of a page with the ingredients and with the steps.

Classes (`class="recipe-ingredients"`) and headings ("Zutaten") indicate ranges of the page. Each range
is judged by the form of its lines, and the best one is used.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from magpie_vertical import At

from .layout import HEADINGS, Heading, Layout
from .texts import bare_lines
from .vocabulary import INGREDIENT_CLASS, INGREDIENTS, INSTRUCTION_CLASS, INSTRUCTIONS, OTHERS

# Maximum number of ranges of each sort to judge; pages with one recipe have about a dozen.
MOST_STRETCHES = 40

# Maximum number of nodes of a range. A longer one is the whole page, or hostile.
MOST_NODES = 4_000

# Maximum number of items of a range; no recipe has more.
MOST_ITEMS = 300

# Maximum number of kinds of elements in a range to judge.
MOST_KINDS = 6

# Elements that sites use for rows instead of lists.
ROWS = frozenset("div p span section article label a h4 h5 h6".split())

# Minimum share of good items below an unknown heading for the list to continue there.
GOES_ON = 0.6

NUMBER = re.compile(
    r"[0-9¼½¾⅐-⅞一二三四五六七八九十半]|^(?:an?|one|two|three|half|ein|eine|un|une|uma?|een|en|et)\b", re.IGNORECASE
)


# Number of characters at the beginning of an ingredient that may contain the amount.
AMOUNT_PLACE = 40


@dataclass(frozen=True)
class Part:
    """A part of a recipe to find: ingredients or steps."""

    classes: re.Pattern[str]
    headings: frozenset[str]
    stops: frozenset[str]
    worth: Callable[[str], float]
    """Evidence of a line that the range is this part; negative if against."""
    least: float
    """Minimum sum of the evidence of all lines."""


def worth_of_ingredient(text: str) -> float:
    """Returns the evidence of an ingredient. Ingredients are short, and most begin with a number."""
    if len(text) > 220:
        return -3.0
    if len(text) > 120:
        return -0.5
    if NUMBER.search(text[:AMOUNT_PLACE]):
        return 1.0
    return 0.4 if len(text) < 60 and not text.endswith((".", "!", "?")) else -0.4


def worth_of_step(text: str) -> float:
    """Returns the evidence of a step. Steps are sentences."""
    if len(text) < 15 or " " not in text.strip() and len(text) < 40 and text.isascii():
        return -0.5
    if len(text) < 40:
        return 0.3
    return 1.0 if len(text) < 1500 else -1.0


INGREDIENT_PART = Part(INGREDIENT_CLASS, INGREDIENTS, INSTRUCTIONS | OTHERS, worth_of_ingredient, 1.4)
STEP_PART = Part(INSTRUCTION_CLASS, INSTRUCTIONS, INGREDIENTS | OTHERS, worth_of_step, 0.6)


@dataclass
class Found:
    """A range of the page with its items."""

    start: int
    end: int
    items: list[At]
    worth: float


def find(layout: Layout, part: Part, taken: frozenset[int] = frozenset()) -> Found | None:
    """Returns the best range of the page, without items that are taken; the first of equals. A
    class is explicit, while a heading may be above an introduction, so classes are tried first."""
    for stretches in (by_class(layout, part), by_heading(layout, part)):
        found = [judged(layout, part, start, end, taken) for start, end in stretches]
        best = max(found, key=lambda each: each.worth, default=None)
        if best and best.worth >= part.least:
            return best
    return None


def by_class(layout: Layout, part: Part) -> list[tuple[int, int]]:
    """Returns elements with a class for the part, except those of single items."""
    found = []
    for node in sorted(layout.classes):
        if layout.around[node] or layout.tags[node] in ("html", "body", "input", "img", "a", "button"):
            continue
        if 4 < layout.ends[node] - node < MOST_NODES and part.classes.search(layout.classes[node]):
            found.append((node, layout.ends[node]))
    # The outermost elements are the lists; their items are many and small.
    return sorted(found, key=lambda each: each[0] - each[1])[:MOST_STRETCHES]


def by_heading(layout: Layout, part: Part) -> list[tuple[int, int]]:
    """Returns the ranges from each heading of the part to the next heading that ends it."""
    places = [place for place, heading in enumerate(layout.headings) if names(heading, part.headings)]
    starts = [layout.headings[place].end for place in places[:MOST_STRETCHES]]
    return [(start, section_end(layout, part, place)) for start, place in zip(starts, places, strict=False)]


def names(heading: Heading, known: frozenset[str]) -> bool:
    """Returns true for a known heading, perhaps followed by more: `Ingredients (4 servings)`."""
    words = heading.words
    if words in known:
        return True
    if heading.level > 6 and len(words) > 40:
        return False
    start = re.split(r"\s*[(:,–-]|\s+(?:for|für|pour|para|per|voor|til|na|pro)\s|\s*\d", words, maxsplit=1)[0]
    return start in known or (heading.level < 7 and words.split(" ")[-1] in known and len(words) < 40)


def section_end(layout: Layout, part: Part, place: int) -> int:
    """Returns the end of the section of a heading, given by its index."""
    headings, first = layout.headings, layout.headings[place]
    limit = min(first.end + MOST_NODES, len(layout.tags))
    for later in range(place + 1, len(headings)):
        heading = headings[later]
        if heading.node >= limit:
            break
        if heading.node < first.end:
            continue
        if names(heading, part.stops):
            return heading.node
        if heading.level <= min(first.level, 6) and not goes_on(layout, part, later):
            return heading.node
    return limit


def goes_on(layout: Layout, part: Part, place: int) -> bool:
    """Returns true if the list of ingredients continues below an unknown heading: `For the dough`."""
    if part is STEP_PART:
        return False
    start = layout.headings[place].end
    following = range(place + 1, len(layout.headings))
    end = next((layout.headings[later].node for later in following if layout.headings[later].level < 7), None)
    below = items(layout, part, start, len(layout.tags) if end is None else end)
    fitting = sum(part.worth(text) >= 1.0 for text in below)
    return fitting >= max(1.0, GOES_ON * len(below))


def judged(layout: Layout, part: Part, start: int, end: int, taken: frozenset[int] = frozenset()) -> Found:
    """Returns a range with its items and their evidence."""
    found = [item for item in items(layout, part, start, end) if item.element.node not in taken]
    worth = sum(map(part.worth, found))
    # A list of links leads to other pages, unless it has amounts.
    worth -= sum(is_link(layout, each.element.node) and not NUMBER.search(each) for each in found)
    return Found(start, end, found, worth)


def items(layout: Layout, part: Part, start: int, end: int) -> list[At]:
    """Returns the items of a range: those of its lists, else rows, pairs, similar elements,
    paragraphs, or lines."""
    end = min(end, start + MOST_NODES)
    for found in (
        leaves(layout, "li", start, end),
        leaves(layout, "tr", start, end),
        leaves(layout, "dd", start, end),
        alike(layout, part, start, end),
        leaves(layout, "p", start, end),
    ):
        texts = [line for node in found[:MOST_ITEMS] for line in item_lines(layout, node)]
        if len(texts) > 1 or (texts and part is STEP_PART):
            return cleaned(part, texts)
    return cleaned(part, stretch_lines(layout, start, end))


def leaves(layout: Layout, tag: str, start: int, end: int) -> list[int]:
    """Returns elements with a tag that contain no other element with it, and more than a heading."""
    found = [node for node in layout.elements(start, end, tag) if layout.ends[node] <= end]
    inner = [node for node, after in zip(found, [*found[1:], end], strict=False) if layout.ends[node] <= after]
    return [node for node in inner if not is_heading(layout, node)]


def is_heading(layout: Layout, node: int) -> bool:
    """Returns true if an element contains a heading and nothing else."""
    inside = layout.elements(node, layout.ends[node], *HEADINGS)
    return bool(inside) and layout.written(inside[0]) == layout.written(node)


def alike(layout: Layout, part: Part, start: int, end: int) -> list[int]:
    """Returns several elements with one tag and class, those whose texts look most like items."""
    kinds: dict[str, list[int]] = {}
    for node in range(start, min(end, len(layout.tags))):
        if layout.tags[node] in ROWS and layout.ends[node] <= end and not layout.around[node]:
            kinds.setdefault(f"{layout.tags[node]} {layout.classes.get(node, '')}", []).append(node)
    several = [nodes for nodes in kinds.values() if 1 < len(nodes) <= MOST_ITEMS and not nested(layout, nodes)]
    # The largest come first, since an item contains its amount and its name.
    several.sort(key=lambda nodes: -sum(layout.ends[node] - node for node in nodes))
    return max(several[:MOST_KINDS], key=lambda nodes: worth_together(layout, part, nodes), default=[])


def nested(layout: Layout, nodes: list[int]) -> bool:
    """Returns true if one of the elements contains the next."""
    return any(layout.ends[node] > after for node, after in pairwise(nodes))


def worth_together(layout: Layout, part: Part, nodes: list[int]) -> float:
    """Returns the evidence of the texts of the elements."""
    return sum(part.worth(text) for node in nodes if (text := layout.text(node)))


def item_lines(layout: Layout, node: int) -> list[At]:
    """Returns the text of an item. Each line of a paragraph is an item. The term of a definition
    belongs to it."""
    tag = layout.tags[node]
    if tag in ("p", "div") and "br" in layout.tags[node : layout.ends[node]]:
        element = layout.page.outline[node].element
        return [At(line, element) for line in bare_lines(element.text)]
    text = layout.text(node)
    if tag == "dd":
        terms = layout.elements(layout.parents[node], node, "dt")
        if terms:
            text = At(f"{layout.text(terms[-1])} {text}", text.element)
    return [text] if text else []


def stretch_lines(layout: Layout, start: int, end: int) -> list[At]:
    """Returns all lines of a range, from the outermost elements that are completely in it."""
    found: list[At] = []
    node = start
    while node < end and node < len(layout.tags) and len(found) < MOST_ITEMS:
        if layout.ends[node] > end:
            node += 1
            continue
        if not layout.around[node] and layout.written(node):
            element = layout.page.outline[node].element
            found += [At(line, element) for line in bare_lines(element.text)]
        node = layout.ends[node]
    return found


def cleaned(part: Part, texts: list[At]) -> list[At]:
    """Removes headings and duplicates from items."""
    kept: dict[str, At] = {}
    for text in texts:
        words = text.casefold().strip(" :.")
        if words in part.headings or words in part.stops:
            continue
        if part is INGREDIENT_PART and text.endswith(":"):
            continue
        kept.setdefault(words, text)
    return list(kept.values())


def is_link(layout: Layout, node: int) -> bool:
    """Returns true if an item is only a link to another page."""
    links = [each for each in layout.elements(node, layout.ends[node], "a") if layout.ends[each] <= layout.ends[node]]
    return len(links) == 1 and len(layout.written(links[0])) >= 0.9 * len(layout.written(node)) > 0
