/** Labels and their values, in the usual forms. */

import { Reading } from "./reading.js";

/** Pairs of elements, a label and the value after it: the tags of both, and a selector for both. */
const PAIRS = [
  ["dt", "dd", "dt, dd"],
  ["th", "td", "tr > th:first-child, tr > th:first-child + td"],
];

/** Selector of elements whose lines may be `Label: value`. */
const LINES = "li, p, :is(div, td, dd, span):has(> :is(b, strong))";

/** Maximum length of a label; longer texts are sentences. */
const MAX_LABEL = 60;

/** Implements `Element.labelled`. */
export function labelled(scope) {
  const found = new Map();
  const add = (label, value) => {
    const name = label.replace(/\s+/g, " ").replace(/[\s:]+$/, "").trim().toLowerCase();
    if (name !== "" && value !== null && !found.has(name)) found.set(name, value);
  };
  for (const [label, value, css] of PAIRS) {
    const all = scope.table(css, { text: "" }).map(({ element, text }) => ({ element, tag: element.tag, text }));
    all.forEach((one, index) => {
      const next = all[index + 1];
      if (one.tag === label && next?.tag === value && one.text !== null) add(one.text.value, next.text);
    });
  }
  for (const { element, text } of scope.table(LINES, { text: "" })) {
    for (const line of text === null ? [] : text.value.split("\n")) {
      const [, label, value] = /^([^:]+):\s+(\S.*)$/.exec(line) ?? [];
      if (label !== undefined && label.length <= MAX_LABEL) add(label, new Reading(value, element));
    }
  }
  return found;
}
