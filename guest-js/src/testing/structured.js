/** JSON-LD in the contract's form. For other syntaxes use fixtures, which the host parses. */

/** Properties whose values are references, the common ones. */
const REFERENCES = new Set([
  "contentUrl", "downloadUrl", "embedUrl", "hasMap", "hasMenu", "image", "license", "logo", "mainEntityOfPage", "map",
  "menu", "photo", "sameAs", "significantLink", "thumbnail", "thumbnailUrl", "url",
]);

/** Maximum depth of nested entities: references may form cycles. */
const MAX_LEVELS = 8;

/** Returns the contract's structured items of a document. */
export function structuredData(document, numberOf, resolve) {
  return [...document.querySelectorAll('script[type="application/ld+json"]')].flatMap((script) => {
    const all = entities(script.textContent);
    const byId = new Map(all.filter((entity) => "@id" in entity).map((entity) => [entity["@id"], entity]));
    return all.map((entity) => {
      const json = normal(entity, { byId, resolve }, 0);
      return { syntax: "json-ld", types: json["@type"], json: JSON.stringify(json), node: numberOf(script) };
    });
  });
}

/** Outermost entities; empty for invalid JSON. */
function entities(source) {
  try {
    return list(JSON.parse(source)).flatMap((one) => list(one["@graph"] ?? one)).filter(isEntity);
  } catch {
    return [];
  }
}

function normal(entity, page, level) {
  const result = { "@type": list(entity["@type"]).filter((type) => typeof type === "string").map(short) };
  for (const [name, given] of Object.entries(entity)) {
    if (name === "@id") result[name] = typeof given === "string" ? (page.resolve(given) ?? given) : given;
    else if (!name.startsWith("@")) result[name] = list(given).map((one) => value(name, one, page, level)).filter((one) => one !== null);
  }
  return result;
}

function value(name, given, page, level) {
  if (!isEntity(given)) return REFERENCES.has(name) && typeof given === "string" ? (page.resolve(given) ?? given) : given;
  if (level === MAX_LEVELS) return null;
  return normal(isReference(given) ? (page.byId.get(given["@id"]) ?? given) : given, page, level + 1);
}

/** Returns true for `{"@id": "#org"}` without other properties. */
function isReference(given) {
  return "@id" in given && Object.keys(given).length === 1;
}

/** Returns `Event` for `https://schema.org/Event`. */
function short(type) {
  return type.replace(/^https?:\/\/schema\.org\//, "");
}

function list(given) {
  return given === undefined ? [] : [given].flat(Infinity);
}

function isEntity(given) {
  return typeof given === "object" && given !== null;
}
