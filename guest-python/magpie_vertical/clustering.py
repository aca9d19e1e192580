"""When two objects are the same: what a vertical says, and what the schema alone says of it.

The functions here are the bodies of `Vertical.keys`, `compare`, `label` and `merge`, to be built upon. A vertical
that overrides none of those is built without them, and the host compares by the schema, which it does better:
it knows dates, money and names of persons.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from .record import Attribute, R, Record

# Evidence is counted in natural log odds: two objects that only share a key are more often different.
PRIOR = -1.5

# Nothing is surer than this, for or against: about 99 in a hundred.
SUREST = 5.0

# What the evidence comes to at most when something that identifies clearly differs.
CONTRADICTED = -1.6

# Words of a name that make its second key, the longest: what sites add is short.
NAME_WORDS = 2

# Values of a repeated attribute that make keys or are compared: the first say enough.
MOST_VALUES = 10

NAMES = ("text", "person", "organisation", "place")
NOT_COMPARED = ("properties", "rating", "image")


@dataclass(frozen=True)
class Key:
    """A key under which likely twins meet: only objects that share one are compared."""

    scheme: str
    """How it was made: `isbn`, `title+day`."""
    value: str
    """The key itself."""


@dataclass
class Verdict:
    """How alike two objects are."""

    probability: float
    """The probability that they are the same, as honest as possible."""
    reasons: list[str] = field(default_factory=list)
    """Short reasons for a person: `same isbn`, `days differ`."""


@dataclass
class Merged:
    """How to merge objects that are one."""

    label: str
    """What to call the object in a list."""
    keep: dict[str, int] = field(default_factory=dict)
    """For each attribute, which of the objects given its values are taken from."""


def words(text: str) -> list[str]:
    """The words of a text, without case and accents."""
    plain = "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))
    return re.findall(r"\w+", plain.casefold())


def keys(record: Record) -> list[Key]:
    """Keys by the schema: one for each identifier; for names that identify, all their words and their longest."""
    found, names, days = [], [], []
    for attribute in record.schema:
        texts = _texts(record, attribute)
        if attribute.kind.startswith("identifier:"):
            found += [Key(attribute.name, _bare(text)) for text in texts]
        elif attribute.identifies and attribute.kind in NAMES:
            names += [key for text in texts for key in _name_keys(attribute.name, text)]
        elif attribute.identifies and attribute.kind == "date-time":
            days += [(attribute.name, text[:10]) for text in texts]
    if not days:
        return found + names
    # There are many concerts of one name and many on one day, but few of both.
    return found + [Key(f"{key.scheme}+{name}", f"{key.value} {day}") for key in names for name, day in days]


def compare(one: Record, other: Record) -> Verdict:
    """How likely two objects are the same, by the schema: what identifies, and what weighs how much."""
    evidence, contradicted, reasons = PRIOR, False, []
    for attribute in one.schema:
        alike = _alike(attribute, _texts(one, attribute), _texts(other, attribute))
        if alike is None:
            continue
        evidence += attribute.weight * _evidence(attribute, alike)
        if alike > 0.995:
            reasons.append(f"same {attribute.label.lower()}")
        elif attribute.identifies and alike < 0.35:
            contradicted = True
            reasons.append(f"{attribute.label.lower()} differs")
    if contradicted:
        evidence = min(evidence, CONTRADICTED)
    return Verdict(1 / (1 + math.exp(-min(max(evidence, -SUREST), SUREST))), reasons)


def label(record: Record) -> str:
    """What to call an object in a list: the names and times that identify it, or else its first value."""
    told = [
        attribute for attribute in record.schema if attribute.identifies and attribute.kind in (*NAMES, "date-time")
    ]
    parts = [text for attribute in told for text in _texts(record, attribute)[:1]]
    return ", ".join(parts) or next((str(value) for _, value in record.values()), "")


def merge(records: Sequence[R], label: Callable[[R], str] = label) -> Merged:
    """Takes for each attribute what most records say, and of those the one that says most."""
    keep = {}
    for attribute in records[0].schema:
        said = [_texts(record, attribute) for record in records]
        votes = Counter(tuple(map(str.casefold, texts)) for texts in said if texts)
        if votes:
            rank = [
                (votes[tuple(map(str.casefold, texts))], sum(map(len, texts))) if texts else (0, 0) for texts in said
            ]
            keep[attribute.name] = max(range(len(said)), key=lambda source: rank[source])
    labelled = keep.get(records[0].schema[0].name, 0)
    return Merged(label(records[labelled]), keep)


def _texts(record: Record, attribute: Attribute) -> list[str]:
    value = getattr(record, attribute.field)
    values = value if attribute.repeated else [value]
    return [str(each) for each in values[:MOST_VALUES] if each not in (None, "")]


def _bare(text: str) -> str:
    return re.sub(r"\W|_", "", text).upper()


def _name_keys(scheme: str, text: str) -> list[Key]:
    all_words = sorted(set(words(text)))
    if not all_words:
        return []
    whole = Key(scheme, " ".join(all_words))
    if len(all_words) <= NAME_WORDS:
        return [whole]
    longest = sorted(all_words, key=len, reverse=True)[:NAME_WORDS]
    return [whole, Key(f"{scheme}-words", " ".join(longest))]


def _alike(attribute: Attribute, left: list[str], right: list[str]) -> float | None:
    """How alike the values of an attribute are, from 0 to 1; none when they say nothing about each other."""
    if not left or not right or attribute.kind in NOT_COMPARED:
        return None
    if attribute.kind.startswith("identifier:"):
        return float(bool({_bare(text) for text in left} & {_bare(text) for text in right}))
    if attribute.kind in NAMES:
        short, long = sorted((left, right), key=len)
        return sum(max(_words_alike(one, other) for other in long) for one in short) / len(short)
    if attribute.kind == "url":
        # Two sites never share an address, so that differing says nothing.
        return 1.0 if left[0] == right[0] else None
    if attribute.kind == "date-time":
        shorter = min(len(left[0]), len(right[0]))
        return float(left[0][:shorter] == right[0][:shorter])
    return float(left[0] == right[0])


def _words_alike(one: str, other: str) -> float:
    left, right = Counter(words(one)), Counter(words(other))
    total = left.total() + right.total()
    return 2 * (left & right).total() / total if total else 0.0


def _evidence(attribute: Attribute, alike: float) -> float:
    if attribute.kind.startswith("identifier:"):
        neutral, equal, unlike = 0.5, 7.0, -3.0
    elif attribute.kind == "url":
        neutral, equal, unlike = 0.5, 5.0, 0.0
    elif attribute.identifies:
        neutral, equal, unlike = 0.6, 2.5, -4.0
    else:
        neutral, equal, unlike = 0.5, 0.7, -0.4
    if alike >= neutral:
        return equal * (alike - neutral) / (1 - neutral)
    return unlike * (neutral - alike) / neutral
