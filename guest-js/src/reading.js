/** A value with the place it was read from. */

/** What a text can be asked without becoming another. */
const QUESTIONS = ["includes", "startsWith", "endsWith", "indexOf", "match", "matchAll", "search"];

/** What makes another text of a text. */
const CHANGES = ["trim", "replace", "replaceAll", "slice", "toLowerCase", "toUpperCase", "normalize"];

/**
 * A value that remembers its element, so that a person can be shown where it comes from.
 * It is text in a template and in a comparison with `String(reading)`, and has the usual methods of
 * a text: what changes it gives a Reading of the same place, the others what a text gives.
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

  /** The same place with another value: `reading.map((text) => text.replace("Title: ", ""))`. */
  map(change) {
    const value = change(this.value);
    return value === null || value === undefined ? null : new Reading(value, this.from);
  }

  /** Its parts, each of the same place: `reading.split(/[;,]/)`. Without white space around, and without empty ones. */
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
