"""Labelled values, ranges of dates, and parts of texts."""

import unittest

from magpie_vertical import At, ends
from magpie_vertical.testing import page_from_html

HTML = """
    <dl><dt>Closing  Date:</dt><dd>3 May</dd><dt>Lost<dt>Place</dt><dd>Ulm <a href=x>map</a></dd></dl>
    <table><tr><th>Salary</th><td>12 EUR</td><td>gross</td></tr><tr><td>no</td><td>label</td></tr></table>
    <ul><li><strong>Contact:</strong> Ada</li><li>Hours: 9 to 5</li><li>See https://example.org/ at 19:30</li></ul>
    <p><b>One</b>: 1<br><b>Two:</b> 2</p><div><b>Team:</b> Finches</div><div>Not: this</div><p>Place: elsewhere</p>"""


class LabelledTest(unittest.TestCase):
    def test_labels_are_found_in_every_usual_form(self) -> None:
        labels = page_from_html("https://example.org/", HTML).labelled()
        self.assertEqual(
            [f"{label} = {value} <{value.element.tag}>" for label, value in labels.items()],
            [
                "closing date = 3 May <dd>",
                "place = Ulm map <dd>",
                "salary = 12 EUR <td>",
                "contact = Ada <li>",
                "hours = 9 to 5 <li>",
                "one = 1 <p>",
                "two = 2 <p>",
                "team = Finches <div>",
            ],
        )

    def test_a_range_of_dates_has_two_ends(self) -> None:
        for text, end in [
            ("28 October – 2 November 2026", "2 November 2026"),
            ("28–30 October 2026", "30 October 2026"),
            ("Oct 28-30, 2026", "Oct 30, 2026"),
            ("October 28 to 30, 2026", "October 30, 2026"),
            ("28. bis 30. Oktober 2026", "30. Oktober 2026"),
            ("28.-30.10.2026", "30.10.2026"),
            ("28.10. - 30.10.2026", "30.10.2026"),
            ("2026-10-28/2026-10-30", "2026-10-30"),
            ("2026-10-28 – 2026-10-30", "2026-10-30"),
            ("3 May 2026, 19:30–22:00", "3 May 2026, 22:00"),
            ("19:30 – 22:00 Uhr", "22:00 Uhr"),
            ("2026-10-28", None),
            ("28 October 2026", None),
            ("3 May, Ada - Bo", None),
            ("1 - 2 - 3 May", None),
        ]:
            self.assertEqual(ends(text), (text, end))
        self.assertEqual(ends(None), (None, None))

    def test_parts_of_a_text_keep_its_element(self) -> None:
        page = page_from_html("https://example.org/", "<p>1–2 May; 4 May,, </p>")
        text = page.text_of("p")
        assert text
        found = text.parts(";,")
        self.assertEqual(found, ["1–2 May", "4 May"])
        _, end = ends(found[0])
        self.assertIsInstance(end, At)
        self.assertEqual((end, end.element), ("2 May", page.first("p")))


if __name__ == "__main__":
    unittest.main()
