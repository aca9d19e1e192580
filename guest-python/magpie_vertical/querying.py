"""Search engine queries that find sites with an object."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .clustering import NAMES, words
from .record import Record

# Maximum number of words of a query without quotes. Search engines weigh the first few and drop the
# rest.
MAX_WORDS = 12

# Maximum length of a quoted name; other sites rarely repeat a longer one exactly.
MAX_QUOTED = 80


@dataclass(frozen=True)
class Query:
    """A query for a search engine."""

    text: str
    """Text of the query."""
    purpose: Literal["identifier", "exact", "loose"] = "loose"
    """`identifier`: an identifier that only this object has; `exact`: its name in quotes with
    distinguishing words.
    """


def queries(record: Record) -> list[Query]:
    """Queries by the schema: identifiers, the name in quotes with other values marked `query`, and
    loose words.
    """
    found, parts = [], []
    for attribute, value in record.values():
        text = str(value).strip()
        # A shop's own product id is unknown to other sites.
        if attribute.kind.startswith("identifier:") and attribute.kind != "identifier:sku":
            found.append(Query(text, "identifier"))
        elif attribute.query and attribute.kind == "date-time":
            parts.append(text[:4])
        elif attribute.query and attribute.kind in NAMES:
            parts.append(text)
    if not parts:
        return found
    name, *rest = parts
    if len(name) <= MAX_QUOTED and '"' not in name:
        found.append(Query(" ".join([f'"{name}"', *rest]), "exact"))
    loose = [word for part in parts for word in words(part)]
    return [*found, Query(" ".join(loose[:MAX_WORDS]), "loose")]
