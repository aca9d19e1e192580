/** Replacement of the host for builds, and for tests under Node. */

const set = new Map();

/** Writes a line to Node's console. */
export function log(level, message) {
  console[level](message);
}

/** Value set by a test; null makes the caller use the default. */
export function optionText(name) {
  return set.get(name) ?? null;
}

/** Sets an option for the following tests; `undefined` removes it. */
export function setOption(name, value) {
  if (value === undefined) set.delete(name);
  else set.set(name, JSON.stringify(value));
}

/** Does nothing: Node's clock remains in use. */
export function setClock() {}
