import assert from "node:assert/strict";
import { test } from "node:test";

import { Element, VerticalError } from "magpie-vertical";

import { page } from "./pages.js";

const CARDS = `
  <base href="/shop/">
  <ul><li class="card" id="one"><h3>Tempest <small>new</small></h3><a href="1?a=b">more</a></li>
  <li class="card"><h3>Hamlet</h3></li></ul>`;

test("elements are found, and the same one is the same object", () => {
  const one = page(CARDS).first("#one");
  assert.ok(one instanceof Element);
  assert.equal(one.first("h3").parent, one);
  assert.equal(one.tag, "li");
  assert.equal(one.first("h3").text, "Tempest new");
  assert.equal(one.first("h3").ownText, "Tempest");
  assert.deepEqual(one.attrs, { class: "card", id: "one" });
  assert.equal(one.attr("title"), null);
  assert.equal(one.first("h4"), null);
  assert.deepEqual(one.children.map(({ tag }) => tag), ["h3", "a"]);
  assert.equal(one.first("h3").next.tag, "a");
  assert.equal(one.first("a").next, null);
  assert.equal(one.first("small").closest("li"), one);
  assert.equal(one.closest("table"), null);
  assert.ok(one.matches(".card") && one.isBefore(one.next));
});

test("references are resolved by the page's base", () => {
  assert.equal(page(CARDS).first("a").url(), "https://example.org/shop/1?a=b");
  assert.equal(page(CARDS).first("h3").url("href"), null);
});

test("readings remember their element and take the first that is there", () => {
  const [time] = page('<time datetime="">3 May</time>').select("time");
  const reading = time.read("@datetime", "text");
  assert.equal(`${reading}`, "3 May");
  assert.equal(reading.from, time);
  assert.equal(reading.map((text) => text.length).value, 5);
  assert.equal(reading.map(() => null), null);
  assert.equal(time.read("@title"), null);
  assert.throws(() => time.read("title"), /invalid column/);
});

test("readings have the methods of a text", () => {
  const reading = page("<p> Feathers; <b>Nests</b>,, eggs </p>").first("p").read();
  assert.deepEqual(reading.split(/[;,]/).map(({ value, from }) => [value, from.tag]), [["Feathers", "p"], ["Nests", "p"], ["eggs", "p"]]);
  assert.equal(reading.replace("Nests", "twigs").slice(0, 8).toUpperCase().value, "FEATHERS");
  assert.equal(reading.trim().from, reading.from);
  assert.ok(reading.includes("eggs") && reading.startsWith("Feathers") && !reading.endsWith(";"));
  assert.equal(reading.match(/N\w+/)[0], "Nests");
});

test("a table has a reading or nothing for each column", () => {
  const rows = page(CARDS).table("li.card", { title: "h3", url: ["a", "url:href"], id: ["", "@id"] });
  assert.deepEqual(rows.map(({ title }) => `${title}`), ["Tempest new", "Hamlet"]);
  assert.equal(rows[0].url.value, "https://example.org/shop/1?a=b");
  assert.equal(rows[0].url.from.tag, "a");
  assert.equal(rows[0].id.from, rows[0].element);
  assert.equal(rows[1].url, null);
});

test("a selector that can't be parsed is an error with a stack", () => {
  assert.throws(() => page(CARDS).select("a[[["), (error) => error instanceof VerticalError && error.code === "invalid-selector");
});

test("what is known of the page", () => {
  const it = page("<p>One</p><p>Two <b>three</b></p>", { fetchedAt: "2026-03-01T12:00:00Z", headers: { "Content-Language": "de" } });
  assert.equal(it.text, "One\nTwo three");
  assert.equal(it.title, "A page");
  assert.equal(it.language, "en");
  assert.equal(it.header("content-language"), "de");
  assert.equal(it.fetchedAt.toISOString(), "2026-03-01T12:00:00.000Z");
  assert.equal(it.status, 200);
  assert.equal(it.contentType, "text/html");
});

const OFFER = `<script type="application/ld+json">{"@context": "https://schema.org", "@graph": [
  {"@type": "https://schema.org/MusicEvent", "@id": "#e", "name": " Night Music ", "url": "/night",
   "location": {"@type": "Place", "name": "Old Mill", "address": {"@type": "PostalAddress", "addressLocality": "Ulm"}},
   "performer": ["Ada", {"@type": "Person", "name": "Bo"}, {"@type": "Person"}], "offers": {"price": "12.50"}}]}</script>`;

test("structured data is read by paths", () => {
  const it = page(OFFER);
  const [event] = it.structured;
  assert.ok(event.is("MusicEvent") && event.is("*Event") && !event.is("Event"));
  assert.equal(event.get("name"), "Night Music");
  assert.equal(event.get("location"), "Old Mill");
  assert.equal(event.get("location.address.addressLocality"), "Ulm");
  assert.deepEqual(event.all("performer"), ["Ada", "Bo"]);
  assert.equal(event.number("offers.price"), 12.5);
  assert.equal(event.get("nothing.at.all"), null);
  assert.equal(event.read("name").from.tag, "script");
  assert.equal(event.entity("location").get("name"), "Old Mill");
  assert.equal(event.id, "https://example.org/#e");
  assert.equal(event.get("url"), "https://example.org/night");
  assert.equal(event.syntax, "json-ld");
  assert.equal(it.entities("Place").length, 1);
  assert.equal(it.entities().length, 6);
});

test("names that every object has are no properties", () => {
  const [entity] = page(OFFER).structured;
  assert.equal(entity.get("constructor"), null);
  assert.equal(entity.get("toString.name"), null);
});

const SEARCH = `
  <search><form action="/find" accept-charset="utf-8"><h2>Find a concert</h2>
    <label for="q">Words</label> <input id="q" type="search" name="q" required maxlength="40" pattern="\\w+">
    <label>Venue <select name="venue"><option value="">all</option><option value="7" selected>Old Mill</option></select></label>
    <label><input type="checkbox" name="day" value="sa"> Saturday</label>
    <label><input type="checkbox" name="day" value="su" checked> Sunday</label>
    <input type="hidden" name="token" value="a">
    <button name="go" value="1">Find</button>
  </form></search>
  <form onsubmit="find()"><input type="datetime-local"></form>
  <form method="POST"></form>`;

test("forms have fields with labels, choices and hidden values", () => {
  const made = page(SEARCH);
  const [form, scripted, plain] = made.forms;
  assert.equal(made.forms, made.forms);
  assert.equal(form.element, made.first("form"));
  assert.equal(form.action, "https://example.org/find");
  assert.deepEqual([form.method, form.role, form.heading, form.cut], ["get", "search", "Find a concert", false]);
  assert.deepEqual(form.fields.map(({ name, kind, label }) => [name, kind, label]), [
    ["q", "search", "Words"], ["venue", "select", "Venue"], ["day", "checkbox", ""], ["token", "hidden", ""],
  ]);
  const words = form.field("q");
  assert.equal(words.element, made.first("#q"));
  assert.deepEqual([words.required, words.pattern, words.maxLength, words.min], [true, "\\w+", 40, null]);
  assert.deepEqual(form.field("venue").choices[1], { value: "7", label: "Old Mill", selected: true, disabled: false });
  assert.deepEqual(form.field("day").choices.map(({ label, selected }) => [label, selected]), [["Saturday", false], ["Sunday", true]]);
  assert.deepEqual([form.field("token").value, form.field("token").hidden], ["a", true]);
  assert.equal(form.field("missing"), null);
  assert.deepEqual(form.submits.map(({ name, label, action }) => [name, label, action]), [["go", "Find", null]]);
  assert.deepEqual([scripted.action, scripted.fields[0].kind], [null, "datetime"]);
  assert.deepEqual([plain.action, plain.method], [made.url, "post"]);
});
