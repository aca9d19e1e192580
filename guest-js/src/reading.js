/** Values with their source element. */

/** Methods of a text that do not return a changed text. */
const QUESTIONS = ["includes", "startsWith", "endsWith", "indexOf", "match", "matchAll", "search"];

/** Methods that return a changed text. */
const CHANGES = ["trim", "replace", "replaceAll", "slice", "toLowerCase", "toUpperCase", "normalize"];

/**
 * A value with its element, so that its source can be shown to a person. It is text in a template
 * and in a comparison with `String(reading)`, and has the usual methods of a text. Those that
 * change it return a Reading with the same element, the others return what a text returns.
 */
export class Reading {
  /**
   * @param {unknown} value
   * @param {import("./element.js").Element | null} from
   */
  constructor(value, from) {
    this.value = value;
    this.from = from;
  }

  /**
   * A Reading with the same element and another value: `reading.map((text) => text.replace("Title:
   * ", ""))`.
   */
  map(change) {
    const value = change(this.value);
    return value === null || value === undefined ? null : new Reading(value, this.from);
  }

  /**
   * Parts of the value with the same element, trimmed and without empty ones:
   * `reading.split(/[;,]/)`.
   */
  split(separator) {
    const parts = String(this.value).split(separator).map((part) => part?.trim());
    return parts.filter(Boolean).map((part) => new Reading(part, this.from));
  }

  toString() {
    return String(this.value);
  }

  toJSON() {
    return this.value;
  }
}

for (const name of QUESTIONS) {
  Reading.prototype[name] = function (...parameters) {
    return String(this.value)[name](...parameters);
  };
}

for (const name of CHANGES) {
  Reading.prototype[name] = function (...parameters) {
    return new Reading(String(this.value)[name](...parameters), this.from);
  };
}
