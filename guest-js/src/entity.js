/** Structured data, independent of its syntax. */

import { Reading } from "./reading.js";

/**
 * Maximum depth of nested entities; deeper ones are dropped. Real pages stay below ten, and hostile
 * ones may nest without limit.
 */
const MAX_LEVELS = 32;

/**
 * One entity: a job offer, its place, the place's address. Properties are accessed by name, or by a
 * path of names separated by dots: `offer.get("jobLocation.address.addressLocality")`.
 */
export class Entity {
  #json;
  #origin;

  /**
   * @param {object} json in the contract's form
   * @param {{ item: object, element: object | null }} origin the outermost entity and its element
   */
  constructor(json, origin) {
    this.#json = json;
    this.#origin = origin;
  }

  /**
   * Types of the entity: short names of schema.org (`JobPosting`), others as written (`h-event`).
   */
  get types() {
    const own = this.#values("@type").map(String);
    return own.length === 0 && this.#json === this.#origin.json ? this.#origin.item.types : own;
  }

  /**
   * Returns true if it has a type. `Event` matches exactly this type, `*Event` every type with this
   * ending (`MusicEvent`).
   */
  is(wanted) {
    const ending = wanted.startsWith("*") ? wanted.slice(1) : null;
    return this.types.some((type) => (ending === null ? type === wanted : type.endsWith(ending)));
  }

  /** The `@id` of the entity; null if there is none. */
  get id() {
    const [id] = this.#values("@id");
    return id === undefined ? null : String(id);
  }

  /** Syntax of the source: `json-ld`, `microdata`, `rdfa`, `microformats2`, `open-graph`. */
  get syntax() {
    return this.#origin.item.syntax;
  }

  /** Element that holds the outermost entity; null if the host does not know it. */
  get element() {
    return this.#origin.element;
  }

  /** Names of the properties. */
  get names() {
    return Object.keys(this.#json).filter((name) => !name.startsWith("@"));
  }

  /**
   * First text at a path; null if there is none. Numbers and booleans are converted to text. An
   * entity is replaced by its `name`, since sites write `"location": "Old Mill"` as often as the
   * long form.
   */
  get(path) {
    return this.all(path)[0] ?? null;
  }

  /** All texts at a path. */
  all(path) {
    return this.#at(path).map(text).filter((value) => value !== "");
  }

  /** First number at a path; null if nothing matches. */
  number(path) {
    const numbers = this.all(path).map(Number);
    return numbers.find(Number.isFinite) ?? null;
  }

  /** As `get`, with the element that holds the entity. */
  read(path) {
    const value = this.get(path);
    return value === null ? null : new Reading(value, this.element);
  }

  /** Entities at a path. */
  entities(path) {
    return this.#at(path).filter(isEntity).map((json) => new Entity(json, this.#origin));
  }

  /** First entity at a path; null if nothing matches. */
  entity(path) {
    return this.entities(path)[0] ?? null;
  }

  #at(path) {
    let reached = [this.#json];
    for (const name of path.split(".")) {
      reached = reached.filter(isEntity).flatMap((json) => values(json, name));
    }
    return reached;
  }

  #values(name) {
    return values(this.#json, name);
  }
}

/** The outermost entities of the host's items. */
export function outermost(items) {
  return items.map((origin) => new Entity(jsonOf(origin), origin));
}

/** All entities; a nested one comes after the one that contains it. */
export function allEntities(items) {
  const found = [];
  const visit = (json, origin, level) => {
    found.push(new Entity(json, origin));
    if (level === MAX_LEVELS) return;
    for (const name of Object.keys(json)) {
      for (const value of values(json, name)) {
        if (isEntity(value)) visit(value, origin, level + 1);
      }
    }
  };
  items.forEach((origin) => visit(jsonOf(origin), origin, 1));
  return found;
}

/** Parses an item's JSON, once. The host wrote it, so it is valid. */
function jsonOf(origin) {
  origin.json ??= JSON.parse(origin.item.json);
  return origin.json;
}

function values(json, name) {
  if (!Object.hasOwn(json, name)) return [];
  return [json[name]].flat();
}

function isEntity(value) {
  return typeof value === "object" && value !== null;
}

function text(value) {
  if (!isEntity(value)) return value === null ? "" : String(value).trim();
  const name = [...values(value, "name"), ...values(value, "@value")].find((own) => own !== null && !isEntity(own));
  return name === undefined ? "" : String(name).trim();
}
