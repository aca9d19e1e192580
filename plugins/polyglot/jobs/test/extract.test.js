import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";

import { parseHTML } from "linkedom";
import { extract, pageOf } from "magpie-vertical/testing";

import vertical from "../src/index.js";

/** Returns the attributes found on a page. */
function offers(html, url) {
  const { document } = parseHTML(html);
  return extract(vertical, pageOf(document, { url })).map(({ attributes }) => attributes);
}

/** Returns the page of a fixture. Values that the host would normalise are as written. */
function fixture(name) {
  const folder = new URL(`../fixtures/${name}/`, import.meta.url);
  const { url } = JSON.parse(fs.readFileSync(new URL("page.json", folder), "utf8"));
  return offers(fs.readFileSync(new URL("page.html", folder), "utf8"), url);
}

test("an offer in JSON-LD", () => {
  const [offer] = fixture("structured-detail");
  assert.equal(offer.employer, "Harrow Street Bakery");
  assert.equal(offer.salary, "34000-38000 GBP");
  assert.deepEqual(offer.place, ["Leeds"]);
});

test("a plain page: labels are found, and what stands elsewhere is not taken", () => {
  const [offer] = fixture("plain-english");
  assert.equal(offer.title, "Head Baker");
  assert.equal(offer.salary, "£34,000 - £38,000 per annum, depending on experience");
  assert.deepEqual(offer.place, ["Leeds"]);
  assert.deepEqual(offer.employmentType, ["full-time", "permanent"]);
});

test("two places are two", () => {
  assert.deepEqual(fixture("plain-french")[0].place, ["Nantes", "Rennes"]);
});

test("lists of records and tables", () => {
  assert.equal(fixture("list-plain").length, 7);
  assert.deepEqual(fixture("list-table").map(({ place }) => place[0]), ["Konstanz", "Konstanz", "Radolfzell", "Konstanz"]);
});

test("records without names of classes are read by their order", () => {
  const row = (title, rest) => `<li><a href="/x">${title}</a><br>${rest}</li>`;
  const html = `<html><head><title>Jobs</title></head><body><h1>Jobs</h1><ul>
    ${row("Cook", "The Crumb Company · York · Full-time")}${row("Waiter", "Old Mill · Leeds · Part-time · remote")}
    ${row("Baker", "Kettle · Ilkley · £12.40 an hour · Closing date: 3 May 2026")}</ul></body></html>`;
  const found = offers(html, "https://example.org/");
  assert.deepEqual(found.map(({ employer, place }) => `${employer}, ${place}`), [
    "The Crumb Company, York", "Old Mill, Leeds", "Kettle, Ilkley",
  ]);
  assert.equal(found[1].remote, true);
  assert.equal(found[2].validThrough, "3 May 2026");
});

test("pages about something else have none", () => {
  for (const name of ["recipe", "career-advice", "about-us", "empty"]) assert.deepEqual(fixture(name), [], name);
});
