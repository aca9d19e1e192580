/** The host, where there is none: while building, and in tests under Node. */

const set = new Map();

/** Writes a line to Node's console. */
export function log(level, message) {
  console[level](message);
}

/** What a test has set; null otherwise, and then the default is taken. */
export function optionText(name) {
  return set.get(name) ?? null;
}

/** Sets an option for the tests that follow; `undefined` takes it back. */
export function setOption(name, value) {
  if (value === undefined) set.delete(name);
  else set.set(name, JSON.stringify(value));
}

/** Node's clock goes on: whoever tests with it wants to see so. */
export function setClock() {}
