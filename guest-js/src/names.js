/** Conversion of names: `validThrough` in JavaScript is `valid-through` in the contract. */

/** Converts a JavaScript name to the contract's form. */
export function toWire(name) {
  return name.replace(/[A-Z]/g, (character) => `-${character.toLowerCase()}`);
}

/** Converts a name of the contract to JavaScript's form. */
export function fromWire(name) {
  return name.replace(/-([a-z0-9])/g, (_, character) => character.toUpperCase());
}

/** Returns a label for people: `Valid through` for `valid-through`. */
export function toLabel(wire) {
  const words = wire.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns true for a name of the contract: lower case with dashes, beginning with a letter. */
export function isWireName(name) {
  return /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name);
}

/**
 * Returns text that can be sent to the host: lone surrogates, which a wrong `slice` creates, become
 * �.
 */
export function sendable(text) {
  return String(text).toWellFormed();
}
