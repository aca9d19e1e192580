/** Options that the user of a plugin may set. */

import { check } from "./check.js";
import { VerticalError } from "./error.js";
import { isWireName, toWire } from "./names.js";
import { optionText } from "#host";

/**
 * Converts options to the contract's form. The kind follows from the default unless it is given.
 */
export function options(declared) {
  return Object.keys(declared).map((name) => {
    const { default: standard, kind, choices = [], summary = "" } = declared[name];
    const wire = toWire(name);
    check(isWireName(wire), `invalid option name \`${name}\`: expected letters and digits, such as maxDays`);
    check(standard !== undefined, `option \`${name}\` needs a default`);
    return { name: wire, kind: kind ?? kindOf(standard, choices), default: JSON.stringify(standard), choices, summary };
  });
}

function kindOf(standard, choices) {
  if (choices.length > 0) return "choice";
  if (typeof standard === "boolean") return "boolean";
  if (typeof standard === "number") return Number.isInteger(standard) ? "integer" : "real";
  return "text";
}

/** Current values, by the names in the declaration. */
export function optionValues(vertical) {
  const names = Object.keys(vertical.declaration.options ?? {});
  return Object.fromEntries(names.map((name, index) => [name, value(vertical.options[index])]));
}

function value(option) {
  const text = optionText(option.name) ?? option.default;
  try {
    return JSON.parse(text);
  } catch {
    throw new VerticalError("bad-option", `invalid value \`${text}\` for option \`${option.name}\`: expected JSON`, { attribute: option.name });
  }
}
