/** Plain Node, no Wasm: `npm test`. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { parseHTML } from "linkedom";
import { extract, pageOf } from "magpie-vertical/testing";

import vertical from "../src/index.js";

function found(url, html) {
  const { document } = parseHTML(`<!doctype html><html><body>${html}</body></html>`);
  return extract(vertical, pageOf(document, { url })).map((one) => one.attributes);
}

test("cards become objects", () => {
  const html = '<article><h2><a href="/one">One</a></h2><time datetime="2026-05-03">3 May</time></article>';
  assert.deepEqual(found("https://example.org/", html), [
    { title: "One", date: "2026-05-03", url: "https://example.org/one" },
  ]);
});

test("another page has none", () => {
  assert.deepEqual(found("https://example.org/about", "<h1>About us</h1><p>We sell nothing."), []);
});
