/** The page given to a vertical. */

import { elementOf } from "./element.js";
import { allEntities, outermost } from "./entity.js";
import { Form } from "./form.js";

/**
 * A fetched page, decoded and parsed by the host. Frequently used values are cached. An invalid
 * selector throws.
 */
export class Page {
  #kept = new Map();

  /** @param {object} host the contract's `page` */
  constructor(host) {
    /** The contract's `page`, for the other files of this package. */
    this.host = host;
    /** Elements by node id, for `elementOf`. */
    this.elements = new Map();
  }

  /** Final URL, after redirects. */
  get url() {
    return this.#keep("url", () => this.host.url());
  }

  /** Text of the `title` element; null if missing. */
  get title() {
    return this.#keep("title", () => this.host.title());
  }

  /** Language of the page as a BCP 47 tag; null if unknown. */
  get language() {
    return this.#keep("language", () => this.host.language());
  }

  /**
   * Date of the page itself, as far as it states one: `{ day: "2025-03-21", source: "url", year: 2025 }`.
   * `day` and `year` are null if they are not stated.
   */
  get ownDate() {
    return this.#keep("ownDate", () => {
      const { day, source, year } = this.host.ownDate();
      return { day: day ?? null, source, year: year ?? null };
    });
  }

  /** Time of the fetch. No value of an object may depend on it; see `ownDate`. */
  get fetchedAt() {
    return new Date(Number(this.host.fetchedAt()) * 1000);
  }

  /** HTTP status. */
  get status() {
    return this.host.status();
  }

  /** Media type without parameters, in lower case: `text/html`. */
  get contentType() {
    return this.host.contentType();
  }

  /** Value of a response header; the case of its name does not matter. Null if it is missing. */
  header(name) {
    return this.host.header(name);
  }

  /** Visible text. */
  get text() {
    return this.#keep("text", () => this.root.text);
  }

  /** The whole source, decoded to text. */
  get source() {
    return this.host.text();
  }

  /** The whole source as bytes, for plugins with their own parser. */
  get body() {
    return this.host.body();
  }

  /** Resolves a reference on the page to an absolute URL; null if it is not a URL. */
  resolve(reference) {
    return this.host.resolve(reference);
  }

  /** The document itself, the root of the tree. */
  get root() {
    return this.#keep("root", () => elementOf(this, this.host.root()));
  }

  /** Elements that match a CSS selector, in document order. */
  select(css) {
    return this.root.select(css);
  }

  /** First element that matches a CSS selector; null if nothing matches. */
  first(css) {
    return this.root.first(css);
  }

  /** Selects rows and their cells in one call; see `Element.table`. */
  table(rows, columns) {
    return this.root.table(rows, columns);
  }

  /** Labelled values, by label; see `Element.labelled`. */
  labelled() {
    return this.root.labelled();
  }

  /** All elements that have an attribute, with its value: `[element, value]`, in document order. */
  having(attribute) {
    return this.host.having(attribute).map(([node, value]) => [elementOf(this, node), value]);
  }

  /**
   * Outermost entities of the page's structured data (JSON-LD, microdata, RDFa, microformats, Open
   * Graph).
   */
  get structured() {
    return outermost(this.#items);
  }

  /**
   * All entities of the structured data, nested ones after their container; only those of the given
   * types, if any.
   */
  entities(...types) {
    const all = this.#keep("entities", () => allEntities(this.#items));
    return types.length === 0 ? all : all.filter((entity) => types.some((type) => entity.is(type)));
  }

  /** The forms with their fields, labels and choices, in document order. */
  get forms() {
    return this.#keep("forms", () => this.host.forms().map((form) => new Form(this, form)));
  }

  /** The tree in columns, as in the contract, for code that visits every node. */
  get outline() {
    return this.#keep("outline", () => this.host.outline());
  }

  get #items() {
    return this.#keep("items", () =>
      this.host.structuredData().map((item) => ({
        item,
        element: item.node === null || item.node === undefined ? null : elementOf(this, item.node),
      })),
    );
  }

  #keep(name, make) {
    if (!this.#kept.has(name)) this.#kept.set(name, make());
    return this.#kept.get(name);
  }
}
