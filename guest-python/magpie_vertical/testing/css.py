"""CSS selectors of everyday use: names, classes, ids, attributes, the four combinators, and a few pseudo-classes."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .. import wire
from .dom import Tree

PART = re.compile(
    r"""(?P<tag>\*|[a-zA-Z][\w-]*)
    |\#(?P<id>[\w-]+)
    |\.(?P<class>[\w-]+)
    |\[\s*(?P<name>[\w:-]+)\s*((?P<how>[~|^$*]?=)\s*("(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\s\]]+))\s*(?P<case>[iI])?\s*)?\]
    |:(?P<pseudo>first-child|last-child|not\((?P<inner>[^()]+)\))""",
    re.VERBOSE,
)


@dataclass
class Compound:
    """Tests on one element, and how it is tied to the one before."""

    combinator: str
    tests: list[dict[str, str | None]] = field(default_factory=list)


def parse(css: str) -> list[list[Compound]]:
    """The alternatives of a selector."""
    return [_chain(alternative.strip(), css) for alternative in re.split(r",(?![^\[(]*[\])])", css)]


def matches(tree: Tree, node: int, alternatives: list[list[Compound]]) -> bool:
    """Whether an element matches a parsed selector."""
    return any(_matches(tree, node, chain) for chain in alternatives)


def _chain(text: str, css: str) -> list[Compound]:
    chain, place = [Compound("")], 0
    while place < len(text):
        gap = re.compile(r"\s*([>+~])\s*|\s+").match(text, place)
        if gap:
            chain.append(Compound(gap.group(1) or " "))
            place = gap.end()
        part = PART.match(text, place)
        if part is None:
            break
        chain[-1].tests.append(part.groupdict())
        place = part.end()
    if place < len(text) or not all(compound.tests for compound in chain):
        message = f"`{css}` is no selector that this stand-in for the host understands"
        raise wire.Err(wire.Error("invalid-selector", message, None, False))
    return chain


def _matches(tree: Tree, node: int, chain: list[Compound]) -> bool:
    *before, last = chain
    if not all(_passes(tree, node, test) for test in last.tests):
        return False
    if not before:
        return True
    return any(_matches(tree, other, before) for other in _related(tree, node, last.combinator))


def _related(tree: Tree, node: int, combinator: str) -> list[int]:
    """The elements that may stand on the other side of a combinator."""
    if combinator in "+~":
        earlier = [child for child in tree.children(tree.nodes[node].parent) if child < node]
        return earlier[-1:] if combinator == "+" else earlier
    above, parent = [], tree.nodes[node].parent
    while parent > 0:
        above.append(parent)
        parent = tree.nodes[parent].parent
    return above[:1] if combinator == ">" else above


def _passes(tree: Tree, node: int, test: dict[str, str | None]) -> bool:
    element = tree.nodes[node]
    if test["tag"]:
        return test["tag"] in ("*", element.tag)
    if test["id"]:
        return element.attributes.get("id") == test["id"]
    if test["class"]:
        return test["class"] in element.attributes.get("class", "").split()
    if test["name"]:
        return _attribute_passes(element.attributes.get(test["name"].lower()), test)
    if test["inner"]:
        return not matches(tree, node, parse(test["inner"]))
    siblings = tree.children(element.parent)
    return node == siblings[0 if test["pseudo"] == "first-child" else -1]


def _attribute_passes(value: str | None, test: dict[str, str | None]) -> bool:
    if value is None or not test["how"]:
        return value is not None
    wanted = test["double"] or test["single"] or test["bare"] or ""
    if test["case"]:
        value, wanted = value.lower(), wanted.lower()
    match test["how"]:
        case "=":
            return value == wanted
        case "~=":
            return wanted in value.split()
        case "|=":
            return value == wanted or value.startswith(f"{wanted}-")
        case "^=":
            return bool(wanted) and value.startswith(wanted)
        case "$=":
            return bool(wanted) and value.endswith(wanted)
    return bool(wanted) and wanted in value
