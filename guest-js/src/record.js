/** Conversion of an author's objects to the contract's fields, and back. */

import { Element, nodeOf } from "./element.js";
import { Entity } from "./entity.js";
import { fromWire, sendable, toWire } from "./names.js";
import { Reading } from "./reading.js";

/** Maximum length of a name in a message. */
const MAX_NAME = 60;

/** An object with its confidence and type. */
class Found {
  constructor(attributes, { confidence = 1, type = "" }) {
    this.attributes = attributes;
    this.confidence = confidence;
    this.type = type;
  }
}

/**
 * Creates an object with a confidence from 0 to 1, and a schema.org type if it is not the
 * vertical's own: `found({ title }, { confidence: 0.8, type: "MusicEvent" })`. A plain object of
 * attributes has a confidence of 1.
 */
export function found(attributes, about = {}) {
  return new Found(attributes, about);
}

/** Converts the result of `extract` to the contract's objects. */
export function toObjects(vertical, returned) {
  if (!Array.isArray(returned)) throw new TypeError(notAList(returned));
  return returned.filter((one) => one !== null && one !== undefined).map((one, index) => toObject(vertical, one, index));
}

function notAList(returned) {
  if (typeof returned?.then === "function") return "`extract` can't be async; return the records directly";
  return "`extract` must return an array of objects; an empty one when there are none";
}

function toObject(vertical, returned, index) {
  const { attributes, confidence, type } = returned instanceof Found ? returned : new Found(returned, {});
  try {
    if (!(confidence >= 0 && confidence <= 1)) throw new RangeError(`invalid confidence ${confidence}: expected 0 to 1`);
    const fields = Object.keys(attributes).flatMap((name) => toFields(vertical, name, attributes[name]));
    return { schemaType: sendable(type), confidence, fields };
  } catch (error) {
    // A returned value has no line, so the message names the index of the object instead.
    error.message = `object #${index}${nameOf(attributes)}: ${error.message}`;
    throw error;
  }
}

/** First text of an object, by which a person recognises it. */
function nameOf(attributes) {
  const texts = Object.values(attributes ?? {}).map((value) => (value instanceof Element ? value.text : value?.value ?? value));
  const name = texts.find((value) => typeof value === "string" && value.trim() !== "");
  return name === undefined ? "" : ` ("${name.trim().slice(0, MAX_NAME)}")`;
}

function toFields(vertical, name, given) {
  const path = toWire(name);
  if (!vertical.byName.has(path)) {
    const known = [...vertical.byName.keys()].map(fromWire).join(", ");
    throw new TypeError(`the vertical has no attribute \`${name}\`; it has ${known}`);
  }
  return [given].flat().map((one) => toField(name, path, one, null)).filter((field) => field !== null);
}

/** Converts one value; null for an empty one. */
function toField(name, path, given, node) {
  if (given === null || given === undefined) return null;
  if (given instanceof Element) return toField(name, path, given.text, nodeOf(given));
  if (given instanceof Reading || isReading(given)) {
    return toField(name, path, given.value, given.from instanceof Element ? nodeOf(given.from) : node);
  }
  const value = toValue(name, given);
  return value === null ? null : { path, value, node };
}

/** Returns true for `{ value, from }`, the plain form of a Reading. */
function isReading(given) {
  return typeof given === "object" && "value" in given && given.from instanceof Element;
}

function toValue(name, given) {
  switch (typeof given) {
    case "string":
      return given.trim() === "" ? null : { tag: "text", val: sendable(given) };
    case "boolean":
      return { tag: "boolean", val: given };
    case "number":
      if (!Number.isFinite(given)) throw new RangeError(`invalid value \`${given}\` for \`${name}\`: expected a finite number`);
      return Number.isSafeInteger(given) ? { tag: "integer", val: given } : { tag: "real", val: given };
    case "object":
      if (given instanceof Entity) throw new TypeError(`invalid value for \`${name}\`: expected a property of the entity, such as \`.read("name")\``);
      if (given instanceof Date) return { tag: "text", val: given.toISOString() };
      return { tag: "json", val: sendable(JSON.stringify(given)) };
    default:
      throw new TypeError(`invalid value for \`${name}\`: expected text, an element, a number, a boolean or an object, not a ${typeof given}`);
  }
}

/**
 * Converts an object of the contract to a record: attributes by name, a list for repeated ones,
 * null for missing ones.
 */
export function toRecord(vertical, object) {
  const record = {};
  for (const { name, repeated } of vertical.attributes) {
    const values = object.fields.filter((field) => field.path === name).map(({ value }) => fromValue(value));
    record[fromWire(name)] = repeated ? values : (values[0] ?? null);
  }
  return record;
}

function fromValue({ tag, val }) {
  return tag === "json" ? JSON.parse(val) : val;
}
