"""What to ask a search engine for sites that know an object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .clustering import NAMES, words
from .record import Record

# Words of a query without quotes. Search engines weigh the first few and drop the rest.
MOST_WORDS = 12

# A longer name is hardly written the same anywhere.
MOST_QUOTED = 80


@dataclass(frozen=True)
class Query:
    """A query for a search engine."""

    text: str
    """What to type."""
    purpose: Literal["identifier", "exact", "loose"] = "loose"
    """`identifier`: a number that only this object has; `exact`: its name in quotes with what tells it apart."""


def queries(record: Record) -> list[Query]:
    """Queries by the schema: identifiers, the name in quotes with what else is marked `query`, and loose words."""
    found, parts = [], []
    for attribute, value in record.values():
        text = str(value).strip()
        # A shop's own number means nothing to other sites.
        if attribute.kind.startswith("identifier:") and attribute.kind != "identifier:sku":
            found.append(Query(text, "identifier"))
        elif attribute.query and attribute.kind == "date-time":
            parts.append(text[:4])
        elif attribute.query and attribute.kind in NAMES:
            parts.append(text)
    if not parts:
        return found
    name, *rest = parts
    if len(name) <= MOST_QUOTED and '"' not in name:
        found.append(Query(" ".join([f'"{name}"', *rest]), "exact"))
    loose = [word for part in parts for word in words(part)]
    return [*found, Query(" ".join(loose[:MOST_WORDS]), "loose")]
