import assert from "node:assert/strict";
import { test } from "node:test";

import { consoleOver, standingDate } from "../src/host/engine.js";

test("the clock stands, and dates are dates all the same", () => {
  let now = 0;
  const Standing = standingDate(Date, () => now);
  assert.equal(new Standing().getTime(), 0);
  now = 86_400_000;
  assert.equal(Standing.now(), 86_400_000);
  assert.equal(new Standing().toISOString(), "1970-01-02T00:00:00.000Z");
  assert.equal(new Standing("2026-05-03").toISOString(), "2026-05-03T00:00:00.000Z");
  assert.equal(Standing.parse("1970-01-01"), 0);
  assert.equal(typeof Standing(), "string");
  assert.ok(new Standing() instanceof Standing && new Standing() instanceof Date);
  assert.ok(new (class extends Standing {})() instanceof Date);
});

test("what is written to the console is a line of the log", () => {
  const lines = [];
  const console = consoleOver((...line) => lines.push(line));
  console.log("found", 3, { title: "x" }, null, undefined, "\ud83d");
  console.warn("odd");
  assert.deepEqual(lines, [["info", 'found 3 {"title":"x"} null undefined \ufffd'], ["warn", "odd"]]);
});
