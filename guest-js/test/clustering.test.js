import assert from "node:assert/strict";
import { test } from "node:test";

import { defineVertical } from "magpie-vertical";
import { exportsOf } from "magpie-vertical/component";

const text = (path, val) => ({ path, value: { tag: "text", val }, node: null });
const object = (...fields) => ({ schemaType: "", confidence: 1, fields });

const vertical = defineVertical({
  object: "Book",
  attributes: { title: { kind: "text", identifies: true }, author: { kind: "person", repeated: true, identifies: true }, data: "properties" },
  extract: () => [],
  prepare: ({ title, author }) => ({ title: title.toLowerCase(), author }),
  keys: ({ title, author }) => ({ title, author, none: null, empty: "" }),
  compare: (one, other) => (one.title === other.title ? { probability: 0.9, reasons: ["same title"] } : 0.1),
  queries: ({ title, author }) => [{ text: `"${title}"`, purpose: "exact" }, author[0] && { text: author[0] }, null],
});

const { clustering, querying } = exportsOf(vertical, {});

test("keys and features of each object", () => {
  const [book] = clustering.prepare([object(text("title", "Émile 😀"), text("author", "Ada"), text("author", "Bo"))]);
  assert.deepEqual(book.keys, [
    { scheme: "title", value: "émile 😀" },
    { scheme: "author", value: "Ada" },
    { scheme: "author", value: "Bo" },
  ]);
  assert.ok(book.features instanceof Uint8Array && book.features.every((byte) => byte < 0x80));
});

test("features find their way back to compare", () => {
  const [one, two, other] = clustering.prepare(["Émile 😀", "ÉMILE 😀", "Emil"].map((title) => object(text("title", title))));
  assert.deepEqual(clustering.compare(one.features, [two.features, other.features]), [
    { probability: 0.9, reasons: ["same title"] },
    { probability: 0.1, reasons: [] },
  ]);
});

test("foreign features are refused", () => {
  const code = (call) => {
    try { call(); } catch (error) { return error.code; }
  };
  assert.equal(code(() => clustering.compare(Uint8Array.of(1, 2), [])), "bad-features");
});

test("merging is by vote, and the label is what identifies", () => {
  const merged = clustering.merge([
    object(text("title", "Tempest")),
    object(text("title", "The Tempest"), text("author", "W. S.")),
    object(text("title", "the tempest"), { path: "data", value: { tag: "json", val: '{"a":1}' }, node: null }),
  ]);
  assert.deepEqual(merged, {
    label: "Tempest",
    keep: [{ path: "title", source: 1 }, { path: "author", source: 1 }, { path: "data", source: 2 }],
  });
});

test("an author's own merge is taken", () => {
  const own = defineVertical({ ...vertical.declaration, merge: (all) => ({ label: all[1].title, keep: { title: 1 } }) });
  const merged = exportsOf(own, {}).clustering.merge([object(text("title", "A")), object(text("title", "B"))]);
  assert.deepEqual(merged, { label: "B", keep: [{ path: "title", source: 1 }] });
});

test("queries leave out what is not there", () => {
  assert.deepEqual(querying.queries(object(text("title", "Émile"))), [{ text: '"Émile"', purpose: "exact" }]);
});
