"""The contract's functions over a vertical."""

import unittest
from collections.abc import Iterator

from magpie_vertical import (
    BadOption,
    DateTime,
    Found,
    InvalidSelector,
    Isbn,
    Option,
    Page,
    Person,
    Record,
    Text,
    UnexpectedPage,
    Verdict,
    Vertical,
    attribute,
    component,
    wire,
)
from magpie_vertical.testing import extract, page_from_html


class Book(Record):
    title: Text = attribute(identifies=True, query=True)
    author: list[Person] = attribute(default_factory=list, query=True)
    published: DateTime | None = None
    isbn: Isbn | None = None


class Books(Vertical[Book]):
    options = [Option("most", 10, "Books taken from a page."), Option("order", "page", "How.", ("page", "name"))]
    schema_types = ["Book"]

    def extract(self, page: Page) -> Iterator[Book | Found[Book]]:
        for heading in page.select("h1, h2")[: self.option("most")]:
            if heading.text == "broken":
                raise UnexpectedPage("no such heading", attribute="title")
            if heading.text == "defect":
                print(heading["id"])
            book = Book(title=heading.text)
            yield book if heading.tag == "h1" else Found(book, confidence=7)


class Strict(Books):
    def compare(self, one: Book, other: Book) -> Verdict:
        return Verdict(float(one == other), ["all the same"])


def described(vertical: type[Vertical[Book]] = Books) -> wire.VerticalInfo:
    return component.describe(vertical(), "books", "0.2.0", "Books.")


class ComponentTest(unittest.TestCase):
    def test_description(self) -> None:
        info = described()
        self.assertEqual(
            (info.name, info.version, info.summary, info.object_type), ("books", "0.2.0", "Books.", "Book")
        )
        self.assertEqual([each.kind for each in info.attributes], ["text", "person", "date-time", "identifier:isbn"])
        self.assertEqual(
            [(each.kind, each.default) for each in info.options], [("integer", "10"), ("choice", '"page"')]
        )
        self.assertEqual(info.routing.schema_types, ["Book"])

    def test_world_is_the_smallest(self) -> None:
        self.assertEqual((Books.world(), Strict.world()), ("extractor", "vertical"))
        self.assertIs(Strict.record, Book)

    def test_records_and_found_become_objects(self) -> None:
        page = page_from_html("https://example.org/", "<h1>One</h1><h2>Two</h2>")
        one, two = [each.to_object() for each in extract(Books, page)]
        self.assertEqual((one.confidence, two.confidence), (1.0, 1.0))
        self.assertEqual(one.fields[0].path, "title")
        self.assertEqual(len(extract(Books, page, {"most": 1})), 1)

    def test_what_is_raised_says_where(self) -> None:
        functions = component.extraction(Books())()
        for html, code, message in [
            ("<h1>broken", "unexpected-page", r"^no such heading \(test_component.py:\d+\)$"),
            ("<h1>defect", "internal", r"^KeyError: .* has no attribute id.* \(test_component.py:\d+\)$"),
        ]:
            with self.assertRaises(wire.Err) as raised:
                functions.extract(page_from_html("https://example.org/", html).host)
            self.assertEqual(raised.exception.value.code, code)
            self.assertRegex(raised.exception.value.message, message)

    def test_errors_of_the_contract(self) -> None:
        with self.assertRaises(BadOption) as raised:
            Books().option("least")
        self.assertEqual(component.to_error(raised.exception).attribute, "least")
        with self.assertRaises(InvalidSelector):
            page_from_html("https://example.org/", "").select("[")

    def test_clustering_by_the_schema(self) -> None:
        books = [
            Book(title="The Tempest", author=["William Shakespeare"], isbn="978-0-7434-8283-4"),
            Book(title="Tempest, The", author=["Shakespeare, William"], isbn="9780743482834"),
            Book(title="The Winter's Tale", author=["William Shakespeare"]),
        ]
        prepared = [component.prepare(Books(), Found(book).to_object()) for book in books]
        schemes = [key.scheme for key in prepared[0].keys]
        self.assertEqual(schemes, ["isbn", "title"])
        self.assertEqual(prepared[0].keys, prepared[1].keys)
        features = [each.features for each in prepared]
        same, different, lost = component.compare(Books(), features[0], [features[1], features[2], b""])
        self.assertGreater(same.probability, 0.95)
        self.assertIn("same isbn", same.reasons)
        self.assertLess(different.probability, 0.3)
        self.assertEqual(lost.probability, 0.0)

    def test_merging_counts_all_objects(self) -> None:
        objects = [
            wire.Object("", 1.0, []),
            Found(Book(title="Tempest")).to_object(),
            Found(Book(title="The Tempest", published="1611")).to_object(),
        ]
        merged = component.merge(Books(), objects)
        self.assertEqual(merged.label, "The Tempest")
        self.assertEqual({choice.path: choice.source for choice in merged.keep}, {"title": 2, "published": 2})

    def test_queries_by_the_schema(self) -> None:
        book = Book(title="The Tempest", author=["William Shakespeare"], isbn="9780743482834")
        queries = Books().queries(book)
        self.assertEqual(
            [(query.text, query.purpose) for query in queries],
            [
                ("9780743482834", "identifier"),
                ('"The Tempest" William Shakespeare', "exact"),
                ("the tempest william shakespeare", "loose"),
            ],
        )


if __name__ == "__main__":
    unittest.main()
