"""The contract's types, as the toolchain generates them; not for authors.

Inside a component they are the generated classes. Elsewhere (unit tests, type checkers, the build)
there are no generated modules, and plain classes of the same shape replace them, so that all other
code runs unchanged.
"""

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

IN_COMPONENT = False

if not TYPE_CHECKING:
    try:
        import componentize_py_types
        from wit_world.exports import description
        from wit_world.imports import host, objects, pages

        IN_COMPONENT = True
        from wit_world.exports import clustering, querying
    except ImportError:
        # The worlds `extractor` and `validator` have neither clustering nor querying.
        clustering = querying = None
    try:
        from wit_world.exports import validation
    except ImportError:
        # Only the world `validator` has it.
        validation = None


@dataclass
class ValueText:
    """A value that is a text."""

    value: str


@dataclass
class ValueInteger:
    """A value that is an integer."""

    value: int


@dataclass
class ValueReal:
    """A value that is any other number."""

    value: float


@dataclass
class ValueBoolean:
    """A value that is a boolean."""

    value: bool


@dataclass
class ValueJson:
    """A value that is a JSON document."""

    value: str


@dataclass
class Field:
    """One attribute of an object."""

    path: str
    value: Any
    node: int | None


@dataclass
class Object:
    """One object found on a page."""

    schema_type: str
    confidence: float
    fields: list[Field]


@dataclass
class Error:
    """An error of a call."""

    code: str
    message: str
    attribute: str | None
    retryable: bool


class Err(Exception):
    """Exception that carries an `Error` to or from the host."""

    def __init__(self, value: Error) -> None:
        super().__init__(value)
        self.value = value


@dataclass
class Attribute:
    """One attribute of the schema."""

    name: str
    kind: str
    label: str
    required: bool
    repeated: bool
    identifies: bool
    query: bool
    expires: bool
    weight: float
    extra: list[tuple[str, str]]


@dataclass
class OptionSpec:
    """An option that the user may set."""

    name: str
    kind: str
    default: str
    choices: list[str]
    summary: str


@dataclass
class Routing:
    """Pages that the extractor wants to see."""

    content_types: list[str]
    schema_types: list[str]
    path_hints: list[str]
    only_hinted: bool


@dataclass
class VerticalInfo:
    """Description of a vertical."""

    name: str
    version: str
    summary: str
    object_type: str
    attributes: list[Attribute]
    options: list[OptionSpec]
    routing: Routing
    extra: list[tuple[str, str]]


@dataclass
class Key:
    """A blocking key: only objects that share a key are compared."""

    scheme: str
    value: str


@dataclass
class Prepared:
    """Data that the host keeps of an object for comparisons."""

    features: bytes
    keys: list[Key]


@dataclass
class Verdict:
    """Result of comparing two objects."""

    probability: float
    reasons: list[str]


@dataclass
class Choice:
    """The object from which the merged object takes an attribute."""

    path: str
    source: int


@dataclass
class Merged:
    """Instructions to merge objects that are the same."""

    label: str
    keep: list[Choice]


@dataclass
class Query:
    """A query for a search engine."""

    text: str
    purpose: str


@dataclass
class Judgement:
    """Judgement of a page."""

    accepted: bool
    confidence: float
    reason: str


@dataclass
class Column:
    """A column of `table`: one value for each row."""

    css: str
    take: str


@dataclass
class Cell:
    """One value returned by `table`."""

    node: int
    text: str


@dataclass
class Row:
    """One row returned by `table`."""

    node: int
    cells: list[Cell | None]


@dataclass
class StructuredItem:
    """One entity of the page's structured data."""

    syntax: str
    types: list[str]
    json: str
    node: int | None


@dataclass
class FormChoice:
    """One option of a select, or one radio button or checkbox."""

    value: str
    label: str
    selected: bool
    disabled: bool


@dataclass
class FormField:
    """A field of a form."""

    node: int
    name: str
    kind: str
    value: str
    choices: list[FormChoice]
    label: str
    placeholder: str
    required: bool
    disabled: bool
    hidden: bool
    pattern: str | None
    min: str | None
    max: str | None
    step: str | None
    max_length: int | None


@dataclass
class FormSubmit:
    """A submit button of a form."""

    node: int
    name: str
    value: str
    label: str
    disabled: bool
    action: str | None
    method: str | None


@dataclass
class Form:
    """A form."""

    node: int
    action: str | None
    method: str
    encoding: str
    charset: str
    role: str
    heading: str
    fields: list[FormField]
    submits: list[FormSubmit]
    cut: bool


@dataclass
class Outline:
    """The whole tree in columns."""

    parents: list[int]
    ends: list[int]
    tags: list[int]
    tag_names: list[str]
    text: str
    starts: list[int]


@dataclass
class PageDate:
    """Date of a page itself."""

    day: str | None = None
    source: str = ""
    year: int | None = None


class HostPage(Protocol):
    """The page as lent by the host."""

    def url(self) -> str: ...
    def fetched_at(self) -> int: ...
    def own_date(self) -> PageDate: ...
    def status(self) -> int: ...
    def content_type(self) -> str: ...
    def header(self, name: str) -> str | None: ...
    def language(self) -> str | None: ...
    def title(self) -> str | None: ...
    def text(self) -> str: ...
    def body(self) -> bytes: ...
    def structured_data(self) -> list[StructuredItem]: ...
    def forms(self) -> list[Form]: ...
    def resolve(self, reference: str) -> str | None: ...
    def root(self) -> int: ...
    def select(self, scope: int, css: str) -> list[int]: ...
    def matches(self, node: int, css: str) -> bool: ...
    def table(self, scope: int, rows: str, columns: list[Column]) -> list[Row]: ...
    def text_of(self, node: int) -> str: ...
    def own_text(self, node: int) -> str: ...
    def html_of(self, node: int) -> str: ...
    def tag(self, node: int) -> str: ...
    def attribute(self, node: int, name: str) -> str | None: ...
    def attributes(self, node: int) -> list[tuple[str, str]]: ...
    def having(self, name: str) -> list[tuple[int, str]]: ...
    def parent(self, node: int) -> int | None: ...
    def children(self, node: int) -> list[int]: ...
    def outline(self) -> Outline: ...


class Level(Enum):
    """Severity of a log line."""

    DEBUG = 0
    INFO = 1
    WARN = 2
    ERROR = 3


def log(level: Level, message: str) -> None:
    """Writes a line to the log; does nothing outside a component."""


def get_option(name: str) -> str | None:
    """Value of an option as JSON; `None` outside a component."""
    return None


if IN_COMPONENT and not TYPE_CHECKING:
    ValueText, ValueInteger, ValueReal = objects.Value_Text, objects.Value_Integer, objects.Value_Real
    ValueBoolean, ValueJson = objects.Value_Boolean, objects.Value_Json
    Field, Object, Error, Err = objects.Field, objects.Object, objects.Error, componentize_py_types.Err
    Attribute, OptionSpec = description.Attribute, description.OptionSpec
    Routing, VerticalInfo = description.Routing, description.VerticalInfo
    Column, Level, log, get_option = pages.Column, host.Level, host.log, host.get_option
    if clustering:
        Key, Prepared, Verdict = clustering.Key, clustering.Prepared, clustering.Verdict
        Choice, Merged, Query = clustering.Choice, clustering.Merged, querying.Query
    if validation:
        Judgement = validation.Judgement
