"""What an author writes: a class that finds records on a page."""

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
    """Its name, in lower case with dashes."""
    default: bool | int | float | str
    """The value when the user sets none."""
    summary: str
    """One sentence for the user."""
    choices: tuple[str, ...] = ()
    """The values allowed, where there are only a few."""

    def __post_init__(self) -> None:
        if not NAME.fullmatch(self.name):
            raise TypeError(f"`{self.name}` is no option's name: small letters, digits and dashes, like max-days")
        if type(self.default) not in OPTION_KINDS:
            raise TypeError(f"option `{self.name}`: the default must be a truth value, number or text, not {self.default!r}")
        if self.choices and self.default not in self.choices:
            raise TypeError(f"option `{self.name}`: its default {self.default!r} is none of its choices")

    @property
    def kind(self) -> str:
        """The kind of the contract."""
        return "choice" if self.choices else OPTION_KINDS[type(self.default)]


class Vertical(ABC, Generic[R]):
    """A vertical: what its objects are, and how to find them on a page.

    Everybody writes `extract`. The other methods go by the schema; override one when you know better.
    """

    record: ClassVar[type[Any]]
    """What one object is: the type in `Vertical[JobOffer]`."""
    name: ClassVar[str] = ""
    """In lower case with dashes; the project's when empty."""
    version: ClassVar[str] = ""
    """As in semantic versioning; the project's when empty."""
    summary: ClassVar[str] = ""
    """One line that says what the objects are; the project's description when empty."""
    options: ClassVar[Sequence[Option]] = ()
    """What the user may set."""
    schema_types: ClassVar[Sequence[str]] = ()
    """schema.org types in structured data that speak for a page."""
    path_hints: ClassVar[Sequence[str]] = ()
    """Parts of a URL's path or query that speak for a page: `/event`."""
    content_types: ClassVar[Sequence[str]] = ()
    """Media types it reads; HTML when empty."""
    only_hinted: ClassVar[bool] = False
    """Leaves out pages for which neither types nor hints speak."""

    def __init_subclass__(cls) -> None:
        for base in getattr(cls, "__orig_bases__", ()):
            if get_origin(base) is Vertical:
                (cls.record,) = get_args(base)

    @abstractmethod
    def extract(self, page: Page) -> Iterable[R | Found[R]]:
        """The objects on the page, best in document order; none on a page without any. The same page and options
        must give the same objects."""

    def keys(self, record: R) -> list[Key]:
        """Keys under which likely twins meet, the most telling first."""
        return clustering.keys(record)

    def compare(self, one: R, other: R) -> Verdict:
        """How likely it is that two objects are the same one."""
        return clustering.compare(one, other)

    def label(self, record: R) -> str:
        """What to call an object in a list."""
        return clustering.label(record)

    def merge(self, records: Sequence[R]) -> Merged:
        """Which record's values each attribute of the merged object takes; at least one record is given."""
        return clustering.merge(records, self.label)

    def queries(self, record: R) -> list[Query]:
        """What to ask a search engine for sites that know this object; few rather than many."""
        return querying.queries(record)

    def option(self, name: str) -> Any:
        """The value of an option: what the user set, else its default."""
        declared = next((option for option in self.options if option.name == name), None)
        if declared is None:
            names = ", ".join(option.name for option in self.options) or "none"
            raise BadOption(name, f"the vertical does not declare the option `{name}`; it has {names}")
        text = wire.get_option(name)
        return declared.default if text is None else json.loads(text)

    @classmethod
    def world(cls) -> str:
        """The smallest world of the contract that has all this class brings."""
        own = ("keys", "compare", "label", "merge", "queries")
        return "vertical" if any(getattr(cls, each) is not getattr(Vertical, each) for each in own) else "extractor"
