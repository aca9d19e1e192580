/** Names: `validThrough` in JavaScript is `valid-through` in the contract. */

/** A name of JavaScript as the contract writes it. */
export function toWire(name) {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** A name of the contract as JavaScript writes it. */
export function fromWire(name) {
  return name.replace(/-([a-z0-9])/g, (_, letter) => letter.toUpperCase());
}

/** What a person reads: `valid-through` as `Valid through`. */
export function toLabel(wire) {
  const words = wire.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Whether it is a name of the contract: lower case with dashes, beginning with a letter. */
export function isWireName(name) {
  return /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name);
}

/** Text that can be sent: halves of characters, which a slip with `slice` makes, become �. */
export function sendable(text) {
  return String(text).toWellFormed();
}
