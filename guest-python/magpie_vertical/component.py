"""The contract's functions for a `Vertical` or `Validator`: the exports of the build, which the host calls."""

from __future__ import annotations

import functools
import gc
import json
import logging
import re
import traceback
from collections.abc import Callable, Iterable
from pathlib import PurePath
from types import CodeType, FrameType, TracebackType
from typing import Any, ParamSpec, TypeVar

from . import wire
from .errors import BadFeatures, VerticalError
from .page import Page
from .record import Found, Record
from .vertical import Judgement, Plugin, Validator, Vertical

P = ParamSpec("P")
T = TypeVar("T")

# Maximum number of traceback frames to log, the innermost.
LOGGED_FRAMES = 10

LEVELS = [
    (logging.ERROR, wire.Level.ERROR),
    (logging.WARNING, wire.Level.WARN),
    (logging.INFO, wire.Level.INFO),
    (logging.NOTSET, wire.Level.DEBUG),
]


def export(plugin: type[Plugin], name: str, version: str, summary: str) -> tuple[type[Any], ...]:
    """Returns the classes that a component exports, under the names that the toolchain expects."""
    instance = plugin()
    # The host adds level and page itself.
    logging.basicConfig(handlers=[HostLog()], level=logging.DEBUG, format="%(message)s", force=True)
    # Every page gets a copy of the memory in its current state. All current objects are permanent,
    # so the garbage collector can skip them. Scanning would touch, and so copy, all of them.
    gc.collect()
    gc.freeze()
    if isinstance(instance, Validator):
        parts = (description, validation)
    else:
        parts = (description, extraction, clustering, querying)
    return tuple(each(instance, name, version, summary) for each in parts)


def with_contract_errors(function: Callable[P, T]) -> Callable[P, T]:
    """Converts the author's exceptions to errors of the contract."""

    @functools.wraps(function)
    def answer(*arguments: P.args, **named: P.kwargs) -> T:
        try:
            return function(*arguments, **named)
        except (Exception, SystemExit) as problem:
            raise wire.Err(to_error(problem)) from None

    return answer


def to_error(problem: BaseException) -> wire.Error:
    """Converts an exception to an error of the contract, with the author's line."""
    position_text = position(problem.__traceback__)
    if isinstance(problem, VerticalError):
        return wire.Error(problem.code, f"{problem}{position_text}", problem.attribute, problem.retryable)
    for line in authors_traceback(problem).format():
        for part in line.rstrip().splitlines():
            wire.log(wire.Level.ERROR, MOUNTED.sub(relative, part))
    return wire.Error("internal", f"{describe_problem(problem)}{position_text}", None, False)


def describe_problem(problem: BaseException) -> str:
    """Describes the exception, with advice if its own message has none."""
    match problem:
        case SystemExit():
            return f"sys.exit({problem.code!r}) was called; return, or raise an exception, instead"
        case ModuleNotFoundError():
            return f"{problem}: a component has what was imported when it was built: import it at the top of the file"
    return f"{type(problem).__name__}: {problem}"


def authors_traceback(problem: BaseException) -> traceback.TracebackException:
    """Reduces an exception and its causes to the author's lines."""
    exception = traceback.TracebackException.from_exception(problem)
    each: traceback.TracebackException | None = exception
    while each:
        own = [frame for frame in each.stack if not is_file_of_ours(frame.filename)]
        each.stack = traceback.StackSummary.from_list(own[-LOGGED_FRAMES:])
        each = each.__cause__ or each.__context__
    return exception


def position(trace: TracebackType | None) -> str:
    """Innermost line of the author: ` (src/job_offers.py:17)`; empty if there is none."""
    lines = [(frame, line) for frame, line in traceback.walk_tb(trace) if not is_ours(frame)]
    return "".join(f" ({file_of(frame.f_code)}:{line})" for frame, line in lines[-1:])


# The build mounts each folder of modules under its number: the entry, this package, the author's
# `src`.
MOUNTED = re.compile(r"/(\d+)/(?=[\w/]+\.py)")
AUTHORS_MOUNT = "2"


def relative(mounted: re.Match[str]) -> str:
    """Replaces a mount by the author's name for it."""
    return "src/" if mounted[1] == AUTHORS_MOUNT else ""


def file_of(code: CodeType) -> str:
    """Path of a file as the author knows it."""
    name = code.co_filename
    return MOUNTED.sub(relative, name) if MOUNTED.match(name) else PurePath(name).name


def is_ours(frame: FrameType) -> bool:
    """Returns true for a frame of this package or of generated code."""
    module: str = frame.f_globals.get("__name__", "")
    return module.split(".", maxsplit=1)[0] == __package__ or is_file_of_ours(frame.f_code.co_filename)


def is_file_of_ours(name: str) -> bool:
    """Returns true for a file of this package, or for generated code."""
    return name.startswith("<") or PurePath(name).parts[-2:-1] == PurePath(__file__).parts[-2:-1]


def description(vertical: Plugin, name: str, version: str, summary: str) -> type[Any]:
    """Exports the description of the component."""

    class Description:
        def describe(self) -> wire.VerticalInfo:
            return describe(vertical, name, version, summary)

    return Description


def extraction(vertical: Vertical[Any], *_: str) -> type[Any]:
    """Exports the extraction of objects."""

    class Extraction:
        @with_contract_errors
        def extract(self, page: wire.HostPage) -> list[wire.Object]:
            return [found.to_object() for found in extract(vertical, Page(page))]

    return Extraction


def clustering(vertical: Vertical[Any], *_: str) -> type[Any]:
    """Exports the comparison of objects."""

    class Clustering:
        @with_contract_errors
        def prepare(self, objects: list[wire.Object]) -> list[wire.Prepared]:
            return [prepare(vertical, each) for each in objects]

        @with_contract_errors
        def compare(self, one: bytes, many: list[bytes]) -> list[wire.Verdict]:
            return compare(vertical, one, many)

        @with_contract_errors
        def merge(self, objects: list[wire.Object]) -> wire.Merged:
            return merge(vertical, objects)

    return Clustering


def querying(vertical: Vertical[Any], *_: str) -> type[Any]:
    """Exports the search engine queries."""

    class Querying:
        @with_contract_errors
        def queries(self, object: wire.Object) -> list[wire.Query]:
            record = vertical.record.from_object(object)
            return [wire.Query(query.text, query.purpose) for query in vertical.queries(record)]

    return Querying


def validation(validator: Validator, *_: str) -> type[Any]:
    """Exports the judgement of pages."""

    class Validation:
        @with_contract_errors
        def judge(self, page: wire.HostPage) -> wire.Judgement:
            judgement = judge(validator, Page(page))
            return wire.Judgement(judgement.accepted, float(judgement.confidence), judgement.reason)

    return Validation


def describe(vertical: Plugin, name: str, version: str, summary: str) -> wire.VerticalInfo:
    """Description of a plugin; empty values default to the project's."""
    if isinstance(vertical, Vertical):
        object_type, schema = vertical.record.object_type, vertical.record.schema
    else:
        assert isinstance(vertical, Validator)
        object_type, schema = vertical.object_type or type(vertical).__name__, ()
    return wire.VerticalInfo(
        name=vertical.name or name,
        version=vertical.version or version,
        summary=vertical.summary or summary,
        object_type=object_type,
        attributes=[
            wire.Attribute(
                each.name, each.kind, each.label, each.required, each.repeated,
                each.identifies, each.query, each.expires, each.weight,
                [("schema.org", each.schema_org)] if each.schema_org else [],
            )
            for each in schema
        ],
        options=[
            wire.OptionSpec(each.name, each.kind, json.dumps(each.default), list(each.choices), each.summary)
            for each in vertical.options
        ],
        routing=wire.Routing(
            list(vertical.content_types), list(vertical.schema_types), list(vertical.path_hints), vertical.only_hinted
        ),
        extra=[],
    )  # fmt: skip


def extract(vertical: Vertical[Any], page: Page) -> list[Found[Any]]:
    """Runs the extractor and checks its result."""
    found: list[Found[Any]] = []
    given: Any = vertical.extract(page)
    if isinstance(given, (Record, Found, dict, str)) or not isinstance(given, Iterable):
        raise TypeError(f"`extract` must return or yield records, not {type_of(given)}{defined_at(vertical)}")
    for each in given:
        if isinstance(each, Record):
            each = Found(each)
        if not isinstance(each, Found) or not isinstance(each.record, Record):
            raise TypeError(
                f"`extract` gave {type_of(each)} as object #{len(found)}, not a record{defined_at(vertical)}"
            )
        found.append(each)
    return found


def judge(validator: Validator, page: Page) -> Judgement:
    """Runs the validator and checks its result."""
    given: Any = validator.judge(page)
    if isinstance(given, bool):
        given = Judgement(given)
    if not isinstance(given, Judgement):
        raise TypeError(f"`judge` must return True, False or a Judgement, not {type_of(given)}")
    return given


def type_of(value: Any) -> str:
    """Describes the type of a value."""
    return "None" if value is None else f"a {type(value).__name__}"


def defined_at(vertical: Vertical[Any]) -> str:
    """Position of the author's `extract`, used for errors of its result, which have no line of
    their own.
    """
    code = getattr(type(vertical).extract, "__code__", None)
    return f" ({file_of(code)}:{code.co_firstlineno})" if code else ""


def prepare(vertical: Vertical[Any], found: wire.Object) -> wire.Prepared:
    """Features and keys of an object. An object that lacks a required attribute gets no keys and is
    therefore never compared.
    """
    try:
        record = vertical.record.from_object(found)
    except VerticalError as problem:
        wire.log(wire.Level.WARN, f"left out of clustering: {problem}")
        return wire.Prepared(b"", [])
    values = [(attribute.name, value) for attribute, value in record.values()]
    keys = [wire.Key(key.scheme, key.value) for key in vertical.keys(record)]
    return wire.Prepared(json.dumps(values, ensure_ascii=False).encode(), keys)


def compare(vertical: Vertical[Any], one: bytes, many: list[bytes]) -> list[wire.Verdict]:
    """Compares one object with many, by their features."""
    first = from_features(vertical, one)
    verdicts = []
    for features in many:
        # An object that could not be prepared matches no other.
        other = from_features(vertical, features) if features else None
        verdict = vertical.compare(first, other) if first and other else None
        verdicts.append(wire.Verdict(verdict.probability, verdict.reasons) if verdict else wire.Verdict(0.0, []))
    return verdicts


def from_features(vertical: Vertical[Any], features: bytes) -> Any:
    """Restores the record from features made by `prepare`."""
    try:
        return vertical.record.from_values(json.loads(features)) if features else None
    except (ValueError, TypeError) as problem:
        raise BadFeatures(f"these features were not made by this component: {problem}") from problem


def merge(vertical: Vertical[Any], objects: list[wire.Object]) -> wire.Merged:
    """Merges objects that were found to be the same; skips those that lack a required attribute."""
    records, sources, problem = [], [], None
    for source, each in enumerate(objects):
        try:
            records.append(vertical.record.from_object(each))
            sources.append(source)
        except VerticalError as error:
            problem = error
    if not records:
        raise problem or VerticalError("nothing to merge")
    merged = vertical.merge(records)
    keep = [wire.Choice(path, sources[source]) for path, source in merged.keep.items()]
    return wire.Merged(merged.label, keep)


class HostLog(logging.Handler):
    """Sends messages of Python's `logging` to the host's log."""

    def emit(self, record: logging.LogRecord) -> None:
        level = next(ours for minimum, ours in LEVELS if record.levelno >= minimum)
        for line in self.format(record).splitlines():
            wire.log(level, line)
