/** Labels and their values, in the forms that pages have for them. */

import { Reading } from "./reading.js";

/** Elements of which each is a label or the value of the one before it: the tags of both, and how they are found. */
const PAIRS = [
  ["dt", "dd", "dt, dd"],
  ["th", "td", "tr > th:first-child, tr > th:first-child + td"],
];

/** Elements whose lines may be `Label: value`. */
const LINES = "li, p, :is(div, td, dd, span):has(> :is(b, strong))";

/** Longer ones are sentences. */
const LONGEST_LABEL = 60;

/** See `Element.labelled`. */
export function labelled(scope) {
  const found = new Map();
  const add = (label, value) => {
    const name = label.replace(/\s+/g, " ").replace(/[\s:]+$/, "").trim().toLowerCase();
    if (name !== "" && value !== null && !found.has(name)) found.set(name, value);
  };
  for (const [label, value, css] of PAIRS) {
    const all = scope.table(css, { text: "" }).map(({ element, text }) => ({ element, tag: element.tag, text }));
    all.forEach((one, place) => {
      const next = all[place + 1];
      if (one.tag === label && next?.tag === value && one.text !== null) add(one.text.value, next.text);
    });
  }
  for (const { element, text } of scope.table(LINES, { text: "" })) {
    for (const line of text === null ? [] : text.value.split("\n")) {
      const [, label, value] = /^([^:]+):\s+(\S.*)$/.exec(line) ?? [];
      if (label !== undefined && label.length <= LONGEST_LABEL) add(label, new Reading(value, element));
    }
  }
  return found;
}
