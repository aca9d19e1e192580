"""Kinds: what the values of an attribute mean. The host parses, checks and compares by them.

Each is the type of its values with the kind beside it, so `price: Money` is a `str` to a type checker and to
the author, and money to the host: write what the page says (`"1.234,50 €"`) and let the host read it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias


# The kinds of the contract; `identifier:SCHEME` comes on top.
KINDS = (
    "text person organisation place date-time duration money number rating boolean url image language properties"
).split()


@dataclass(frozen=True)
class Kind:
    """A kind of the contract by its name. For an identifier of your own: `Annotated[str, Kind("identifier:isrc")]`."""

    name: str

    def __post_init__(self) -> None:
        scheme = self.name.removeprefix("identifier:")
        if self.name not in KINDS and (scheme == self.name or not scheme or any(map(str.isspace, scheme))):
            raise TypeError(f"there is no kind `{self.name}`: {', '.join(KINDS)}, identifier:SCHEME")


# Words, and names that are compared with the spellings usual for each.
Text: TypeAlias = Annotated[str, Kind("text")]
Person: TypeAlias = Annotated[str, Kind("person")]
Organisation: TypeAlias = Annotated[str, Kind("organisation")]
Place: TypeAlias = Annotated[str, Kind("place")]

# Times and amounts, as written.
DateTime: TypeAlias = Annotated[str, Kind("date-time")]
Duration: TypeAlias = Annotated[str, Kind("duration")]
Money: TypeAlias = Annotated[str, Kind("money")]
Number: TypeAlias = Annotated[str | int | float, Kind("number")]
Rating: TypeAlias = Annotated[str | int | float, Kind("rating")]
Boolean: TypeAlias = Annotated[str | bool, Kind("boolean")]

# Identifiers, whose check digits the host checks.
Isbn: TypeAlias = Annotated[str, Kind("identifier:isbn")]
Issn: TypeAlias = Annotated[str, Kind("identifier:issn")]
Gtin: TypeAlias = Annotated[str, Kind("identifier:gtin")]
Mpn: TypeAlias = Annotated[str, Kind("identifier:mpn")]
Sku: TypeAlias = Annotated[str, Kind("identifier:sku")]
Doi: TypeAlias = Annotated[str, Kind("identifier:doi")]

# The rest.
Url: TypeAlias = Annotated[str, Kind("url")]
Image: TypeAlias = Annotated[str, Kind("image")]
Language: TypeAlias = Annotated[str, Kind("language")]
Properties: TypeAlias = Annotated[Mapping[str, Any], Kind("properties")]
