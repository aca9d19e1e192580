/**
 * Replacements for globals that the engine lacks, or takes from a system that does not exist here.
 */

import { sendable } from "../names.js";

/** Creates a console that writes to the log. */
export function consoleFor(log) {
  const shown = (part) => (typeof part === "object" ? JSON.stringify(part) : String(part));
  const at = (level) => (...parts) => log(level, sendable(parts.map(shown).join(" ")));
  return { debug: at("debug"), log: at("info"), info: at("info"), warn: at("warn"), error: at("error") };
}

/**
 * Creates a `Date` with `now` as its clock. The engine's own asks the system for the time, which
 * crashes it.
 */
export function frozenDate(Date, now) {
  const frozen = new Proxy(Date, {
    construct: (target, given, caller) =>
      Reflect.construct(target, given.length > 0 ? given : [now()], caller === frozen ? target : caller),
    apply: (target) => new target(now()).toString(),
    get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
  });
  return frozen;
}
