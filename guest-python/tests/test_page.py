"""Pages, elements and structured data, with the replacement of the host."""

import unittest

from magpie_vertical import At, FormChoice, InvalidSelector
from magpie_vertical.testing import page_from_html

HTML = """
<html lang="en-GB"><head><title> Two
 things </title>
<script type="application/ld+json">
{"@graph": [{"@type": "https://schema.org/Recipe", "name": "Soup", "cookTime": ["PT1H"],
  "author": [{"@type": "Person", "name": "Ada", "address": {"@type": "PostalAddress", "postalCode": 1234}},
    "Bo"]}]}
</script></head>
<body><ul id=list><li class="card wide" data-id=7><h3>One</h3> <a href="/one?x=1">more</a>
<li class=card><h3>Two</h3></ul>
<p>First<br>second <b>bold</b> text</p></body></html>
"""


class PageTest(unittest.TestCase):
    def setUp(self) -> None:
        self.page = page_from_html("https://example.org/a/b", HTML, headers={"X-Served-By": "cache"})

    def test_facts(self) -> None:
        page = self.page
        self.assertEqual(page.title, "Two things")
        self.assertEqual((page.language, page.status, page.content_type), ("en-GB", 200, "text/html"))
        self.assertEqual(page.header("x-served-by"), "cache")
        self.assertEqual(page.fetched_at.isoformat(), "2026-03-01T12:00:00+00:00")
        self.assertEqual(page.resolve("../c"), "https://example.org/c")

    def test_text_knows_its_element(self) -> None:
        heading = self.page.first("li.card > h3")
        assert heading
        self.assertEqual(heading.text, "One")
        self.assertIsInstance(heading.text, At)
        self.assertEqual(heading.text.element, heading)
        self.assertEqual(heading.text.element.parent, self.page.first("li"))
        # A derived text is a plain `str`, until `At` gives it an element.
        self.assertNotIsInstance(heading.text.lower(), At)
        self.assertEqual(At(heading.text.lower(), heading).element, heading)

    def test_lines_are_those_of_visible_text(self) -> None:
        paragraph = self.page.first("p")
        assert paragraph
        self.assertEqual(paragraph.text, "First\nsecond bold text")
        self.assertEqual(paragraph.own_text, "First\nsecond text")

    def test_attributes(self) -> None:
        card, link = self.page.first("[data-id='7']"), self.page.first("a")
        assert card and link
        self.assertEqual(card["data-id"], "7")
        self.assertEqual(card.classes, ["card", "wide"])
        self.assertIsNone(card.attr("id"))
        with self.assertRaises(KeyError):
            card["id"]
        self.assertEqual(link.url(), "https://example.org/one?x=1")
        self.assertEqual([each.tag for each in link.ancestors], ["li", "ul", "body", "html", "#document"])

    def test_tables_read_all_columns(self) -> None:
        rows = self.page.table("li", title="h3", link="a::url(href)", number="::attr(data-id)")
        self.assertEqual(rows[0].cells, {"title": "One", "link": "https://example.org/one?x=1", "number": "7"})
        self.assertIsNone(rows[1]["link"])
        self.assertEqual(rows[1].element.classes, ["card"])

    def test_invalid_selectors_are_refused(self) -> None:
        structural = ["li:nth-child(x)", "li:hover", "li:is(a", "li:has()", "li:first-child()"]
        for css in ["li[", "..", "a >", "> a", "a,", *structural]:
            with self.assertRaises(InvalidSelector):
                self.page.select(css)

    def test_structural_pseudo_classes(self) -> None:
        page = page_from_html(
            "https://example.org/",
            "<table><tr><th>a<td>1<td>2<td>3<tr><td><b>4</b><td><td>6</table><p id=p>x<p>y",
        )
        for css, texts in [
            ("td:nth-child(2)", "1 "),
            ("td:nth-of-type(2)", "2 "),
            ("td:nth-child(odd)", "2 4 6"),
            ("td:nth-child(-n + 2)", "1 4 "),
            ("td:nth-child(n+4)", "3"),
            ("td:nth-last-child(1), th", "a 3 6"),
            ("td:empty", ""),
            (":is(th, b)", "a 4"),
            ("tr:has(> th) td:last-child", "3"),
            ("tr:has(td b) td:only-child", None),
            ("td:has(+ td:empty)", "4"),
            ("td:not(:nth-child(2), :has(b))", "2 3 6"),
            ("p:first-of-type", "x"),
            ("p:where(#p ~ *)", "y"),
            ("TH", "a"),
        ]:
            found = [each.text for each in page.select(css)]
            self.assertEqual(" ".join(found) if found else None, texts, css)
        table = page.first("table")
        assert table
        self.assertEqual([each.text for each in table.select(":scope > tr:first-child > th")], ["a"])

    def test_structured_data(self) -> None:
        (recipe,) = self.page.entities("Recipe")
        self.assertEqual(recipe.get("name"), "Soup")
        self.assertEqual(recipe.all("author"), ["Ada", "Bo"])
        self.assertEqual(recipe.get("author.address.postalCode"), "1234")
        self.assertEqual(recipe.get("author.telephone"), None)
        self.assertTrue(recipe.is_a("*cipe") and not recipe.is_a("cipe"))
        self.assertEqual([each.types for each in self.page.entities()], [["Recipe"], ["Person"], ["PostalAddress"]])

    def test_references_in_structured_data_are_absolute(self) -> None:
        text = '{"@type": "schema:Event", "@id": "#e", "url": "/e", "image": ["a.png"], "name": "/e", "sameAs": " "}'
        page = page_from_html("https://example.org/x/", f'<script type="application/ld+json">{text}</script>')
        (event,) = page.entities("Event")
        self.assertEqual(event.get("url"), "https://example.org/e")
        self.assertEqual(event.get("image"), "https://example.org/x/a.png")
        self.assertEqual((event.get("name"), event.id), ("/e", "https://example.org/x/#e"))

    def test_outline_has_text_nodes(self) -> None:
        (bold,) = [node for node in self.page.outline if node.tag == "b"]
        self.assertEqual(bold.text, "bold")
        self.assertEqual([child.tag for child in bold.children], ["#text"])
        self.assertEqual(bold.element.html, "<b>bold</b>")



SEARCH = """
<search><form action="/find"><h2>Find a concert</h2>
  <label for=q>Words</label> <input id=q type=search name=q required maxlength=40 pattern="\\w+">
  <label>Venue <select name=venue><option value="">all<option value=7 selected>Old Mill</select></label>
  <label><input type=checkbox name=day value=sa> Saturday</label>
  <input type=checkbox name=day value=su checked> Sunday
  <input type=hidden name=token value=a>
  <button name=go value=1>Find</button>
</form></search>
<form onsubmit="find()"><input type=datetime-local></form>
<form method=POST></form>
"""


class FormTest(unittest.TestCase):
    def setUp(self) -> None:
        self.page = page_from_html("https://example.org/a?b=1#top", SEARCH)

    def test_forms_state_where_they_are_sent(self) -> None:
        form, scripted, plain = self.page.forms
        self.assertEqual(form.element, self.page.first("form"))
        self.assertEqual((form.action, form.method), ("https://example.org/find", "get"))
        self.assertEqual((form.role, form.heading, form.cut), ("search", "Find a concert", False))
        self.assertIsNone(scripted.action)
        self.assertEqual(scripted.fields[0].kind, "datetime")
        self.assertEqual((plain.action, plain.method), ("https://example.org/a?b=1", "post"))

    def test_fields_have_labels_choices_and_hidden_values(self) -> None:
        form = self.page.forms[0]
        kinds = [("q", "search"), ("venue", "select"), ("day", "checkbox"), ("token", "hidden")]
        self.assertEqual([(field.name, field.kind) for field in form.fields], kinds)
        self.assertEqual([field.label for field in form.fields], ["Words", "Venue", "", ""])
        words, venue, day, token = form.fields
        self.assertEqual((words.required, words.pattern, words.max_length, words.min), (True, "\\w+", 40, None))
        self.assertEqual(venue.choices[1], FormChoice("7", "Old Mill", True, False))
        self.assertEqual([(each.label, each.selected) for each in day.choices], [("Saturday", False), ("Sunday", True)])
        self.assertEqual((token.value, token.hidden), ("a", True))
        self.assertEqual(form.field("token"), token)
        self.assertIsNone(form.field("missing"))
        self.assertEqual([(each.name, each.label) for each in form.submits], [("go", "Find")])


if __name__ == "__main__":
    unittest.main()
