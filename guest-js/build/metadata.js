/** Metadata of a component file for tools that do not run it: custom sections with text. */

import { COMPONENT, concat, number, text } from "./wasm.js";

/**
 * Adds the metadata of package.json to a component, and the contract for which it was built.
 *
 * @param {Uint8Array} component
 * @param {object} npm the content of package.json
 * @param {string} contract a version: `0.1.0`
 */
export function stamp(component, npm, contract) {
  const facts = {
    version: npm.version,
    description: npm.description,
    authors: person(npm.author),
    licenses: npm.license,
    homepage: npm.homepage,
    source: typeof npm.repository === "string" ? npm.repository : npm.repository?.url,
    "magpie:contract": contract,
  };
  const sections = Object.entries(facts).filter(([, fact]) => fact).map(([name, fact]) => {
    const body = [...text(name), ...new TextEncoder().encode(fact)];
    return [COMPONENT.custom, ...number(body.length), ...body];
  });
  return concat([component, ...sections]);
}

/** Formats an author. npm allows a text or `{ name, email }`. */
function person(author) {
  if (author === undefined || typeof author === "string") return author;
  return author.email ? `${author.name} <${author.email}>` : author.name;
}
