/** The contract's `page`, implemented on a DOM document. */

import { forms } from "./forms.js";
import { readText, tidy } from "./text.js";
import { structuredData } from "./structured.js";

/** Node types of the DOM. */
const ELEMENT = 1;
const TEXT = 3;

/** The methods that a component sees, with nodes numbered in document order as in the host. */
export class DomHost {
  #document;
  #about;
  #nodes = [];
  #numbers = new Map();

  constructor(document, about) {
    this.#document = document;
    this.#about = { url: "https://example.org/", fetchedAt: "2026-01-01T00:00:00Z", status: 200, headers: {}, ...about };
    this.#number(document);
  }

  #number(node) {
    this.#numbers.set(node, this.#nodes.length);
    this.#nodes.push(node);
    for (const child of node.childNodes ?? []) {
      if (child.nodeType === ELEMENT || child.nodeType === TEXT) this.#number(child);
    }
  }

  url() {
    return this.#about.url;
  }

  fetchedAt() {
    return Math.floor(Date.parse(this.#about.fetchedAt) / 1000);
  }

  ownDate() {
    return { day: null, source: "", year: null, ...this.#about.ownDate };
  }

  status() {
    return this.#about.status;
  }

  contentType() {
    return (this.header("content-type") ?? "text/html").split(";")[0].trim().toLowerCase();
  }

  header(name) {
    const found = Object.entries(this.#about.headers).find(([known]) => known.toLowerCase() === name.toLowerCase());
    return found?.[1] ?? null;
  }

  language() {
    return this.#document.querySelector("html[lang]")?.getAttribute("lang") ?? this.header("content-language");
  }

  title() {
    const title = this.#document.querySelector("title");
    return title === null ? null : tidy(title.textContent);
  }

  text() {
    return this.#document.toString();
  }

  body() {
    return new TextEncoder().encode(this.text());
  }

  structuredData() {
    return structuredData(this.#document, (node) => this.#numbers.get(node), (reference) => this.resolve(reference));
  }

  forms() {
    return forms(this.#document, this.url(), (node) => this.#numbers.get(node), (reference) => this.resolve(reference));
  }

  resolve(reference) {
    const base = this.#document.querySelector("base[href]")?.getAttribute("href") ?? "";
    try {
      return new URL(reference, new URL(base, this.url())).href;
    } catch {
      return null;
    }
  }

  root() {
    return 0;
  }

  select(scope, css) {
    return [...this.#selected(scope, css)].map((node) => this.#numbers.get(node));
  }

  #selected(scope, css) {
    try {
      return this.#nodes[scope].querySelectorAll(css);
    } catch (error) {
      throw { code: "invalid-selector", message: `\`${css}\`: ${error.message}`, attribute: null, retryable: false };
    }
  }

  matches(node, css) {
    return this.select(0, css).includes(node);
  }

  table(scope, rows, columns) {
    return this.select(scope, rows).map((node) => ({
      node,
      cells: columns.map(({ css, take }) => {
        const found = css === "" ? node : this.select(node, css)[0];
        const text = found === undefined ? null : this.#take(found, take);
        return text === null ? null : { node: found, text };
      }),
    }));
  }

  #take(node, take) {
    if (take === "text") return this.textOf(node);
    if (take === "own-text") return this.ownText(node);
    if (take === "html") return this.htmlOf(node);
    if (take.startsWith("@")) return this.attribute(node, take.slice(1));
    const reference = this.attribute(node, take.replace(/^url:/, ""));
    return reference === null ? null : this.resolve(reference);
  }

  textOf(node) {
    return readText(this.#nodes[node]);
  }

  ownText(node) {
    const own = [...this.#nodes[node].childNodes].filter(({ nodeType }) => nodeType === TEXT);
    return tidy(own.map((text) => text.textContent).join(" "));
  }

  htmlOf(node) {
    return this.#nodes[node].outerHTML ?? this.#document.toString();
  }

  tag(node) {
    const { nodeType, localName } = this.#nodes[node];
    if (nodeType === TEXT) return "#text";
    return nodeType === ELEMENT ? localName.toLowerCase() : "#document";
  }

  attribute(node, name) {
    return this.#nodes[node].getAttribute?.(name) ?? null;
  }

  attributes(node) {
    return [...(this.#nodes[node].attributes ?? [])].map(({ name, value }) => [name, value]);
  }

  having(name) {
    return this.select(0, `[${name}]`).map((node) => [node, this.attribute(node, name)]);
  }

  parent(node) {
    return node === 0 ? null : this.#numbers.get(this.#nodes[node].parentNode);
  }

  children(node) {
    return [...this.#nodes[node].childNodes].filter(({ nodeType }) => nodeType === ELEMENT).map((child) => this.#numbers.get(child));
  }

  outline() {
    throw new Error("pages of tests have no outline; `magpie plugin test` runs against real ones");
  }
}
