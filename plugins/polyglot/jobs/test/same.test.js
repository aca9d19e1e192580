import assert from "node:assert/strict";
import { test } from "node:test";

import { queries } from "../src/queries.js";
import { compare, keys, prepare } from "../src/same.js";

const NOTHING = { title: null, employer: null, place: [], salary: null, posted: null, reference: null, url: null };

const offer = (parts) => prepare({ ...NOTHING, ...parts });

const BAKER = { title: "Head Baker", employer: "Harrow Street Bakery", place: ["Leeds"], posted: "2026-04-20" };
const ACCOUNTANT = { title: "Buchhalterin / Buchhalter (m/w/d)", employer: "Stadtwerke Lindau GmbH", place: ["Lindau"] };

const probability = (one, other) => compare(offer(one), offer(other)).probability;

/** Returns true if two offers have a common key. */
function meet(one, other) {
  const all = (parts) => Object.entries(keys(offer(parts))).flatMap(([scheme, values]) => [values].flat().filter(Boolean).map((value) => `${scheme} ${value}`));
  return all(one).some((key) => all(other).includes(key));
}

test("the same offer on two sites", () => {
  for (const [one, other] of [
    [BAKER, { ...BAKER, employer: "Harrow Street Bakery Ltd", posted: "2026-04-22", salary: "34000 GBP" }],
    [ACCOUNTANT, { ...ACCOUNTANT, title: "Buchhalter", employer: "Stadtwerke Lindau" }],
    [{ ...BAKER, place: [], reference: "HSB-1" }, { ...BAKER, title: "Baker (Head)", reference: "hsb 1" }],
  ]) {
    assert.ok(meet(one, other), `${one.title}, ${other.title} share no key`);
    assert.ok(probability(one, other) > 0.8, `${probability(one, other)}`);
  }
});

test("near misses stay apart", () => {
  for (const other of [
    { ...BAKER, employer: "The Crumb Company" },
    { ...BAKER, place: ["Bradford"] },
    { ...BAKER, title: "Counter Assistant" },
    { ...BAKER, posted: "2025-06-01", salary: null, place: [], employer: "Harrow Street Bakery", title: "Head Pastry Chef" },
  ]) {
    assert.ok(probability(BAKER, other) < 0.5, `${other.title}: ${probability(BAKER, other)}`);
  }
});

test("comparing does not depend on the order, and nothing known is no proof", () => {
  assert.equal(probability(BAKER, ACCOUNTANT), probability(ACCOUNTANT, BAKER));
  assert.ok(probability(NOTHING, NOTHING) < 0.5);
});

test("reasons are given", () => {
  const { reasons } = compare(offer(BAKER), offer({ ...BAKER, place: ["Bradford"] }));
  assert.deepEqual(reasons, ["same title", "same employer", "place differs"]);
});

test("queries, the most telling first", () => {
  assert.deepEqual(queries({ ...ACCOUNTANT, reference: "B-7" }), [
    { text: '"B-7" Stadtwerke Lindau GmbH', purpose: "identifier" },
    { text: '"Buchhalterin / Buchhalter" Stadtwerke Lindau GmbH Lindau', purpose: "exact" },
    { text: "Buchhalterin / Buchhalter Stadtwerke Lindau GmbH Lindau", purpose: "loose" },
  ]);
  assert.deepEqual(queries(NOTHING), []);
});
