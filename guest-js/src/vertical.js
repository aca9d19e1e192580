/** Conversion of an author's declaration to a vertical or a validator; reports every mistake at definition. */

import { check } from "./check.js";
import { isWireName } from "./names.js";
import { attributes } from "./schema.js";
import { options } from "./options.js";

/** Allowed parts of a declaration. */
const PARTS = [
  "name", "version", "summary", "object", "attributes", "options", "routing",
  "extract", "prepare", "keys", "compare", "label", "merge", "queries",
];

const FUNCTIONS = ["extract", "prepare", "keys", "compare", "label", "merge", "queries"];

const ROUTING = { contentTypes: [], schemaTypes: [], pathHints: [], onlyHinted: false };

/** Allowed parts of the declaration of a validator. */
const VALIDATOR_PARTS = ["name", "version", "summary", "object", "options", "routing", "judge"];

/** A vertical, as created by `defineVertical`. */
export class Vertical {
  constructor(declaration) {
    /** The author's own declaration. */
    this.declaration = declaration;
    this.attributes = attributes(declaration.attributes);
    this.options = options(declaration.options ?? {});
    this.routing = { ...ROUTING, ...declaration.routing };
    this.byName = new Map(this.attributes.map((attribute) => [attribute.name, attribute]));
  }

  /**
   * Interfaces of the contract that a component of this vertical exports. The host does the rest by
   * the schema.
   */
  get interfaces() {
    const { compare, queries } = this.declaration;
    return ["description", "extraction", ...(compare ? ["clustering"] : []), ...(queries ? ["querying"] : [])];
  }
}

/** A validator, as created by `defineValidator`. */
export class Validator {
  constructor(declaration) {
    /** The author's own declaration. */
    this.declaration = declaration;
    this.attributes = [];
    this.options = options(declaration.options ?? {});
    this.routing = { ...ROUTING, ...declaration.routing };
  }

  /** Interfaces of the contract that a component of this validator exports. */
  get interfaces() {
    return ["description", "validation"];
  }
}

/**
 * Defines a vertical. `index.d.ts` describes all parts of a declaration.
 *
 * The comparison of objects (`keys` and `compare`) and the search engine queries (`queries`) are
 * optional. Without them the host works by the schema, which is good enough to start with.
 *
 * @param {import("../index.d.ts").Declaration} declaration
 */
export function defineVertical(declaration) {
  const unknown = Object.keys(declaration).find((part) => !PARTS.includes(part));
  check(unknown === undefined, `a vertical has no \`${unknown}\`; it has ${PARTS.join(", ")}`);
  for (const name of FUNCTIONS) {
    const part = declaration[name];
    check(part === undefined || typeof part === "function", `\`${name}\` must be a function`);
  }
  const { name, object, extract, keys, compare } = declaration;
  check(extract, "a vertical needs `extract(page)`, which finds its objects");
  check(typeof object === "string" && object !== "", '`object` must say what one object is called: "JobPosting"');
  check(name === undefined || isWireName(name), `invalid name \`${name}\`: expected lowercase letters, digits and dashes, such as job-offers`);
  check(!keys === !compare, "`keys` and `compare` go together: only objects that share a key are compared");
  for (const helper of ["prepare", "label", "merge"]) {
    check(!declaration[helper] || compare, `\`${helper}\` has no effect without \`keys\` and \`compare\``);
  }
  checkRouting(declaration.routing ?? {});
  return new Vertical(declaration);
}

/**
 * Defines a validator, which judges pages that are relevant without being objects. It is a component
 * of its own; an extractor of the same name and it are one vertical.
 *
 * @param {import("../index.d.ts").ValidatorDeclaration} declaration
 */
export function defineValidator(declaration) {
  const unknown = Object.keys(declaration).find((part) => !VALIDATOR_PARTS.includes(part));
  check(unknown === undefined, `a validator has no \`${unknown}\`; it has ${VALIDATOR_PARTS.join(", ")}`);
  const { name, object, judge } = declaration;
  check(typeof judge === "function", "a validator needs `judge(page)`, which says whether a page is relevant");
  check(typeof object === "string" && object !== "", '`object` must say what a relevant page is called: "Review"');
  check(name === undefined || isWireName(name), `invalid name \`${name}\`: expected lowercase letters, digits and dashes, such as job-offers`);
  checkRouting(declaration.routing ?? {});
  return new Validator(declaration);
}

function checkRouting(routing) {
  const unknown = Object.keys(routing).find((name) => !(name in ROUTING));
  check(unknown === undefined, `\`routing\` has no \`${unknown}\`; it has ${Object.keys(ROUTING).join(", ")}`);
}

/**
 * Returns the contract's description of a vertical.
 *
 * @param {Vertical} vertical
 * @param {{ name?: string, version?: string, description?: string }} npm the package, used for
 *   missing parts of the declaration
 */
export function describe({ declaration, attributes, options, routing }, npm) {
  return {
    name: declaration.name ?? npm.name ?? "",
    version: declaration.version ?? npm.version ?? "0.0.0",
    summary: declaration.summary ?? npm.description ?? "",
    objectType: declaration.object,
    attributes,
    options,
    routing,
    extra: [],
  };
}
