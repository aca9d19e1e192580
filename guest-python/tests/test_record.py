"""Schemas, and their conversion to the contract."""

import unittest
from typing import Annotated

from magpie_vertical import (
    DateTime,
    Kind,
    Number,
    Person,
    Properties,
    Record,
    Text,
    Url,
    VerticalError,
    attribute,
    wire,
)
from magpie_vertical.testing import page_from_html


class Concert(Record, name="MusicEvent"):
    title: Text = attribute(identifies=True, query=True, weight=2.0)
    start_time: DateTime | None = attribute(default=None, expires=True, label="Start")
    performers: list[Person] = attribute(default_factory=list, name="performer")
    code: Annotated[str, Kind("identifier:isrc")] | None = None
    length: Number | None = None
    more: Properties | None = None
    url: Url | None = None


class RecordTest(unittest.TestCase):
    def test_annotations_are_the_schema(self) -> None:
        self.assertEqual(Concert.object_type, "MusicEvent")
        title, start, performer, code, *_ = Concert.schema
        self.assertEqual((title.name, title.kind, title.label), ("title", "text", "Title"))
        self.assertTrue(title.required and title.identifies and title.query and not title.repeated)
        self.assertEqual((start.name, start.kind, start.label), ("start-time", "date-time", "Start"))
        self.assertTrue(start.expires and not start.required)
        self.assertEqual((performer.name, performer.repeated, performer.required), ("performer", True, False))
        self.assertEqual(code.kind, "identifier:isrc")

    def test_types_without_meaning_are_refused(self) -> None:
        with self.assertRaisesRegex(TypeError, "Odd.thing"):

            class Odd(Record):
                thing: object

    def test_names_that_records_have_themselves_are_refused(self) -> None:
        for name in ["values", "fields", "schema", "object_type", "from_values", "from_object"]:
            with self.assertRaisesRegex(TypeError, rf'Odd.{name}: .*`attribute\(name="{name}"\)`'):
                type("Odd", (Record,), {"__annotations__": {name: Text | None}, name: None})

        class Even(Record):
            all_values: Text | None = attribute(default=None, name="values")

        self.assertEqual(Even.schema[0].name, "values")
        with self.assertRaisesRegex(TypeError, "invalid attribute name `Title`"):
            type("Odd", (Record,), {"__annotations__": {"Title": Text}})

    def test_kinds_are_those_of_the_contract(self) -> None:
        for name in ["akronym", "identifier:", "identifier:is rc", ""]:
            with self.assertRaisesRegex(TypeError, f"unknown kind `{name}`: expected text, person"):
                Kind(name)

    def test_values_of_another_type_are_refused_where_they_are_written(self) -> None:
        page = page_from_html("https://example.org/", "<h1>Night</h1>")
        heading = page.first("h1")
        (event,) = page_from_html(
            "https://example.org/", '<script type="application/ld+json">{"@type": "Event", "name": "A"}</script>'
        ).entities("Event")
        for name, value, words in [
            ("title", event, 'an entity; write `.get\\("name"\\)`'),
            ("title", ["a"], "the attribute has one"),
            ("title", b"a", "is a bytes"),
            ("performers", [b"a"], "is a bytes"),
            ("performers", 7.0 + 1j, "is a complex"),
        ]:
            with self.assertRaisesRegex(TypeError, f"^Concert.{name}: .*{words}"):
                Concert(**{"title": "x", name: value})
        # An element is converted to its text. A value that is set later is checked when the record
        # is converted.
        concert = Concert(title=heading, performers=[heading])
        self.assertEqual([field.node for field in concert.fields()], [heading.node, heading.node])
        concert.title = object()
        with self.assertRaisesRegex(TypeError, "^Concert.title: "):
            concert.fields()

    def test_one_value_of_a_repeated_attribute_is_not_split(self) -> None:
        self.assertEqual(Concert(title="x", performers="Ada, Bo").performers, ["Ada, Bo"])
        self.assertEqual(Concert(title="x", performers=None).performers, [])
        self.assertEqual(Concert(title="x", performers=(each for each in "ab")).performers, ["a", "b"])

    def test_values_keep_their_element(self) -> None:
        page = page_from_html("https://example.org/", "<h1>Night Music</h1><p>Ada</p>")
        heading = page.first("h1")
        assert heading
        concert = Concert(title=heading.text, performers=["Ada", " "], length=2, more={"hall": "big"})
        fields = [(field.path, field.value, field.node) for field in concert.fields()]
        self.assertEqual(
            fields,
            [
                ("title", wire.ValueText("Night Music"), heading.node),
                ("performer", wire.ValueText("Ada"), None),
                ("length", wire.ValueInteger(2), None),
                ("more", wire.ValueJson('{"hall": "big"}'), None),
            ],
        )
        # The bindings accept no subclass of `str`.
        self.assertIs(type(concert.fields()[0].value.value), str)

    def test_objects_become_records_again(self) -> None:
        concert = Concert(title="Night Music", performers=["Ada", "Bo"], more={"hall": "big"})
        self.assertEqual(Concert.from_object(wire.Object("", 1.0, concert.fields())), concert)
        with self.assertRaisesRegex(VerticalError, "has no title"):
            Concert.from_values([("performer", "Ada")])


if __name__ == "__main__":
    unittest.main()
