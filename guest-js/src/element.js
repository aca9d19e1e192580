/** Elements of a page. */

import { ask } from "./error.js";
import { labelled } from "./labelled.js";
import { Reading } from "./reading.js";
import { table } from "./table.js";

/** Returns the node id of an element; authors never see it. */
export let nodeOf;

/**
 * Returns the element with a node id. It is always the same object, so that `===`, `Set` and `Map`
 * work.
 */
export function elementOf(page, node) {
  let element = page.elements.get(node);
  if (element === undefined) {
    element = new Element(page, node);
    page.elements.set(node, element);
  }
  return element;
}

/**
 * One element of a page, or the document itself. As the value of an attribute it represents its
 * text, with itself as the source.
 */
export class Element {
  #page;
  #node;

  static {
    nodeOf = (element) => element.#node;
  }

  /**
   * @param {import("./page.js").Page} page
   * @param {number} node
   */
  constructor(page, node) {
    this.#page = page;
    this.#node = node;
  }

  get #host() {
    return this.#page.host;
  }

  /** Page of the element. */
  get page() {
    return this.#page;
  }

  /** Tag name in lower case. */
  get tag() {
    return this.#host.tag(this.#node);
  }

  /** Visible text: each run of white space is one space, blocks and line breaks are a line feed. */
  get text() {
    return this.#host.textOf(this.#node);
  }

  /** As `text`, without the text of child elements. */
  get ownText() {
    return this.#host.ownText(this.#node);
  }

  /** The element as HTML. */
  get html() {
    return this.#host.htmlOf(this.#node);
  }

  /** An attribute as written; null if it is missing. */
  attr(name) {
    return this.#host.attribute(this.#node, name);
  }

  /** An attribute with a reference, as an absolute URL: `link.url("href")`. */
  url(name = "href") {
    const reference = this.attr(name);
    return reference === null ? null : this.#page.resolve(reference);
  }

  /** All attributes, as an object. */
  get attrs() {
    return Object.fromEntries(this.#host.attributes(this.#node));
  }

  /**
   * Reads a value together with this element. Values are named as for `table`: `text`, `own-text`,
   * `html`, `@name`, `url:name`. Of several it takes the first non-empty one:
   * `time.read("@datetime", "text")`. Null if there is none.
   */
  read(...takes) {
    for (const take of takes.length > 0 ? takes : ["text"]) {
      const value = this.#take(take);
      if (value !== null && value.trim() !== "") return new Reading(value, this);
    }
    return null;
  }

  #take(take) {
    if (take === "text") return this.text;
    if (take === "own-text") return this.ownText;
    if (take === "html") return this.html;
    if (take.startsWith("@")) return this.attr(take.slice(1));
    if (take.startsWith("url:")) return this.url(take.slice(4));
    throw new TypeError(`invalid column \`${take}\`: expected text, own-text, html, @name or url:name`);
  }

  /** Elements below this one that match a CSS selector, in document order. */
  select(css) {
    return ask(() => this.#host.select(this.#node, css)).map((node) => elementOf(this.#page, node));
  }

  /** First element below this one that matches a CSS selector; null if nothing matches. */
  first(css) {
    const [node] = ask(() => this.#host.select(this.#node, css));
    return node === undefined ? null : elementOf(this.#page, node);
  }

  /** Returns true if this element matches a CSS selector. */
  matches(css) {
    return ask(() => this.#host.matches(this.#node, css));
  }

  /** Parent of the element; null for the document. */
  get parent() {
    const node = this.#host.parent(this.#node);
    return node === null || node === undefined ? null : elementOf(this.#page, node);
  }

  /**
   * The nearest element that matches a CSS selector, starting with this one, or null.
   */
  closest(css) {
    for (let element = this; element !== null; element = element.parent) {
      if (element.parent !== null && element.matches(css)) return element;
    }
    return null;
  }

  /** Child elements, without text. */
  get children() {
    return this.#host.children(this.#node).map((node) => elementOf(this.#page, node));
  }

  /** The next element with the same parent; null for the last one. */
  get next() {
    const siblings = this.parent?.children ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }

  /**
   * Selects rows and their cells in one call to the host, many times faster than a call for each
   * cell: `page.table("li.job", { title: "h3", url: ["a", "url:href"] })`. Each column is a CSS
   * selector within the row (empty for the row itself), and the value to take, `text` by default. A
   * row has a `Reading` or null for each column, and its `element`.
   */
  table(rows, columns) {
    return table(this, rows, columns);
  }

  /**
   * Labelled values, in a `Map` by label: `page.labelled().get("closing date")`. Labels are in
   * lower case and without a colon; the first of equal ones counts. They are found in `dt`/`dd`, in
   * `th`/`td`, and in lines `Label: value` of list items, paragraphs, and elements that contain
   * bold text.
   */
  labelled() {
    return labelled(this);
  }

  /** Returns true if this element comes before another one on the page. */
  isBefore(other) {
    return this.#node < other.#node;
  }
}
