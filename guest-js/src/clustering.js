/** Clustering with an author's `keys` and `compare`: many objects at once, and merging. */

import { decode, encode } from "./features.js";
import { fromWire, sendable, toWire } from "./names.js";
import { toRecord } from "./record.js";

/** Maximum number of values in a label; more would not fit a line. */
const LABEL_VALUES = 3;

/** Implements `prepare` of the contract. */
export function prepare(vertical, objects) {
  const { prepare = (record) => record, keys } = vertical.declaration;
  return objects.map((object) => {
    const prepared = prepare(toRecord(vertical, object));
    return { features: encode(prepared), keys: toKeys(keys(prepared)) };
  });
}

/**
 * Converts `{ isbn: "978…", "title+day": [… , …] }`, schemes and their keys, to keys of the
 * contract. Skips empty values.
 */
function toKeys(byScheme) {
  return Object.entries(byScheme).flatMap(([scheme, values]) =>
    [values].flat().filter((value) => value !== null && value !== undefined && value !== "")
      .map((value) => ({ scheme: sendable(scheme), value: sendable(value) })));
}

/** Implements `compare` of the contract. */
export function compare(vertical, one, many) {
  const { compare } = vertical.declaration;
  const first = decode(one);
  return many.map((other) => toVerdict(compare(first, decode(other))));
}

function toVerdict(answer) {
  const { probability, reasons = [] } = typeof answer === "number" ? { probability: answer } : answer;
  if (!(probability >= 0 && probability <= 1)) throw new RangeError(`invalid probability ${probability}: expected 0 to 1`);
  return { probability, reasons: reasons.map(sendable) };
}

/** Implements `merge` of the contract: the author's, or else by vote. */
export function merge(vertical, objects) {
  const records = objects.map((object) => toRecord(vertical, object));
  const { label, keep } = vertical.declaration.merge?.(records) ?? {};
  const choices = Object.entries(keep ?? byVote(vertical, records));
  return {
    label: sendable(label ?? labelOf(vertical, records[0])),
    keep: choices.map(([name, source]) => ({ path: toWire(name), source })),
  };
}

function labelOf(vertical, record) {
  if (vertical.declaration.label) return vertical.declaration.label(record);
  const identifying = vertical.attributes.filter(({ identifies }) => identifies).map(({ name }) => record[fromWire(name)]);
  return identifying.flat().filter((value) => value !== null).slice(0, LABEL_VALUES).join(", ");
}

/** Chooses for each attribute the first record with the value that most records have. */
function byVote(vertical, records) {
  const keep = {};
  for (const name of vertical.attributes.map((attribute) => fromWire(attribute.name))) {
    const allNormalized = records.map((record) => normalized(record[name]));
    const votes = (one) => allNormalized.filter((other) => other === one).length;
    const given = allNormalized.filter((one) => one !== "");
    if (given.length === 0) continue;
    const best = given.reduce((a, b) => (votes(b) > votes(a) ? b : a));
    keep[name] = allNormalized.indexOf(best);
  }
  return keep;
}

/** Normalised form of a value, independent of case; empty for no value. */
function normalized(value) {
  if (value === null || (Array.isArray(value) && value.length === 0)) return "";
  return JSON.stringify(value).toLowerCase();
}
