/** The host, as a component sees it, and what an engine without a system around it needs. */

import host from "magpie:vertical/host@0.1.0";

import { consoleOver, standingDate } from "./engine.js";

/** Milliseconds since 1970, as every clock of the component says. */
let now = 0;

globalThis.console ??= consoleOver(log);
globalThis.Date = standingDate(globalThis.Date, () => now);
globalThis.performance = { now: () => 0 };

/** Writes a line to the log; `level` is `debug`, `info`, `warn` or `error`. */
export function log(level, message) {
  host.log(level, message);
}

/** The value of a declared option as JSON text; null for one that is not declared. */
export function optionText(name) {
  return host.getOption(name);
}

/** Sets the clock, which then stands. */
export function setClock(milliseconds) {
  now = milliseconds;
}
