"""The contract's functions over a vertical."""

import sys
import unittest
from collections.abc import Callable, Iterator
from typing import Any

from magpie_vertical import (
    BadOption,
    DateTime,
    Found,
    InvalidSelector,
    Isbn,
    Judgement,
    Option,
    Page,
    Person,
    Record,
    Text,
    UnexpectedPage,
    Validator,
    Verdict,
    Vertical,
    attribute,
    component,
    wire,
)
from magpie_vertical.testing import extract, judge, page_from_html


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


class Reviews(Validator):
    object_type = "Review"
    options = [Option("most", 1, "Ratings of a review.")]

    def judge(self, page: Page) -> bool | Judgement:
        stars = len(page.select(".stars"))
        if page.select("h7"):
            return None  # type: ignore[return-value]
        return Judgement(True, 0.9, "stars") if 0 < stars <= self.option("most") else False


class Strict(Books):
    def compare(self, one: Book, other: Book) -> Verdict:
        return Verdict(float(one == other), ["all the same"])


def giving(result: Callable[[], Any]) -> type[Vertical[Book]]:
    """A vertical that returns a given result for any page."""

    class Giving(Vertical[Book]):
        def extract(self, page: Page) -> Any:
            return result()

    return Giving


def answered(functions: Any, html: str) -> wire.Error:
    """Error with which a component answers."""
    try:
        functions.extract(page_from_html("https://example.org/", html).host)
    except wire.Err as error:
        return error.value
    raise AssertionError("it must answer with an error")


def described(vertical: type[Vertical[Book]] = Books) -> wire.VerticalInfo:
    return component.describe(vertical(), "books", "0.2.0", "Books.")


class ComponentTest(unittest.TestCase):
    def test_a_validator_judges_pages(self) -> None:
        page = page_from_html("https://example.org/", "<p class=stars>****</p>")
        self.assertEqual(judge(Reviews, page), Judgement(True, 0.9, "stars"))
        self.assertEqual(judge(Reviews, page, {"most": 0}), Judgement(False))
        with self.assertRaisesRegex(TypeError, "must return True, False or a Judgement, not None"):
            judge(Reviews, page_from_html("https://example.org/", "<h7>x</h7>"))
        with self.assertRaisesRegex(ValueError, "expected 0 to 1"):
            Judgement(True, 2.0)
        self.assertEqual(Reviews.world(), "validator")
        description, validation = component.export(Reviews, "reviews", "0.1.0", "Reviews.")
        info = description().describe()
        self.assertEqual((info.name, info.object_type, info.attributes), ("reviews", "Review", []))
        self.assertEqual(validation().judge(page.host), wire.Judgement(True, 0.9, "stars"))

    def test_properties_of_schema_org_are_described(self) -> None:
        class Place(Record):
            at: Text = attribute(schema_org="location.geo")

        class Places(Vertical[Place]):
            def extract(self, page: Page) -> list[Place]:
                return []

        (at,) = component.describe(Places(), "places", "0.1.0", "Places.").attributes
        self.assertEqual(at.extra, [("schema.org", "location.geo")])
        with self.assertRaisesRegex(TypeError, "invalid schema_org `start date`"):
            attribute(schema_org="start date")

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

    def test_errors_have_the_authors_line(self) -> None:
        functions = component.extraction(Books())()
        for html, code, message in [
            ("<h1>broken", "unexpected-page", r"^no such heading \(test_component.py:\d+\)$"),
            ("<h1>defect", "internal", r"^KeyError: .* has no attribute id.* \(test_component.py:\d+\)$"),
        ]:
            error = answered(functions, html)
            self.assertEqual(error.code, code)
            self.assertRegex(error.message, message)

    def test_results_that_are_not_records_are_reported(self) -> None:
        for result, message in [
            (None, r"must return or yield records, not None \(test_component.py:\d+\)$"),
            (Book(title="One"), r"must return or yield records, not a Book"),
            ([Book(title="One"), {"title": "Two"}], r"gave a dict as object #1, .* \(test_component.py:\d+\)$"),
        ]:
            error = answered(component.extraction(giving(lambda result=result: result)())(), "")
            self.assertRegex(error.message, message)

    def test_wrong_values_are_reported_with_their_line(self) -> None:
        error = answered(component.extraction(giving(lambda: [Book(title=7j)])())(), "")
        self.assertRegex(error.message, r"^TypeError: Book.title: 7j is a complex; .* \(test_component.py:\d+\)$")

    def test_the_log_has_the_authors_lines_only(self) -> None:
        def made() -> list[Book]:
            return [Book(title=7j)]

        logged: list[str] = []
        before, wire.log = wire.log, lambda level, line: logged.append(line)
        try:
            answered(component.extraction(giving(made)())(), "")
        finally:
            wire.log = before
        files = [line for line in logged if line.startswith("  File")]
        self.assertTrue(files and all("test_component.py" in line for line in files), logged)
        self.assertEqual(logged[0], "Traceback (most recent call last):")
        self.assertIn("Book.title: 7j is a complex", logged[-1])

    def test_unsupported_operations_are_reported_with_advice(self) -> None:
        def late() -> list[Book]:
            import no_such_module  # noqa: F401

            return []

        for work, message in [
            (lambda: sys.exit(3), r"sys.exit\(3\) was called; return"),
            (late, r"^No module named 'no_such_module': .* at the top of the file \(test_component.py:\d+\)$"),
        ]:
            self.assertRegex(answered(component.extraction(giving(work)())(), "").message, message)

    def test_paths_are_reported_as_the_author_knows_them(self) -> None:
        code = compile("0", "/2/shop/lists.py", "exec")
        self.assertEqual(component.file_of(code), "src/shop/lists.py")
        self.assertEqual(component.MOUNTED.sub(component.relative, 'File "/1/magpie_vertical/page.py", line 3'),
                         'File "magpie_vertical/page.py", line 3')

    def test_invalid_options_are_refused(self) -> None:
        for arguments, message in [
            (("Max", 1, ""), "invalid option name"),
            (("max", None, ""), "invalid default None"),
            (("max", "c", "", ("a", "b")), "one of its choices"),
        ]:
            with self.assertRaisesRegex(TypeError, message):
                Option(*arguments)

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
