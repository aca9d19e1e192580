/** The page a vertical is asked about. */

import { elementOf } from "./element.js";
import { allEntities, outermost } from "./entity.js";

/**
 * A fetched page. The host has decoded and parsed it; what is asked for more than once is kept here.
 * A selector that can't be parsed throws.
 */
export class Page {
  #kept = new Map();

  /** @param {object} host the contract's `page` */
  constructor(host) {
    /** The contract's `page`, for the other files of this package. */
    this.host = host;
    /** Elements by their numbers, for `elementOf`. */
    this.elements = new Map();
  }

  /** The final URL, after redirects. */
  get url() {
    return this.#keep("url", () => this.host.url());
  }

  /** The text of the `title` element; null when there is none. */
  get title() {
    return this.#keep("title", () => this.host.title());
  }

  /** The page's language as a BCP 47 tag; null when it is not known. */
  get language() {
    return this.#keep("language", () => this.host.language());
  }

  /** When it was fetched: "now", for a vertical. */
  get fetchedAt() {
    return new Date(Number(this.host.fetchedAt()) * 1000);
  }

  /** The HTTP status. */
  get status() {
    return this.host.status();
  }

  /** The media type without parameters, in lower case: `text/html`. */
  get contentType() {
    return this.host.contentType();
  }

  /** The value of a response header, by its name in any case; null when it is not there. */
  header(name) {
    return this.host.header(name);
  }

  /** The text a reader sees. */
  get text() {
    return this.#keep("text", () => this.root.text);
  }

  /** The whole source, decoded to text. */
  get source() {
    return this.host.text();
  }

  /** The whole source as bytes, for those who bring a parser. */
  get body() {
    return this.host.body();
  }

  /** A reference on the page as an absolute URL; null when it is none. */
  resolve(reference) {
    return this.host.resolve(reference);
  }

  /** The document itself, the scope of everything. */
  get root() {
    return this.#keep("root", () => elementOf(this, this.host.root()));
  }

  /** The elements that match a CSS selector, in document order. */
  select(css) {
    return this.root.select(css);
  }

  /** The first of them; null when there is none. */
  first(css) {
    return this.root.first(css);
  }

  /** Rows and their cells in one question; see `Element.table`. */
  table(rows, columns) {
    return this.root.table(rows, columns);
  }

  /** What labels say of their values, by label; see `Element.labelled`. */
  labelled() {
    return this.root.labelled();
  }

  /** All elements that carry an attribute, with its value: `[element, value]`, in document order. */
  having(attribute) {
    return this.host.having(attribute).map(([node, value]) => [elementOf(this, node), value]);
  }

  /** The page's structured data (JSON-LD, microdata, RDFa, microformats, Open Graph): outermost entities. */
  get structured() {
    return outermost(this.#items);
  }

  /** All its entities, a nested one after the one that holds it; of the types named, if any are. */
  entities(...types) {
    const all = this.#keep("entities", () => allEntities(this.#items));
    return types.length === 0 ? all : all.filter((entity) => types.some((type) => entity.is(type)));
  }

  /** The tree in columns, as the contract has it; for those who walk every node. */
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
