import assert from "node:assert/strict";
import fs from "node:fs";
import { test } from "node:test";

import { parseHTML } from "linkedom";
import { judge, pageOf } from "magpie-vertical/testing";

import validator from "../src/index.js";

/** Judges a page. */
function judged(html, url = "https://example.org/1") {
  const { document } = parseHTML(html);
  return judge(validator, pageOf(document, { url }));
}

test("fixtures are judged as the host judges them", () => {
  const fixtures = new URL("../fixtures/", import.meta.url);
  for (const name of fs.readdirSync(fixtures)) {
    const read = (file) => fs.readFileSync(new URL(`${name}/${file}`, fixtures), "utf8");
    const { accepted } = judged(read("page.html"), JSON.parse(read("page.json")).url);
    assert.equal(accepted, JSON.parse(read("expected.json")).judgement.accepted, name);
  }
});

test("a page without content is none", () => {
  const { accepted, confidence, reason } = judged("<p>Hello");
  assert.equal(accepted, false);
  assert.ok(confidence > 0.99);
  assert.equal(reason, "too little prose");
});

test("confidence falls with signs on both sides", () => {
  const prose = `<p>${"The lamp is bright and the stand is heavy. ".repeat(20)}Verdict: recommended.</p>`;
  const page = (more) => `<title>Lamp One review</title><h1>Lamp One review</h1>${prose}<p>8/10</p>${more}`;
  const [alone, sold] = [judged(page("")), judged(page("<button>Add to cart</button>"))];
  assert.ok(alone.accepted && alone.confidence > 0.8, JSON.stringify(alone));
  assert.ok(!sold.accepted && sold.confidence < 0.8, JSON.stringify(sold));
});
