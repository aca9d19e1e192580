/** One element of a page. */

import { ask } from "./error.js";
import { labelled } from "./labelled.js";
import { Reading } from "./reading.js";
import { table } from "./table.js";

/** Nodes are numbers on the wire; authors never see them. */
export let nodeOf;

/** The element with a number: always the same object, so that `===`, `Set` and `Map` do as one expects. */
export function elementOf(page, node) {
  let element = page.elements.get(node);
  if (element === undefined) {
    element = new Element(page, node);
    page.elements.set(node, element);
  }
  return element;
}

/**
 * One element of a page, or the document itself. As the value of an attribute it stands for its
 * text, read where it is.
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

  /** The page it belongs to. */
  get page() {
    return this.#page;
  }

  /** The tag's name in lower case. */
  get tag() {
    return this.#host.tag(this.#node);
  }

  /** The text a reader sees: runs of white space are one space, blocks and line breaks a line feed. */
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

  /** An attribute as written; null when it is not there. */
  attr(name) {
    return this.#host.attribute(this.#node, name);
  }

  /** An attribute that holds a reference, as an absolute URL: `link.url("href")`. */
  url(name = "href") {
    const reference = this.attr(name);
    return reference === null ? null : this.#page.resolve(reference);
  }

  /** All attributes, as an object. */
  get attrs() {
    return Object.fromEntries(this.#host.attributes(this.#node));
  }

  /**
   * A value that remembers this element. What to take is written as for `table`: `text`,
   * `own-text`, `html`, `@name`, `url:name`; of several the first that is there and not empty:
   * `time.read("@datetime", "text")`. Null when nothing is.
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
    throw new TypeError(`\`${take}\` is nothing that can be taken: text, own-text, html, @name, url:name`);
  }

  /** The elements below this one that match a CSS selector, in document order. */
  select(css) {
    return ask(() => this.#host.select(this.#node, css)).map((node) => elementOf(this.#page, node));
  }

  /** The first of them; null when there is none. */
  first(css) {
    const [node] = ask(() => this.#host.select(this.#node, css));
    return node === undefined ? null : elementOf(this.#page, node);
  }

  /** Whether this element matches a CSS selector. */
  matches(css) {
    return ask(() => this.#host.matches(this.#node, css));
  }

  /** The parent; null for the document. */
  get parent() {
    const node = this.#host.parent(this.#node);
    return node === null || node === undefined ? null : elementOf(this.#page, node);
  }

  /** The nearest element that matches a CSS selector, this one or one around it; null when none does. */
  closest(css) {
    for (let element = this; element !== null; element = element.parent) {
      if (element.parent !== null && element.matches(css)) return element;
    }
    return null;
  }

  /** The child elements, without text. */
  get children() {
    return this.#host.children(this.#node).map((node) => elementOf(this.#page, node));
  }

  /** The next element with the same parent; null after the last one. */
  get next() {
    const siblings = this.parent?.children ?? [];
    return siblings[siblings.indexOf(this) + 1] ?? null;
  }

  /**
   * Rows and their cells in one question to the host, many times faster than one for each cell:
   * `page.table("li.job", { title: "h3", url: ["a", "url:href"] })`. Each column is a CSS selector
   * within the row (empty for the row itself), and what to take, `text` unless given. A row has a
   * `Reading` or null for each column, and its `element`.
   */
  table(rows, columns) {
    return table(this, rows, columns);
  }

  /**
   * What labels say of their values, in a `Map` by label: `page.labelled().get("closing date")`. Labels are in lower
   * case and without a colon; of equal ones the first counts. They are found in `dt`/`dd`, in `th`/`td`, and in
   * lines `Label: value` of list items, paragraphs, and whatever has something in bold.
   */
  labelled() {
    return labelled(this);
  }

  /** Whether it stands before another one on the page. */
  isBefore(other) {
    return this.#node < other.#node;
  }
}
