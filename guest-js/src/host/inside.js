/** The host as seen by a component, and replacements for the missing system. */

import host from "magpie:vertical/host@0.1.3";

import { consoleFor, frozenDate } from "./engine.js";

/** Milliseconds since 1970, the time of all clocks of the component. */
let now = 0;

globalThis.console ??= consoleFor(log);
globalThis.Date = frozenDate(globalThis.Date, () => now);
globalThis.performance = { now: () => 0 };

/** Writes a line to the log; `level` is `debug`, `info`, `warn` or `error`. */
export function log(level, message) {
  host.log(level, message);
}

/** Value of a declared option as JSON text; null for an undeclared one. */
export function optionText(name) {
  return host.getOption(name);
}

/** Sets the clock, which does not advance by itself. */
export function setClock(milliseconds) {
  now = milliseconds;
}
