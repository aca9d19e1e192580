/** A value with the place it was read from. */

/**
 * A value that remembers its element, so that a person can be shown where it comes from.
 * It is text in a template and in a comparison with `String(reading)`.
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

  toString() {
    return String(this.value);
  }

  toJSON() {
    return this.value;
  }
}
