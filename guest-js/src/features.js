/** Features that the host keeps of an object for comparisons: JSON as bytes. */

import { VerticalError } from "./error.js";

/** Maximum number of arguments of one call; engines allow some ten thousand. */
const CHUNK = 4096;

/**
 * Encodes a value. The engine has no TextEncoder, so characters beyond ASCII are written as JSON
 * escapes.
 */
export function encode(value) {
  const json = JSON.stringify(value ?? null).replace(/[^\x00-\x7f]/g, escaped);
  return Uint8Array.from(json, (character) => character.charCodeAt(0));
}

function escaped(character) {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Decodes features: the reverse of `encode`. */
export function decode(bytes) {
  let json = "";
  for (let start = 0; start < bytes.length; start += CHUNK) {
    json += String.fromCharCode(...bytes.slice(start, start + CHUNK));
  }
  try {
    return JSON.parse(json);
  } catch {
    throw new VerticalError("bad-features", "these features were made by another plugin or version");
  }
}
