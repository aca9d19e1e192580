"""CSS selectors: names, classes, ids, attributes, the four combinators, and the structural
pseudo-classes (`:nth-child` and the like, `:is`, `:where`, `:not`, `:has`, `:empty`, `:root`,
`:scope`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .. import wire
from .dom import Tree
from .structure import PLAIN, STEPPED, is_nth, steps

PART = re.compile(
    r"""(?P<tag>\*|[a-zA-Z][\w-]*)
    |\#(?P<id>[\w-]+)
    |\.(?P<class>[\w-]+)
    |\[\s*(?P<name>[\w:-]+)\s*((?P<how>[~|^$*]?=)\s*("(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\s\]]+))\s*(?P<case>[iI])?\s*)?\]
    |:(?P<pseudo>[a-z-]+)(?P<open>\()?""",
    re.VERBOSE,
)

GAP = re.compile(r"\s*([>+~])\s*|\s+")

# Pseudo-classes that take selectors.
NESTED = frozenset(["is", "where", "not", "has"])

# Maximum depth of nested selectors; real ones stay below five.
MAX_LEVELS = 16


@dataclass
class Test:
    """One condition on an element."""

    parts: dict[str, str | None]
    selectors: list[list[Compound]] = field(default_factory=list)
    """Arguments of `:is` and the like."""
    step: tuple[int, int] = (0, 0)
    """Argument of `:nth-child` and the like, as `a` and `b` of `an+b`."""


@dataclass
class Compound:
    """Conditions on one element, and its combinator with the compound before."""

    combinator: str
    tests: list[Test] = field(default_factory=list)


def parse(css: str) -> list[list[Compound]]:
    """Parses a selector into its alternatives."""
    return Parser(css).all()


def matches(tree: Tree, node: int, alternatives: list[list[Compound]], scope: int = 0) -> bool:
    """Returns true if an element matches a parsed selector."""
    return any(_matches(tree, node, chain, scope) for chain in alternatives)


class Parser:
    """Parses a selector."""

    def __init__(self, css: str) -> None:
        self.css = css
        self.position = 0
        self.level = 0

    def all(self) -> list[list[Compound]]:
        """Parses the whole text."""
        found = self.alternatives(relative=False)
        if self.position < len(self.css):
            raise self.problem()
        return found

    def alternatives(self, *, relative: bool) -> list[list[Compound]]:
        """Parses selectors separated by commas."""
        found = [self.chain(relative)]
        while self.css.startswith(",", self.position):
            self.position += 1
            found.append(self.chain(relative))
        return found

    def chain(self, relative: bool) -> list[Compound]:
        """Parses compounds separated by combinators. A relative one begins with a combinator: `>
        h3`, or ` h3`.
        """
        self.space()
        chain = [Compound(" " if relative else "")]
        while self.position < len(self.css) and self.css[self.position] not in ",)":
            gap = GAP.match(self.css, self.position)
            if gap and self.css[gap.end() : gap.end() + 1] in ("", ",", ")"):
                if gap[1]:
                    raise self.problem()
                self.space()
                break
            if gap and relative and not chain[0].tests and len(chain) == 1:
                chain[0].combinator = gap[1] or " "
            elif gap:
                chain.append(Compound(gap[1] or " "))
            self.position = gap.end() if gap else self.position
            chain[-1].tests.append(self.test())
        if not all(compound.tests for compound in chain):
            raise self.problem()
        return chain

    def test(self) -> Test:
        """Parses one condition with its arguments."""
        part = PART.match(self.css, self.position)
        if part is None:
            raise self.problem()
        self.position = part.end()
        name, test = part["pseudo"], Test(part.groupdict())
        if name is None or (name in PLAIN and not part["open"]):
            return test
        if not part["open"]:
            raise self.problem()
        if name in NESTED and self.level < MAX_LEVELS:
            self.level += 1
            test.selectors = self.alternatives(relative=name == "has")
            self.level -= 1
        elif name in STEPPED:
            test.step = self.step()
        else:
            raise self.problem()
        if not self.css.startswith(")", self.position):
            raise self.problem()
        self.position += 1
        return test

    def step(self) -> tuple[int, int]:
        """Parses the argument of `:nth-child`: `2n+1`, `odd`, `-n + 3`, `4`."""
        end = self.css.find(")", self.position)
        found = steps(self.css[self.position : end]) if end > 0 else None
        if found is None:
            raise self.problem()
        self.position = end
        return found

    def space(self) -> None:
        """Skips white space."""
        self.position += len(self.css[self.position :]) - len(self.css[self.position :].lstrip())

    def problem(self) -> wire.Err:
        """Returns the error for the current position."""
        message = (
            f"`{self.css}` is not a selector that this replacement of the host supports,"
            f" from character {self.position} on"
        )
        return wire.Err(wire.Error("invalid-selector", message, None, False))


def _matches(tree: Tree, node: int, chain: list[Compound], scope: int) -> bool:
    *before, last = chain
    if not all(_passes(tree, node, test, scope) for test in last.tests):
        return False
    if not before:
        return True
    return any(_matches(tree, other, before, scope) for other in _related(tree, node, last.combinator))


def _related(tree: Tree, node: int, combinator: str) -> list[int]:
    """Elements on the left-hand side of a combinator."""
    if combinator in "+~":
        earlier = [child for child in tree.children(tree.nodes[node].parent) if child < node]
        return earlier[-1:] if combinator == "+" else earlier
    above, parent = [], tree.nodes[node].parent
    while parent > 0:
        above.append(parent)
        parent = tree.nodes[parent].parent
    return above[:1] if combinator == ">" else above


def _has(tree: Tree, node: int, chain: list[Compound]) -> bool:
    """Returns true if a relative selector matches from an element on."""
    first, *rest = chain
    siblings = [child for child in tree.children(tree.nodes[node].parent) if child > node]
    starts = {
        " ": tree.elements(node),
        ">": tree.children(node),
        "+": siblings[:1],
        "~": siblings,
    }[first.combinator]
    if not rest:
        return any(_matches(tree, start, [Compound("", first.tests)], node) for start in starts)
    within = [start for start in starts if _matches(tree, start, [Compound("", first.tests)], node)]
    return any(_has(tree, start, rest) for start in within)


def _passes(tree: Tree, node: int, test: Test, scope: int) -> bool:
    element, parts = tree.nodes[node], test.parts
    if parts["tag"]:
        return parts["tag"] == "*" or parts["tag"].lower() == element.tag
    if parts["id"]:
        return element.attributes.get("id") == parts["id"]
    if parts["class"]:
        return parts["class"] in element.attributes.get("class", "").split()
    if parts["name"]:
        return _attribute_passes(element.attributes.get(parts["name"].lower()), parts)
    match parts["pseudo"]:
        case "is" | "where":
            return matches(tree, node, test.selectors, scope)
        case "not":
            return not matches(tree, node, test.selectors, scope)
        case "has":
            return any(_has(tree, node, chain) for chain in test.selectors)
        case "scope":
            return node == scope or (scope == 0 and element.tag == "html")
        case name:
            return is_nth(tree, node, name or "", test.step)


def _attribute_passes(value: str | None, parts: dict[str, str | None]) -> bool:
    if value is None or not parts["how"]:
        return value is not None
    wanted = parts["double"] or parts["single"] or parts["bare"] or ""
    if parts["case"]:
        value, wanted = value.lower(), wanted.lower()
    match parts["how"]:
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
