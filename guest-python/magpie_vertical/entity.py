"""Structured data, independent of its syntax: JSON-LD, microdata, RDFa, microformats, Open Graph.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .element import At, Element

if TYPE_CHECKING:
    from . import wire
    from .page import Page

# Maximum depth of nested entities; deeper ones are dropped. Real pages stay below ten, but pages
# control the depth.
MAX_DEPTH = 32


class Entity:
    """One entity: a recipe, its author, a step of its instructions.

    Properties are accessed by name, or by a path of names separated by dots:

        event.get("name"), event.get("location.address.postalCode"), event.all("performer")
    """

    __slots__ = ("element", "id", "properties", "syntax", "types")

    def __init__(self, data: dict[str, Any], syntax: str, element: Element | None, depth: int = 0) -> None:
        self.syntax = syntax
        """Syntax of the source: `json-ld`, `microdata`, `rdfa`, `microformats2`, `open-graph`."""
        self.element = element
        """Element that holds the outermost entity; `None` if the host does not know it."""
        self.types: list[str] = [name for name in _listed(data.get("@type")) if isinstance(name, str)]
        """Types of the entity: short names of schema.org (`MusicEvent`), others as written
        (`h-event`).
        """
        self.id: str | None = data.get("@id")
        """The `@id` of the entity."""
        self.properties: dict[str, list[At | str | Entity]] = {
            name: list(self._values(value, depth)) for name, value in data.items() if name not in ("@type", "@id")
        }
        """All properties with their values, in order."""

    def is_a(self, wanted: str) -> bool:
        """Returns true if it has a type. `Event` matches exactly this type, `*Event` every type
        with this ending (`MusicEvent`).
        """
        if wanted.startswith("*"):
            return any(name.endswith(wanted[1:]) for name in self.types)
        return wanted in self.types

    def get(self, path: str) -> str | None:
        """First text at a path; see `all`."""
        return next(self._texts(path), None)

    def all(self, path: str) -> list[str]:
        """All texts at a path, in order. Numbers and booleans are converted to text. An entity is
        replaced by its `name`, since sites write `"author": "Ada"` as often as the long form.
        """
        return list(self._texts(path))

    def entity(self, path: str) -> Entity | None:
        """First entity at a path."""
        return next(iter(self.entities(path)), None)

    def entities(self, path: str) -> list[Entity]:
        """Entities at a path."""
        return [value for value in self.values(path) if isinstance(value, Entity)]

    def values(self, path: str) -> list[At | str | Entity]:
        """Texts and entities at a path, in order."""
        *prefix, name = path.split(".")
        holders = [self]
        for step in prefix:
            holders = [below for holder in holders for below in holder.entities(step)]
        return [value for holder in holders for value in holder.properties.get(name, [])]

    def walk(self) -> Iterator[Entity]:
        """This entity and all below it, in document order."""
        waiting = [self]
        while waiting:
            entity = waiting.pop()
            yield entity
            below = [value for values in entity.properties.values() for value in values if isinstance(value, Entity)]
            waiting.extend(reversed(below))

    def _texts(self, path: str) -> Iterator[str]:
        for value in self.values(path):
            text = value.get("name") or value.get("@value") if isinstance(value, Entity) else value
            if text and not text.isspace():
                yield text

    def _values(self, value: Any, depth: int) -> Iterator[At | str | Entity]:
        for each in _listed(value):
            if isinstance(each, dict):
                if depth < MAX_DEPTH:
                    yield Entity(each, self.syntax, self.element, depth + 1)
            elif isinstance(each, bool):
                yield self._with_element("true" if each else "false")
            elif isinstance(each, (str, int, float)):
                yield self._with_element(str(each))

    def _with_element(self, text: str) -> At | str:
        text = text.strip()
        return text if self.element is None else At(text, self.element)

    def __repr__(self) -> str:
        return f"Entity({self.types}, name={self.get('name')!r})"


def read_entities(page: Page, items: list[wire.StructuredItem]) -> list[Entity]:
    """Converts the outermost entities from the host."""
    entities = []
    for item in items:
        data = json.loads(item.json)
        data.setdefault("@type", item.types)
        entities.append(Entity(data, item.syntax, None if item.node is None else Element(page, item.node)))
    return entities


def _listed(value: Any) -> list[Any]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
