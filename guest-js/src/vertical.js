/** From an author's declaration to a vertical, with every slip named when it is defined. */

import { check } from "./check.js";
import { isWireName } from "./names.js";
import { attributes } from "./schema.js";
import { options } from "./options.js";

/** What a declaration may have. */
const PARTS = [
  "name", "version", "summary", "object", "attributes", "options", "routing",
  "extract", "prepare", "keys", "compare", "label", "merge", "queries",
];

const FUNCTIONS = ["extract", "prepare", "keys", "compare", "label", "merge", "queries"];

const ROUTING = { contentTypes: [], schemaTypes: [], pathHints: [], onlyHinted: false };

/** A vertical, as `defineVertical` makes it. */
export class Vertical {
  constructor(declaration) {
    /** The author's own declaration. */
    this.declaration = declaration;
    this.attributes = attributes(declaration.attributes);
    this.options = options(declaration.options ?? {});
    this.routing = { ...ROUTING, ...declaration.routing };
    this.byName = new Map(this.attributes.map((attribute) => [attribute.name, attribute]));
  }

  /** The interfaces of the contract that a component of it exports. The host does the others by the schema. */
  get interfaces() {
    const { compare, queries } = this.declaration;
    return ["description", "extraction", ...(compare ? ["clustering"] : []), ...(queries ? ["querying"] : [])];
  }
}

/**
 * Defines a vertical. Everything a declaration can have is described in `index.d.ts`.
 *
 * What says when objects are the same (`keys` and `compare`) and what to ask a search engine
 * (`queries`) may be left out; the host then goes by the schema, which is good enough to start with.
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
  check(name === undefined || isWireName(name), `\`${name}\` is no name: small letters, digits and dashes, like job-offers`);
  check(!keys === !compare, "`keys` and `compare` go together: only objects that share a key are compared");
  for (const helper of ["prepare", "label", "merge"]) {
    check(!declaration[helper] || compare, `\`${helper}\` is of no use without \`keys\` and \`compare\``);
  }
  checkRouting(declaration.routing ?? {});
  return new Vertical(declaration);
}

function checkRouting(routing) {
  const unknown = Object.keys(routing).find((name) => !(name in ROUTING));
  check(unknown === undefined, `\`routing\` has no \`${unknown}\`; it has ${Object.keys(ROUTING).join(", ")}`);
}

/**
 * The contract's description of a vertical.
 *
 * @param {Vertical} vertical
 * @param {{ name?: string, version?: string, description?: string }} npm the package, for what the declaration leaves out
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
