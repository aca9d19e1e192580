/** Structured data, whatever its syntax was. */

import { Reading } from "./reading.js";

/** Entities nested deeper are left out. Real pages stay below ten, and hostile ones have no bottom. */
const MOST_LEVELS = 32;

/**
 * One entity: a job offer, its place, the place's address. Properties are reached by name, or by a
 * path of names with dots between: `offer.get("jobLocation.address.addressLocality")`.
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

  /** Its types: short names of schema.org (`JobPosting`), others as written (`h-event`). */
  get types() {
    const own = this.#values("@type").map(String);
    return own.length === 0 && this.#json === this.#origin.json ? this.#origin.item.types : own;
  }

  /** Whether it has a type: `Event` means just that, `*Event` every type whose name ends so (`MusicEvent`). */
  is(wanted) {
    const ending = wanted.startsWith("*") ? wanted.slice(1) : null;
    return this.types.some((type) => (ending === null ? type === wanted : type.endsWith(ending)));
  }

  /** Its `@id`; null when there is none. */
  get id() {
    const [id] = this.#values("@id");
    return id === undefined ? null : String(id);
  }

  /** Where it comes from: `json-ld`, `microdata`, `rdfa`, `microformats2`, `open-graph`. */
  get syntax() {
    return this.#origin.item.syntax;
  }

  /** The element that holds it, or the entity around it; null where the host can't tell. */
  get element() {
    return this.#origin.element;
  }

  /** The names of its properties. */
  get names() {
    return Object.keys(this.#json).filter((name) => !name.startsWith("@"));
  }

  /**
   * The first text at a path; null when there is none. Numbers and truth values are text here; of
   * an entity its `name` is taken, since sites write `"location": "Old Mill"` as freely as the long form.
   */
  get(path) {
    return this.all(path)[0] ?? null;
  }

  /** All texts at a path. */
  all(path) {
    return this.#at(path).map(text).filter((value) => value !== "");
  }

  /** The first number at a path; null when there is none. */
  number(path) {
    const numbers = this.all(path).map(Number);
    return numbers.find(Number.isFinite) ?? null;
  }

  /** As `get`, remembering the element that holds the entity. */
  read(path) {
    const value = this.get(path);
    return value === null ? null : new Reading(value, this.element);
  }

  /** The entities at a path. */
  entities(path) {
    return this.#at(path).filter(isEntity).map((json) => new Entity(json, this.#origin));
  }

  /** The first of them; null when there is none. */
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

/** The outermost entities of what the host handed over. */
export function outermost(items) {
  return items.map((origin) => new Entity(jsonOf(origin), origin));
}

/** All entities, a nested one after the one that holds it. */
export function allEntities(items) {
  const found = [];
  const visit = (json, origin, level) => {
    found.push(new Entity(json, origin));
    if (level === MOST_LEVELS) return;
    for (const name of Object.keys(json)) {
      for (const value of values(json, name)) {
        if (isEntity(value)) visit(value, origin, level + 1);
      }
    }
  };
  items.forEach((origin) => visit(jsonOf(origin), origin, 1));
  return found;
}

/** The host wrote the JSON, so it is some; parsed once. */
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
