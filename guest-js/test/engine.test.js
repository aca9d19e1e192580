import assert from "node:assert/strict";
import { test } from "node:test";

import { consoleFor, frozenDate } from "../src/host/engine.js";

test("the clock does not advance, and dates are dates all the same", () => {
  let now = 0;
  const Frozen = frozenDate(Date, () => now);
  assert.equal(new Frozen().getTime(), 0);
  now = 86_400_000;
  assert.equal(Frozen.now(), 86_400_000);
  assert.equal(new Frozen().toISOString(), "1970-01-02T00:00:00.000Z");
  assert.equal(new Frozen("2026-05-03").toISOString(), "2026-05-03T00:00:00.000Z");
  assert.equal(Frozen.parse("1970-01-01"), 0);
  assert.equal(typeof Frozen(), "string");
  assert.ok(new Frozen() instanceof Frozen && new Frozen() instanceof Date);
  assert.ok(new (class extends Frozen {})() instanceof Date);
});

test("what is written to the console is a line of the log", () => {
  const lines = [];
  const console = consoleFor((...line) => lines.push(line));
  console.log("found", 3, { title: "x" }, null, undefined, "\ud83d");
  console.warn("odd");
  assert.deepEqual(lines, [["info", 'found 3 {"title":"x"} null undefined \ufffd'], ["warn", "odd"]]);
});
