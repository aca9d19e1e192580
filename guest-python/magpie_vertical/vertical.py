"""The base classes of verticals, which find records on a page, and of validators, which judge pages."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, get_args, get_origin

from . import clustering, querying, wire
from .clustering import Key, Merged, Verdict
from .errors import BadOption
from .page import Page
from .querying import Query
from .record import NAME, Found, R

OPTION_KINDS = {bool: "boolean", int: "integer", float: "real", str: "text"}


@dataclass(frozen=True)
class Option:
    """An option that the user of the plugin may set; its type is that of its default."""

    name: str
    """Name of the option, in lower case with dashes."""
    default: bool | int | float | str
    """Value unless the user sets one."""
    summary: str
    """One sentence for the user."""
    choices: tuple[str, ...] = ()
    """Allowed values, if there are only a few."""

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise TypeError(f"invalid option name `{self.name}`: expected lowercase letters, digits and dashes, such as max-days")
        if type(self.default) not in OPTION_KINDS:
            raise TypeError(f"invalid default {self.default!r} of option `{self.name}`: expected a boolean, number or text")
        if self.choices and self.default not in self.choices:
            raise TypeError(f"invalid default {self.default!r} of option `{self.name}`: expected one of its choices")

    @property
    def kind(self) -> str:
        """Kind of the option in the contract."""
        return "choice" if self.choices else OPTION_KINDS[type(self.default)]


class Plugin(ABC):
    """The description of a plugin, apart from its schema."""

    name: ClassVar[str] = ""
    """Name in lower case with dashes; defaults to the project's."""
    version: ClassVar[str] = ""
    """Version as in semantic versioning; defaults to the project's."""
    summary: ClassVar[str] = ""
    """One line that describes the objects; defaults to the project's description."""
    options: ClassVar[Sequence[Option]] = ()
    """Options that the user may set."""
    schema_types: ClassVar[Sequence[str]] = ()
    """schema.org types in structured data that make a page relevant."""
    path_hints: ClassVar[Sequence[str]] = ()
    """Parts of a URL's path or query that make a page relevant: `/event`."""
    content_types: ClassVar[Sequence[str]] = ()
    """Accepted media types; HTML by default."""
    only_hinted: ClassVar[bool] = False
    """True if pages that match neither types nor hints are skipped."""

    def option(self, name: str) -> Any:
        """Value of an option: as set by the user, or else its default."""
        declared = next((option for option in self.options if option.name == name), None)
        if declared is None:
            names = ", ".join(option.name for option in self.options) or "none"
            raise BadOption(name, f"the vertical does not declare the option `{name}`; it has {names}")
        text = wire.get_option(name)
        return declared.default if text is None else json.loads(text)

    @classmethod
    @abstractmethod
    def world(cls) -> str:
        """The smallest world of the contract that has everything this class implements."""


class Vertical(Plugin, Generic[R]):
    """A vertical: its objects, and how to find them on a page.

    Every vertical implements `extract`. The other methods use the schema; override one when you
    know better.
    """

    record: ClassVar[type[Any]]
    """Type of the objects, as given in `Vertical[JobOffer]`."""

    def __init_subclass__(cls) -> None:
        for base in getattr(cls, "__orig_bases__", ()):
            if get_origin(base) is Vertical:
                (cls.record,) = get_args(base)

    @abstractmethod
    def extract(self, page: Page) -> Iterable[R | Found[R]]:
        """Extracts the objects of the page, preferably in document order. The same page and options
        must give the same objects.
        """

    def keys(self, record: R) -> list[Key]:
        """Blocking keys, the most distinctive first: only objects that share a key are compared."""
        return clustering.keys(record)

    def compare(self, one: R, other: R) -> Verdict:
        """Estimates the probability that two objects are the same."""
        return clustering.compare(one, other)

    def label(self, record: R) -> str:
        """Label of an object in a list."""
        return clustering.label(record)

    def merge(self, records: Sequence[R]) -> Merged:
        """Chooses the record from which the merged object takes each attribute; at least one record
        is given.
        """
        return clustering.merge(records, self.label)

    def queries(self, record: R) -> list[Query]:
        """Search engine queries that find sites with this object; a few are better than many."""
        return querying.queries(record)

    @classmethod
    def world(cls) -> str:
        own = ("keys", "compare", "label", "merge", "queries")
        return "vertical" if any(getattr(cls, each) is not getattr(Vertical, each) for each in own) else "extractor"


@dataclass(frozen=True)
class Judgement:
    """Judgement of a page."""

    accepted: bool
    """True if the page is relevant."""
    confidence: float = 1.0
    """Probability that `accepted` is right, from 0 to 1."""
    reason: str = ""
    """A short reason for a person."""

    def __post_init__(self) -> None:
        if not 0 <= self.confidence <= 1:
            raise ValueError(f"invalid confidence {self.confidence}: expected 0 to 1")


class Validator(Plugin):
    """Judgement of pages that are relevant without being objects, such as reviews.

    It is a component of its own. If an extractor has the same name, both together are one vertical.
    """

    object_type: ClassVar[str] = ""
    """Name of one relevant page, such as `Review`; by default the class's."""

    @abstractmethod
    def judge(self, page: Page) -> bool | Judgement:
        """Judges a page. The same page and options must give the same judgement."""

    @classmethod
    def world(cls) -> str:
        return "validator"
