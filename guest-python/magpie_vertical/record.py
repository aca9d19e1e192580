"""Records: classes whose annotations are the schema."""

from __future__ import annotations

import dataclasses
import json
import re
import types
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import (
    Annotated,
    Any,
    ClassVar,
    Generic,
    Self,
    TypeVar,
    Union,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

from . import wire
from .element import At, Element
from .entity import Entity
from .errors import VerticalError
from .kinds import Kind

R = TypeVar("R", bound="Record")

# Kinds of types that need no annotation.
PLAIN_KINDS = {str: Kind("text"), int: Kind("number"), float: Kind("number"), bool: Kind("boolean")}

# Valid names of attributes in the contract.
NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


# Paths of properties of schema.org.
PROPERTY = re.compile(r"[A-Za-z0-9]+(\.[A-Za-z0-9]+)*")


@dataclass(frozen=True)
class Attribute:
    """One attribute of the schema."""

    field: str
    """Name in Python: `prep_time`."""
    name: str
    """Name in the schema: `prep-time`."""
    kind: str
    """Kind of the values: `duration`."""
    label: str
    """Column heading for people: `Prep time`."""
    required: bool
    """True if the host drops an object without this attribute."""
    repeated: bool
    """True if there may be several values."""
    identifies: bool = False
    """True if two objects that differ in this attribute are hardly the same."""
    query: bool = False
    """True if the value helps a search engine to find the object."""
    expires: bool = False
    """True if the object is no longer of interest once this time has passed."""
    weight: float = 1.0
    """Weight in the comparison of two objects."""
    schema_org: str | None = None
    """Property of schema.org that has the values: `startDate`, `offers.price`."""


def attribute(
    *,
    default: Any = dataclasses.MISSING,
    default_factory: Any = dataclasses.MISSING,
    name: str | None = None,
    label: str | None = None,
    required: bool | None = None,
    identifies: bool = False,
    query: bool = False,
    expires: bool = False,
    weight: float = 1.0,
    schema_org: str | None = None,
) -> Any:
    """Sets properties of an attribute beyond its annotation; see `Attribute`. By default the name
    is the field's with dashes, and attributes that can't be `None` are required.
    """
    properties: dict[str, Any] = {"identifies": identifies, "query": query, "expires": expires, "weight": float(weight)}
    if schema_org is not None and not PROPERTY.fullmatch(schema_org):
        raise TypeError(
            f"invalid schema_org `{schema_org}`: expected a property of schema.org such as startDate or offers.price"
        )
    given = {"name": name, "label": label, "required": required, "schema_org": schema_org}
    properties |= {word: value for word, value in given.items() if value is not None}
    if default is not dataclasses.MISSING:
        return dataclasses.field(default=default, metadata=properties)
    if default_factory is not dataclasses.MISSING:
        return dataclasses.field(default_factory=default_factory, metadata=properties)
    return dataclasses.field(metadata=properties)


@dataclass_transform(kw_only_default=True, field_specifiers=(attribute, dataclasses.field))
class Record:
    """The type of a vertical's objects. Subclasses are dataclasses, and their annotations the
    schema:

        class Concert(Record):
            title: Text = attribute(identifies=True, query=True)
            start: DateTime | None = None
            performers: list[Person] = attribute(default_factory=list, name="performer")

    `Text` is required, `Text | None` is not, and `list[Text]` takes several values.
    """

    schema: ClassVar[tuple[Attribute, ...]] = ()
    """Attributes in order."""
    object_type: ClassVar[str] = ""
    """Name of one object: the class's name, or `class Concert(Record, name="MusicEvent")`."""

    def __init_subclass__(cls, *, name: str | None = None) -> None:
        dataclasses.dataclass(kw_only=True)(cls)
        hints = get_type_hints(cls, include_extras=True)
        fields = dataclasses.fields(cls)  # type: ignore[arg-type]
        for field in fields:
            if field.name in vars(Record):
                raise TypeError(
                    f"{cls.__name__}.{field.name}: every record has a `{field.name}` of its own;"
                    f' use another name, with `attribute(name="{field.name}")`'
                )
        cls.schema = tuple(_attribute(cls, field, hints[field.name]) for field in fields)
        cls.object_type = name or cls.__name__

    def __post_init__(self) -> None:
        # Checked here, so that the traceback of a value of the wrong type has the author's line.
        for attribute in self.schema:
            setattr(self, attribute.field, self._normalized(attribute))

    def values(self) -> Iterator[tuple[Attribute, Any]]:
        """All values with their attributes, without empty ones."""
        for attribute in self.schema:
            value = self._normalized(attribute)
            for each in value if attribute.repeated else [value]:
                if each is not None and not (isinstance(each, str) and not each.strip()):
                    yield attribute, each

    def _normalized(self, attribute: Attribute) -> Any:
        """Value of an attribute in the form of its annotation: a list if it is repeated, the text
        of an element.
        """
        value, name = getattr(self, attribute.field), f"{type(self).__name__}.{attribute.field}"
        if not attribute.repeated:
            return _single(name, value)
        if isinstance(value, (str, Mapping, Entity)) or not isinstance(value, Iterable):
            # A single text is one value, not a list of characters.
            value = [] if value is None else [value]
        return [_single(name, each) for each in value]

    def fields(self) -> list[wire.Field]:
        """Converts the record to the contract's fields."""
        return [wire.Field(attribute.name, _to_wire(value), _node(value)) for attribute, value in self.values()]

    @classmethod
    def from_values(cls, pairs: Iterable[tuple[str, Any]]) -> Self:
        """Creates a record from values by schema name; raises `VerticalError` if a required one is
        missing.
        """
        found: dict[str, list[Any]] = {}
        for name, value in pairs:
            found.setdefault(name, []).append(value)
        arguments: dict[str, Any] = {}
        for attribute in cls.schema:
            values = found.get(attribute.name, [])
            if attribute.required and not values:
                raise VerticalError(f"the {cls.object_type} has no {attribute.name}", attribute=attribute.name)
            arguments[attribute.field] = values if attribute.repeated else next(iter(values), None)
        return cls(**arguments)

    @classmethod
    def from_object(cls, found: wire.Object) -> Self:
        """Creates a record from an object of the contract."""
        return cls.from_values((field.path, _from_wire(field.value)) for field in found.fields)


@dataclass
class Found(Generic[R]):
    """A record with the extractor's confidence and a type. A record yielded alone has a confidence
    of 1.
    """

    record: R
    confidence: float = 1.0
    """Probability, as estimated by the extractor, that this is an object of the vertical, from 0 to
    1.
    """
    schema_type: str = ""
    """Type of the object if it is more specific than the record's: `MusicEvent`."""

    def to_object(self) -> wire.Object:
        """Converts to the contract's object."""
        return wire.Object(self.schema_type, min(max(float(self.confidence), 0.0), 1.0), self.record.fields())


def _attribute(cls: type[Record], field: dataclasses.Field[Any], hint: Any) -> Attribute:
    properties = dict(field.metadata)
    optional = repeated = False
    if get_origin(hint) in (Union, types.UnionType) and type(None) in get_args(hint):
        optional = True
        hint = next(each for each in get_args(hint) if each is not type(None))
    if get_origin(hint) is list:
        repeated = True
        (hint,) = get_args(hint)
    properties.setdefault("name", field.name.replace("_", "-"))
    if not NAME.fullmatch(properties["name"]):
        raise TypeError(
            f"{cls.__name__}.{field.name}: invalid attribute name `{properties['name']}`:"
            " expected lowercase letters, digits and underscores, beginning with a letter, such as prep_time"
        )
    properties.setdefault("label", field.name.replace("_", " ").capitalize())
    properties.setdefault("required", not optional and not repeated)
    kind = _kind(hint)
    if kind is None:
        raise TypeError(
            f"{cls.__name__}.{field.name}: invalid annotation {hint}:"
            " expected a kind such as Text, DateTime or Money, with `| None` or in `list[…]`"
        )
    return Attribute(field=field.name, kind=kind.name, repeated=repeated, **properties)


def _kind(hint: Any) -> Kind | None:
    if get_origin(hint) is Annotated:
        return next((each for each in hint.__metadata__ if isinstance(each, Kind)), None)
    return PLAIN_KINDS.get(hint)


def _single(name: str, value: Any) -> Any:
    """Converts one value; raises an error for an invalid one as soon as the author sets it."""
    match value:
        case None | str() | bool() | int() | float() | Mapping():
            return value
        case Element():
            return value.text
        case Entity():
            wanted = 'an entity; write `.get("name")`, or another property of it'
        case list() | tuple() | set() | frozenset():
            wanted = "several values, but the attribute has one; annotate it with `list[…]` if there may be more"
        case _:
            wanted = f"a {type(value).__name__}; a value is a text, an element, a number, a boolean or a mapping"
    raise TypeError(f"{name}: {value!r} is {wanted}")


def _node(value: Any) -> int | None:
    return value.element.node if isinstance(value, At) else None


def _to_wire(value: Any) -> Any:
    match value:
        case str():
            # A text of the page is a subclass of `str`, which the bindings do not accept.
            return wire.ValueText(str(value))
        case bool():
            return wire.ValueBoolean(value)
        case int():
            return wire.ValueInteger(value)
        case float():
            return wire.ValueReal(value)
        case Mapping():
            return wire.ValueJson(json.dumps(dict(value), ensure_ascii=False))
    raise AssertionError(f"{value!r} was not checked")


def _from_wire(value: Any) -> Any:
    return json.loads(value.value) if isinstance(value, wire.ValueJson) else value.value
