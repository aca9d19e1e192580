/** The schema: conversion of attributes from the author's form to the contract's. */

import { check } from "./check.js";
import { isWireName, toLabel, toWire } from "./names.js";

/** Kinds of values; `identifier:SCHEME` is allowed too. */
const KINDS = [
  "text", "person", "organisation", "place", "coordinates", "date-time", "duration", "money", "number", "rating",
  "boolean", "url", "image", "language", "properties",
];

/** Matches a path of properties of schema.org. */
const PROPERTY = /^[A-Za-z0-9]+(\.[A-Za-z0-9]+)*$/;

const FLAGS = { required: false, repeated: false, identifies: false, query: false, expires: false };

/** Converts attributes to the contract's form. */
export function attributes(declared) {
  const names = Object.keys(declared ?? {});
  check(names.length > 0, "`attributes` must have at least one: `title: { kind: \"text\" }`");
  return names.map((name) => attribute(name, declared[name]));
}

/** Converts one attribute; `"date-time"` is short for `{ kind: "date-time" }`. */
function attribute(name, given) {
  const spec = typeof given === "string" ? { kind: given } : given;
  const wire = toWire(name);
  check(isWireName(wire), `invalid attribute name \`${name}\`: expected letters and digits, such as validThrough`);
  const allowed = ["kind", "label", "weight", "schemaOrg", ...Object.keys(FLAGS)];
  const unknown = Object.keys(spec).find((part) => !allowed.includes(part));
  check(unknown === undefined, `attribute \`${name}\` has no \`${unknown}\`; it has ${allowed.join(", ")}`);
  check(isKind(spec.kind), `unknown kind \`${spec.kind}\` of attribute \`${name}\`: expected ${KINDS.join(", ")}, identifier:SCHEME`);
  const { schemaOrg, ...rest } = spec;
  check(schemaOrg === undefined || PROPERTY.test(schemaOrg), `invalid schemaOrg \`${schemaOrg}\` of attribute \`${name}\`: expected a property of schema.org such as startDate or offers.price`);
  const extra = schemaOrg === undefined ? [] : [["schema.org", schemaOrg]];
  return { label: toLabel(wire), weight: 1, extra, ...FLAGS, ...rest, name: wire };
}

function isKind(kind) {
  return KINDS.includes(kind) || /^identifier:\S+$/.test(kind ?? "");
}
