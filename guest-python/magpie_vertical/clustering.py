"""Comparison of objects by the schema alone.

These functions are the default bodies of `Vertical.keys`, `compare`, `label` and `merge`, for
authors to build upon. A vertical that overrides none of them is built without them. Then the host
compares by the schema, with better results: it parses dates, money and names of persons.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from .record import Attribute, R, Record

# Prior evidence, in natural log odds: two objects that only share a key are more often different.
PRIOR = -1.5

# Maximum of the absolute evidence, for or against: about 99 in a hundred.
MAX_EVIDENCE = 5.0

# Maximum of the evidence if an identifying attribute clearly differs.
CONTRADICTED = -1.6

# Number of words of a name in its second key; the longest are taken, since words that sites add are
# short.
NAME_WORDS = 2

# Maximum number of values of a repeated attribute to compare or to use as keys.
MAX_VALUES = 10

NAMES = ("text", "person", "organisation", "place")
NOT_COMPARED = ("properties", "rating", "image", "coordinates")


@dataclass(frozen=True)
class Key:
    """A blocking key: only objects that share a key are compared."""

    scheme: str
    """Source of the key: `isbn`, `title+day`."""
    value: str
    """The key itself."""


@dataclass
class Verdict:
    """Result of comparing two objects."""

    probability: float
    """Probability that they are the same, as well calibrated as possible."""
    reasons: list[str] = field(default_factory=list)
    """Short reasons for a person: `same isbn`, `days differ`."""


@dataclass
class Merged:
    """Instructions to merge objects that are the same."""

    label: str
    """Label of the object in a list."""
    keep: dict[str, int] = field(default_factory=dict)
    """For each attribute, the index of the object from which its values are taken."""


def words(text: str) -> list[str]:
    """Words of a text, without case and accents."""
    plain = "".join(each for each in unicodedata.normalize("NFKD", text) if not unicodedata.combining(each))
    return re.findall(r"\w+", plain.casefold())


def keys(record: Record) -> list[Key]:
    """Blocking keys by the schema: one for each identifier; for each identifying name one of all
    its words and one of the longest.
    """
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
    # Many concerts share a name and many share a day, but few share both.
    return found + [Key(f"{key.scheme}+{name}", f"{key.value} {day}") for key in names for name, day in days]


def compare(one: Record, other: Record) -> Verdict:
    """Estimates the probability that two objects are the same, by the schema: identifying
    attributes and weights.
    """
    evidence, contradicted, reasons = PRIOR, False, []
    for attribute in one.schema:
        similarity = _similarity(attribute, _texts(one, attribute), _texts(other, attribute))
        if similarity is None:
            continue
        evidence += attribute.weight * _evidence(attribute, similarity)
        if similarity > 0.995:
            reasons.append(f"same {attribute.label.lower()}")
        elif attribute.identifies and similarity < 0.35:
            contradicted = True
            reasons.append(f"{attribute.label.lower()} differs")
    if contradicted:
        evidence = min(evidence, CONTRADICTED)
    return Verdict(1 / (1 + math.exp(-min(max(evidence, -MAX_EVIDENCE), MAX_EVIDENCE))), reasons)


def label(record: Record) -> str:
    """Label of an object in a list: the names and times that identify it, or else its first value.
    """
    identifying = [
        attribute for attribute in record.schema if attribute.identifies and attribute.kind in (*NAMES, "date-time")
    ]
    parts = [text for attribute in identifying for text in _texts(record, attribute)[:1]]
    return ", ".join(parts) or next((str(value) for _, value in record.values()), "")


def merge(records: Sequence[R], label: Callable[[R], str] = label) -> Merged:
    """Chooses for each attribute the value that most records have; among those, the longest."""
    keep = {}
    for attribute in records[0].schema:
        all_texts = [_texts(record, attribute) for record in records]
        votes = Counter(tuple(map(str.casefold, texts)) for texts in all_texts if texts)
        if votes:
            rank = [
                (votes[tuple(map(str.casefold, texts))], sum(map(len, texts))) if texts else (0, 0)
                for texts in all_texts
            ]
            keep[attribute.name] = max(range(len(all_texts)), key=lambda source: rank[source])
    labelled = keep.get(records[0].schema[0].name, 0)
    return Merged(label(records[labelled]), keep)


def _texts(record: Record, attribute: Attribute) -> list[str]:
    value = getattr(record, attribute.field)
    values = value if attribute.repeated else [value]
    return [str(each) for each in values[:MAX_VALUES] if each not in (None, "")]


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


def _similarity(attribute: Attribute, left: list[str], right: list[str]) -> float | None:
    """Similarity of an attribute's values, from 0 to 1; `None` if they are not comparable."""
    if not left or not right or attribute.kind in NOT_COMPARED:
        return None
    if attribute.kind.startswith("identifier:"):
        return float(bool({_bare(text) for text in left} & {_bare(text) for text in right}))
    if attribute.kind in NAMES:
        short, long = sorted((left, right), key=len)
        return sum(max(_words_similarity(one, other) for other in long) for one in short) / len(short)
    if attribute.kind == "url":
        # Two sites never share a URL, so a difference is no evidence.
        return 1.0 if left[0] == right[0] else None
    if attribute.kind == "date-time":
        shorter = min(len(left[0]), len(right[0]))
        return float(left[0][:shorter] == right[0][:shorter])
    return float(left[0] == right[0])


def _words_similarity(one: str, other: str) -> float:
    left, right = Counter(words(one)), Counter(words(other))
    total = left.total() + right.total()
    return 2 * (left & right).total() / total if total else 0.0


def _evidence(attribute: Attribute, similarity: float) -> float:
    if attribute.kind.startswith("identifier:"):
        neutral, equal, unlike = 0.5, 7.0, -3.0
    elif attribute.kind == "url":
        neutral, equal, unlike = 0.5, 5.0, 0.0
    elif attribute.identifies:
        neutral, equal, unlike = 0.6, 2.5, -4.0
    else:
        neutral, equal, unlike = 0.5, 0.7, -0.4
    if similarity >= neutral:
        return equal * (similarity - neutral) / (1 - neutral)
    return unlike * (neutral - similarity) / neutral
