"""Kinds of the values of an attribute. The host parses, checks and compares them by kind.

Each is the Python type of the values, annotated with the kind. So `price: Money` is a `str` to a
type checker and to the author, and money to the host. Write the text of the page (`"1.234,50 €"`)
and let the host parse it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias


# The kinds of the contract, besides `identifier:SCHEME`.
KINDS = (
    "text person organisation place coordinates date-time duration money number rating boolean url image language properties"
).split()


@dataclass(frozen=True)
class Kind:
    """A kind of the contract. For an identifier scheme of your own: `Annotated[str,
    Kind("identifier:isrc")]`.
    """

    name: str

    def __post_init__(self) -> None:
        scheme = self.name.removeprefix("identifier:")
        if self.name not in KINDS and (scheme == self.name or not scheme or any(map(str.isspace, scheme))):
            raise TypeError(f"unknown kind `{self.name}`: expected {', '.join(KINDS)} or identifier:SCHEME")


# Words, and names that are compared by the usual spellings of each.
Text: TypeAlias = Annotated[str, Kind("text")]
Person: TypeAlias = Annotated[str, Kind("person")]
Organisation: TypeAlias = Annotated[str, Kind("organisation")]
Place: TypeAlias = Annotated[str, Kind("place")]

# Latitude and longitude in degrees: `52.52,13.405`.
Coordinates: TypeAlias = Annotated[str, Kind("coordinates")]

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

# Others.
Url: TypeAlias = Annotated[str, Kind("url")]
Image: TypeAlias = Annotated[str, Kind("image")]
Language: TypeAlias = Annotated[str, Kind("language")]
Properties: TypeAlias = Annotated[Mapping[str, Any], Kind("properties")]
