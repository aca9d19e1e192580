"""Verticals for Magpie in Python: the public API for authors.

A vertical consists of a record, which is the schema, and a class with a method that finds such
records on a page:

    from collections.abc import Iterator
    from magpie_vertical import DateTime, Page, Record, Text, Url, Vertical, attribute

    class JobOffer(Record):
        title: Text = attribute(identifies=True, query=True, weight=2.0)
        date: DateTime | None = None
        url: Url | None = None

    class JobOffers(Vertical[JobOffer]):
        schema_types = ["JobPosting"]

        def extract(self, page: Page) -> Iterator[JobOffer]:
            for card in page.table("li.job", title="h3", date="time", url="a::url(href)"):
                if card["title"]:
                    yield JobOffer(title=card["title"], date=card["date"], url=card["url"])

A `Validator` judges pages that are relevant without being objects.

Values are texts as found on the page; the host parses dates, money and so on by the attribute's
kind. A text read from the page is a `str` with its element (`At`), so the host can show its source.
"""

from .clustering import Key, Merged, Verdict
from .element import At, Element, Row
from .ends import ends
from .entity import Entity
from .errors import BadOption, InvalidSelector, TooComplex, UnexpectedPage, VerticalError
from .form import Form, FormChoice, FormField, FormSubmit
from .kinds import (
    Boolean,
    Coordinates,
    DateTime,
    Doi,
    Duration,
    Gtin,
    Image,
    Isbn,
    Issn,
    Kind,
    Language,
    Money,
    Mpn,
    Number,
    Organisation,
    Person,
    Place,
    Properties,
    Rating,
    Sku,
    Text,
    Url,
)
from .outline import Outline, OutlineNode
from .page import OwnDate, Page
from .querying import Query
from .record import Attribute, Found, Record, attribute
from .vertical import Judgement, Option, Validator, Vertical

__all__ = [
    "At",
    "Attribute",
    "BadOption",
    "Boolean",
    "Coordinates",
    "DateTime",
    "Doi",
    "Duration",
    "Element",
    "Entity",
    "Form",
    "FormChoice",
    "FormField",
    "FormSubmit",
    "Found",
    "Gtin",
    "Image",
    "InvalidSelector",
    "Isbn",
    "Issn",
    "Judgement",
    "Key",
    "Kind",
    "Language",
    "Merged",
    "Money",
    "Mpn",
    "Number",
    "Option",
    "Organisation",
    "Outline",
    "OutlineNode",
    "OwnDate",
    "Page",
    "Person",
    "Place",
    "Properties",
    "Query",
    "Rating",
    "Record",
    "Row",
    "Sku",
    "Text",
    "TooComplex",
    "UnexpectedPage",
    "Url",
    "Validator",
    "Verdict",
    "Vertical",
    "VerticalError",
    "attribute",
    "ends",
]

__version__ = "0.1.0"
