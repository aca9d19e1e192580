/** The host, as a component sees it. */

import host from "magpie:vertical/host@0.1.0";

/** Writes a line to the log; `level` is `debug`, `info`, `warn` or `error`. */
export function log(level, message) {
  host.log(level, message);
}

/** The value of a declared option as JSON text; null for one that is not declared. */
export function optionText(name) {
  return host.getOption(name);
}
