/** Types of what the author of a vertical works with. The comments in src/ say the same in full. */

/** What the values of an attribute mean. The host parses, checks and compares by this. */
export type Kind =
  | "text" | "person" | "organisation" | "place" | "date-time" | "duration" | "money" | "number" | "rating"
  | "boolean" | "url" | "image" | "language" | "properties" | `identifier:${string}`;

export interface AttributeSpec {
  kind: Kind;
  /** What a person reads in a table's head; made from the name unless given. */
  label?: string;
  /** An object without it is dropped. */
  required?: boolean;
  /** There may be several values. */
  repeated?: boolean;
  /** Two objects that differ in it are hardly the same. */
  identifies?: boolean;
  /** Its value helps a search engine. */
  query?: boolean;
  /** When this time has passed, the object is of no more interest. */
  expires?: boolean;
  /** How much it counts in a comparison; 1 unless given. */
  weight?: number;
}

export interface OptionSpec {
  default: string | number | boolean;
  /** Follows from the default unless given. */
  kind?: "text" | "integer" | "real" | "boolean" | "choice";
  choices?: string[];
  summary?: string;
}

export interface Routing {
  /** Media types; HTML unless given. */
  contentTypes?: string[];
  /** schema.org types in structured data that speak for a page. */
  schemaTypes?: string[];
  /** Parts of a URL's path or query that speak for a page. */
  pathHints?: string[];
  /** Leaves out pages for which neither speaks. */
  onlyHinted?: boolean;
}

/** What an attribute can be given: text as found, a number, an element (its text), or a value with its element. */
export type Value =
  | string | number | boolean | Date | Element | Reading | { value: unknown; from: Element } | object | null | undefined;

/** Attributes by name. An unknown name throws; null, undefined and empty text say nothing. */
export type Attributes = Record<string, Value | Value[]>;

/** An object as the host keeps it: values in normal form, a list for repeated ones, null for what is not there. */
export type ObjectRecord = Record<string, any>;

export interface Verdict {
  /** From 0 to 1: of the pairs given 0.8, four in five should be the same. */
  probability: number;
  reasons?: string[];
}

export interface Query {
  text: string;
  /** `loose` unless given. */
  purpose?: "identifier" | "exact" | "loose" | (string & {});
}

export interface Declaration<Prepared = any> {
  /** The vertical's name; package.json's unless given. */
  name?: string;
  /** package.json's unless given. */
  version?: string;
  /** One line that says what the objects are; package.json's description unless given. */
  summary?: string;
  /** What one object is called: `JobPosting`. */
  object: string;
  /** The schema, in the order a person would read it. `"date-time"` is short for `{ kind: "date-time" }`. */
  attributes: Record<string, Kind | AttributeSpec>;
  options?: Record<string, OptionSpec>;
  routing?: Routing;
  /** The objects on a page, in document order; none on a page without any. */
  extract(page: Page, options: Record<string, any>): (Attributes | Found | null | undefined)[];
  /** What `keys` and `compare` get of an object, made once; anything JSON can say. The record itself unless given. */
  prepare?(record: ObjectRecord): Prepared;
  /** Keys under which likely twins meet, by their schemes, the most telling first. Goes with `compare`. */
  keys?(prepared: Prepared): Record<string, string | string[] | null | undefined>;
  /** How likely it is that two objects are the same. */
  compare?(one: Prepared, other: Prepared): number | Verdict;
  /** What to call an object in a list; what identifies it unless given. */
  label?(record: ObjectRecord): string;
  /** Which record's value each attribute of the merged object takes; by vote unless given. */
  merge?(records: ObjectRecord[]): { label?: string; keep?: Record<string, number> };
  /** What to ask a search engine, the most telling first. */
  queries?(record: ObjectRecord): (Query | null | undefined)[];
}

export interface Vertical {
  readonly declaration: Declaration;
  readonly interfaces: string[];
}

/** Defines a vertical: the default export of a project. */
export function defineVertical<Prepared = any>(declaration: Declaration<Prepared>): Vertical;

export interface Found {
  readonly attributes: Attributes;
  readonly confidence: number;
  readonly type: string;
}

/** An object with how sure the extractor is of it, and its type where that is not the vertical's own. */
export function found(attributes: Attributes, about?: { confidence?: number; type?: string }): Found;

/** A value with the element it was read from. It has the usual methods of a text; what changes it gives a Reading again. */
export class Reading {
  constructor(value: any, from: Element | null);
  readonly value: any;
  readonly from: Element | null;
  map(change: (value: any) => any): Reading | null;
  /** Its parts, each of the same place, without white space around and without empty ones. */
  split(separator: string | RegExp): Reading[];
  trim(): Reading;
  replace(searched: string | RegExp, replacement: string | ((...found: string[]) => string)): Reading;
  replaceAll(searched: string | RegExp, replacement: string | ((...found: string[]) => string)): Reading;
  slice(start?: number, end?: number): Reading;
  toLowerCase(): Reading;
  toUpperCase(): Reading;
  normalize(form?: string): Reading;
  includes(searched: string): boolean;
  startsWith(searched: string): boolean;
  endsWith(searched: string): boolean;
  indexOf(searched: string): number;
  match(searched: string | RegExp): RegExpMatchArray | null;
  matchAll(searched: RegExp): IterableIterator<RegExpMatchArray>;
  search(searched: string | RegExp): number;
}

/** Both ends of a range of dates: the whole, of which the host takes the beginning, and the end's own; null where there is none. */
export function ends<When extends Reading | string>(when: When | null | undefined): [When | null, When | null];

/** What to take of an element. */
export type Take = "text" | "own-text" | "html" | `@${string}` | `url:${string}`;

/** A CSS selector within the row (empty for the row itself), and what to take, `text` unless given. */
export type Columns<Name extends string = string> = Record<Name, string | [css: string, take?: Take]>;

export type Row<Name extends string = string> = { element: Element } & Record<Name, Reading | null>;

/** One element of a page. The same element is always the same object. */
export class Element {
  readonly page: Page;
  readonly tag: string;
  /** The text a reader sees. */
  readonly text: string;
  readonly ownText: string;
  readonly html: string;
  readonly attrs: Record<string, string>;
  readonly parent: Element | null;
  readonly next: Element | null;
  readonly children: Element[];
  attr(name: string): string | null;
  /** An attribute that holds a reference (`href` unless given), as an absolute URL. */
  url(name?: string): string | null;
  /** A value that remembers this element: the first of `takes` that is there. */
  read(...takes: Take[]): Reading | null;
  select(css: string): Element[];
  first(css: string): Element | null;
  matches(css: string): boolean;
  closest(css: string): Element | null;
  table<Name extends string>(rows: string, columns: Columns<Name>): Row<Name>[];
  /** What labels (`dt`, `th`, `<b>Label:</b>`) say of their values, by label in lower case and without a colon. */
  labelled(): Map<string, Reading>;
  isBefore(other: Element): boolean;
}

/** A fetched page. */
export class Page {
  readonly url: string;
  readonly title: string | null;
  readonly language: string | null;
  readonly fetchedAt: Date;
  readonly status: number;
  readonly contentType: string;
  /** The text a reader sees. */
  readonly text: string;
  readonly source: string;
  readonly body: Uint8Array;
  readonly root: Element;
  /** Outermost entities of the structured data. */
  readonly structured: Entity[];
  /** The tree in columns, as in the contract. */
  readonly outline: any;
  header(name: string): string | null;
  resolve(reference: string): string | null;
  select(css: string): Element[];
  first(css: string): Element | null;
  table<Name extends string>(rows: string, columns: Columns<Name>): Row<Name>[];
  /** What labels (`dt`, `th`, `<b>Label:</b>`) say of their values, by label in lower case and without a colon. */
  labelled(): Map<string, Reading>;
  having(attribute: string): [Element, string][];
  /** All entities, nested ones too; of the types named, if any are. `*Event` is every type that ends so. */
  entities(...types: string[]): Entity[];
}

/** One entity of the structured data. Paths have dots: `jobLocation.address.addressLocality`. */
export class Entity {
  readonly types: string[];
  readonly id: string | null;
  readonly syntax: string;
  readonly element: Element | null;
  readonly names: string[];
  is(type: string): boolean;
  get(path: string): string | null;
  all(path: string): string[];
  number(path: string): number | null;
  read(path: string): Reading | null;
  entity(path: string): Entity | null;
  entities(path: string): Entity[];
}

export type Code = "bad-option" | "bad-features" | "too-complex" | "unexpected-page" | "internal" | "invalid-selector";

/** An error with a code of the contract. Any other error counts as a defect of the plugin. */
export class VerticalError extends Error {
  constructor(code: Code, message: string, details?: { attribute?: string; retryable?: boolean });
  readonly code: Code;
  readonly attribute: string | null;
  readonly retryable: boolean;
}
