"""Pseudo-classes for the position of an element: `:first-child`, `:nth-of-type(2n+1)`, `:empty`."""

from __future__ import annotations

import re

from .dom import Tree

# Pseudo-classes without arguments.
PLAIN = frozenset("first-child last-child only-child first-of-type last-of-type only-of-type empty root scope".split())

# Pseudo-classes with an `an+b` argument.
STEPPED = frozenset("nth-child nth-last-child nth-of-type nth-last-of-type".split())

STEP = re.compile(r"(?P<a>[+-]?\d*)n(\s*(?P<b>[+-]\s*\d+))?|(?P<only>[+-]?\d+)", re.IGNORECASE)


def steps(text: str) -> tuple[int, int] | None:
    """Parses `an+b` into its two numbers."""
    text = {"odd": "2n+1", "even": "2n"}.get(text.strip().lower(), text.strip())
    match = STEP.fullmatch(text)
    if match is None:
        return None
    if match["only"]:
        return 0, int(match["only"])
    a = match["a"] + "1" if match["a"] in ("", "+", "-") else match["a"]
    return int(a), int((match["b"] or "0").replace(" ", ""))


def is_nth(tree: Tree, node: int, name: str, step: tuple[int, int]) -> bool:
    """Returns true if an element has the position of a pseudo-class."""
    element = tree.nodes[node]
    if name == "root":
        return element.tag == "html"
    if name == "empty":
        return not any(each.tag != "#text" or each.text for each in tree.nodes[node + 1 : element.end])
    siblings = tree.children(element.parent)
    if name.endswith("of-type"):
        siblings = [each for each in siblings if tree.nodes[each].tag == element.tag]
    if name.startswith("only"):
        return len(siblings) == 1
    if "last" in name:
        siblings.reverse()
    position = siblings.index(node) + 1
    if name.startswith(("first", "last")):
        return position == 1
    a, b = step
    return position == b if a == 0 else (position - b) % a == 0 and (position - b) // a >= 0
