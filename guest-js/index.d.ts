/** Types for authors of verticals. The comments in src/ have more details. */

/** Kind of the values of an attribute. The host parses, checks and compares them by this kind. */
export type Kind =
  | "text" | "person" | "organisation" | "place" | "coordinates" | "date-time" | "duration" | "money" | "number" | "rating"
  | "boolean" | "url" | "image" | "language" | "properties" | `identifier:${string}`;

export interface AttributeSpec {
  kind: Kind;
  /** Column heading for people; derived from the name by default. */
  label?: string;
  /** True if an object without this attribute is dropped. */
  required?: boolean;
  /** True if there may be several values. */
  repeated?: boolean;
  /** True if two objects that differ in this attribute are hardly the same. */
  identifies?: boolean;
  /** True if the value helps a search engine to find the object. */
  query?: boolean;
  /** True if the object is no longer of interest once this time has passed. */
  expires?: boolean;
  /** Weight in the comparison of two objects; 1 by default. */
  weight?: number;
  /** Property of schema.org that has the values: `startDate`, `offers.price`. */
  schemaOrg?: string;
}

export interface OptionSpec {
  default: string | number | boolean;
  /** Determined by the default value unless given. */
  kind?: "text" | "integer" | "real" | "boolean" | "choice";
  choices?: string[];
  summary?: string;
}

export interface Routing {
  /** Accepted media types; HTML by default. */
  contentTypes?: string[];
  /** schema.org types in structured data that make a page relevant. */
  schemaTypes?: string[];
  /** Parts of a URL's path or query that make a page relevant. */
  pathHints?: string[];
  /** True if pages without any such hint are skipped. */
  onlyHinted?: boolean;
}

/**
 * Value of an attribute: text as found, a number, an element (its text), or a value with its
 * element.
 */
export type Value =
  | string | number | boolean | Date | Element | Reading | { value: unknown; from: Element } | object | null | undefined;

/** Attributes by name. An unknown name throws; null, undefined and empty text are ignored. */
export type Attributes = Record<string, Value | Value[]>;

/**
 * An object as stored by the host: normalised values, a list for repeated ones, null for missing
 * ones.
 */
export type ObjectRecord = Record<string, any>;

export interface Verdict {
  /** From 0 to 1: of the pairs given 0.8, four in five should be the same. */
  probability: number;
  reasons?: string[];
}

export interface Query {
  text: string;
  /** Default: `loose`. */
  purpose?: "identifier" | "exact" | "loose" | (string & {});
}

export interface Declaration<Prepared = any> {
  /** Name of the vertical; by default from package.json. */
  name?: string;
  /** Version of the plugin; by default from package.json. */
  version?: string;
  /** One line that describes the objects; by default the description in package.json. */
  summary?: string;
  /** Name of one object: `JobPosting`. */
  object: string;
  /**
   * The schema, in the order in which a person would read it. `"date-time"` is short for `{ kind:
   * "date-time" }`.
   */
  attributes: Record<string, Kind | AttributeSpec>;
  options?: Record<string, OptionSpec>;
  routing?: Routing;
  /**
   * Extracts the objects of a page, in document order; an empty list for a page without objects.
   */
  extract(page: Page, options: Record<string, any>): (Attributes | Found | null | undefined)[];
  /**
   * Prepares an object, once, for `keys` and `compare`; any JSON value. By default the record
   * itself.
   */
  prepare?(record: ObjectRecord): Prepared;
  /**
   * Blocking keys by scheme, the most distinctive first: only objects that share a key are
   * compared. Requires `compare`.
   */
  keys?(prepared: Prepared): Record<string, string | string[] | null | undefined>;
  /** Estimates the probability that two objects are the same. */
  compare?(one: Prepared, other: Prepared): number | Verdict;
  /** Label of an object in a list; by default its identifying values. */
  label?(record: ObjectRecord): string;
  /** Chooses the record from which the merged object takes each attribute; by default by vote. */
  merge?(records: ObjectRecord[]): { label?: string; keep?: Record<string, number> };
  /** Search engine queries, the most distinctive first. */
  queries?(record: ObjectRecord): (Query | null | undefined)[];
}

export interface Vertical {
  readonly declaration: Declaration;
  readonly interfaces: string[];
}

/** Defines a vertical: the default export of a project. */
export function defineVertical<Prepared = any>(declaration: Declaration<Prepared>): Vertical;

/** Judgement of a page. */
export interface Judgement {
  accepted: boolean;
  /** Probability that `accepted` is right, from 0 to 1; 1 by default. */
  confidence?: number;
  /** A short reason for a person. */
  reason?: string;
}

export interface ValidatorDeclaration {
  /** Name of the vertical; by default from package.json. */
  name?: string;
  /** Version of the plugin; by default from package.json. */
  version?: string;
  /** One line that describes the relevant pages; by default the description in package.json. */
  summary?: string;
  /** Name of one relevant page: `Review`. */
  object: string;
  options?: Record<string, OptionSpec>;
  routing?: Routing;
  /** Judges a page. The same page and options must give the same judgement. */
  judge(page: Page, options: Record<string, any>): boolean | Judgement;
}

export interface Validator {
  readonly declaration: ValidatorDeclaration;
  readonly interfaces: string[];
}

/**
 * Defines a validator, which judges pages that are relevant without being objects: the default
 * export of a project.
 */
export function defineValidator(declaration: ValidatorDeclaration): Validator;

export interface Found {
  readonly attributes: Attributes;
  readonly confidence: number;
  readonly type: string;
}

/** Creates an object with a confidence, and a type if it is not the vertical's own. */
export function found(attributes: Attributes, about?: { confidence?: number; type?: string }): Found;

/**
 * A value with the element from which it was read. It has the usual methods of a text; those that
 * change it return a Reading.
 */
export class Reading {
  constructor(value: any, from: Element | null);
  readonly value: any;
  readonly from: Element | null;
  map(change: (value: any) => any): Reading | null;
  /** Parts of the value with the same element, trimmed and without empty ones. */
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

/**
 * Splits a range of dates into the whole text, from which the host takes the start, and its end;
 * null if there is none.
 */
export function ends<When extends Reading | string>(when: When | null | undefined): [When | null, When | null];

/** Value to take from an element. */
export type Take = "text" | "own-text" | "html" | `@${string}` | `url:${string}`;

/**
 * A CSS selector within the row (empty for the row itself), and the value to take, `text` by
 * default.
 */
export type Columns<Name extends string = string> = Record<Name, string | [css: string, take?: Take]>;

export type Row<Name extends string = string> = { element: Element } & Record<Name, Reading | null>;

/** One element of a page. The same element is always the same object. */
export class Element {
  readonly page: Page;
  readonly tag: string;
  /** Visible text. */
  readonly text: string;
  readonly ownText: string;
  readonly html: string;
  readonly attrs: Record<string, string>;
  readonly parent: Element | null;
  readonly next: Element | null;
  readonly children: Element[];
  attr(name: string): string | null;
  /** An attribute with a reference (`href` by default), as an absolute URL. */
  url(name?: string): string | null;
  /** The first non-empty one of `takes`, as a value with this element. */
  read(...takes: Take[]): Reading | null;
  select(css: string): Element[];
  first(css: string): Element | null;
  matches(css: string): boolean;
  closest(css: string): Element | null;
  table<Name extends string>(rows: string, columns: Columns<Name>): Row<Name>[];
  /** Labelled values (`dt`, `th`, `<b>Label:</b>`), by label in lower case and without a colon. */
  labelled(): Map<string, Reading>;
  isBefore(other: Element): boolean;
}

/** Date of a page itself. It never depends on the time of the fetch. */
export interface OwnDate {
  /** Day on which the page was published or changed: `2025-03-21`. "Today" on it is this day. */
  day: string | null;
  /** Place where the day is stated: `structured-data`, `url`, `heading` or `header`. Empty without a day. */
  source: string;
  /** Year that the title, the main heading or the URL states for the dates on the page. */
  year: number | null;
}

/** A fetched page. */
export class Page {
  readonly url: string;
  readonly title: string | null;
  readonly language: string | null;
  /** Time of the fetch. No value of an object may depend on it. */
  readonly fetchedAt: Date;
  readonly ownDate: OwnDate;
  readonly status: number;
  readonly contentType: string;
  /** Visible text. */
  readonly text: string;
  readonly source: string;
  readonly body: Uint8Array;
  readonly root: Element;
  /** Outermost entities of the structured data. */
  readonly structured: Entity[];
  /** Forms with their fields, labels and choices, in document order. */
  readonly forms: Form[];
  /** The tree in columns, as in the contract. */
  readonly outline: any;
  header(name: string): string | null;
  resolve(reference: string): string | null;
  select(css: string): Element[];
  first(css: string): Element | null;
  table<Name extends string>(rows: string, columns: Columns<Name>): Row<Name>[];
  /** Labelled values (`dt`, `th`, `<b>Label:</b>`), by label in lower case and without a colon. */
  labelled(): Map<string, Reading>;
  having(attribute: string): [Element, string][];
  /**
   * All entities, including nested ones; only those of the given types, if any. `*Event` matches
   * every type with this ending.
   */
  entities(...types: string[]): Entity[];
}

/**
 * One entity of the structured data. Paths are separated by dots:
 * `jobLocation.address.addressLocality`.
 */
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

/** A form, as a browser without scripts reads it. */
export class Form {
  readonly element: Element;
  /**
   * Absolute URL that it is sent to: that of the page if the form states no action. Null if a script
   * sends the form, or if the action is not an http(s) URL.
   */
  readonly action: string | null;
  /** `dialog` sends nothing. */
  readonly method: "get" | "post" | "dialog" | (string & {});
  /** Media type of the body of a `post`. */
  readonly encoding: string;
  /** Charset of the values that are sent: `UTF-8`. */
  readonly charset: string;
  /** ARIA role of the form or of the landmark that it is in: `search`. Empty if unknown. */
  readonly role: string;
  /** The form's legend or heading, or a heading shortly before it. */
  readonly heading: string;
  readonly fields: FormField[];
  readonly submits: FormSubmit[];
  /** True if something was left out or shortened because of a limit. */
  readonly cut: boolean;
  /** First field with a `name` attribute. */
  field(name: string): FormField | null;
}

/** Kind of a control: the type of an input as in HTML, or another control. */
export type FieldKind =
  | "text" | "search" | "number" | "range" | "date" | "datetime" | "time" | "month" | "week" | "color" | "email"
  | "tel" | "url" | "password" | "file" | "hidden" | "textarea" | "select" | "select-multiple" | "radio" | "checkbox"
  | "button" | "reset" | (string & {});

/** A field of a form: one control, or all radio buttons or checkboxes of one name. */
export interface FormField {
  /** The first element of a group. */
  readonly element: Element;
  /** A field without a name is not sent. */
  readonly name: string;
  readonly kind: FieldKind;
  /** The value before anything is entered. Empty if the field has choices. */
  readonly value: string;
  /** The choices of a select and of a group of radio buttons or checkboxes. */
  readonly choices: FormChoice[];
  /** Text that tells readers its purpose. Empty if there is no such text. */
  readonly label: string;
  readonly placeholder: string;
  readonly required: boolean;
  /** True if it is neither usable nor sent. */
  readonly disabled: boolean;
  /** True if readers do not see it. */
  readonly hidden: boolean;
  /** A regular expression for the whole value. */
  readonly pattern: string | null;
  readonly min: string | null;
  readonly max: string | null;
  readonly step: string | null;
  readonly maxLength: number | null;
}

/** One option of a select, or one radio button or checkbox. */
export interface FormChoice {
  /** The value that is sent. */
  readonly value: string;
  /** Text that readers see. */
  readonly label: string;
  /** True if it is chosen before anything is entered. */
  readonly selected: boolean;
  /** True if it can't be chosen. */
  readonly disabled: boolean;
}

/** A submit button of a form. */
export interface FormSubmit {
  readonly element: Element;
  /** A button without a name adds nothing to the request. */
  readonly name: string;
  readonly value: string;
  readonly label: string;
  readonly disabled: boolean;
  /** Absolute URL that replaces the form's action. */
  readonly action: string | null;
  /** Method that replaces that of the form. */
  readonly method: string | null;
}

export type Code = "bad-option" | "bad-features" | "too-complex" | "unexpected-page" | "internal" | "invalid-selector";

/** An error with a code of the contract. Any other error counts as a defect of the plugin. */
export class VerticalError extends Error {
  constructor(code: Code, message: string, details?: { attribute?: string; retryable?: boolean });
  readonly code: Code;
  readonly attribute: string | null;
  readonly retryable: boolean;
}
