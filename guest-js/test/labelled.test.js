import assert from "node:assert/strict";
import { test } from "node:test";

import { Reading, ends } from "magpie-vertical";

import { page } from "./pages.js";

test("labels come with their values, whatever they are written in", () => {
  const labels = page(`
    <dl><dt>Closing  Date:</dt><dd>3 May</dd><dt>Lost<dt>Place</dt><dd>Ulm <a href=x>map</a></dd></dl>
    <table><tr><th>Salary</th><td>12 EUR</td><td>gross</td></tr><tr><td>no</td><td>label</td></tr></table>
    <ul><li><strong>Contact:</strong> Ada</li><li>Hours: 9 to 5</li><li>See https://example.org/ at 19:30</li></ul>
    <p><b>One</b>: 1<br><b>Two:</b> 2</p><div><b>Team:</b> Finches</div><div>Not: this</div><p>Place: elsewhere</p>`).labelled();
  const shown = [...labels].map(([label, { value, from }]) => `${label} = ${value} <${from.tag}>`);
  assert.deepEqual(shown, [
    "closing date = 3 May <dd>", "place = Ulm map <dd>", "salary = 12 EUR <td>", "contact = Ada <li>", "hours = 9 to 5 <li>",
    "one = 1 <p>", "two = 2 <p>", "team = Finches <div>",
  ]);
});

test("a range of dates has two ends", () => {
  for (const [text, end] of [
    ["28 October – 2 November 2026", "2 November 2026"],
    ["28–30 October 2026", "30 October 2026"],
    ["Oct 28-30, 2026", "Oct 30, 2026"],
    ["October 28 to 30, 2026", "October 30, 2026"],
    ["28. bis 30. Oktober 2026", "30. Oktober 2026"],
    ["28.-30.10.2026", "30.10.2026"],
    ["28.10. - 30.10.2026", "30.10.2026"],
    ["2026-10-28/2026-10-30", "2026-10-30"],
    ["2026-10-28 – 2026-10-30", "2026-10-30"],
    ["3 May 2026, 19:30–22:00", "3 May 2026, 22:00"],
    ["19:30 – 22:00 Uhr", "22:00 Uhr"],
    ["2026-10-28", null],
    ["28 October 2026", null],
    ["3 May, Ada - Bo", null],
    ["1 - 2 - 3 May", null],
  ]) {
    assert.deepEqual(ends(text), [text, end], text);
  }
  const reading = new Reading("1–2 May", null);
  assert.deepEqual(ends(reading), [reading, new Reading("2 May", null)]);
  assert.deepEqual(ends(null), [null, null]);
});
