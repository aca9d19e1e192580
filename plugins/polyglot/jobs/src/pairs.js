/** Finds labels and their values in any layout. */

import { Reading } from "magpie-vertical";

import { attributeOf } from "./labels.js";

/** Elements whose own text may be a label, or a label and its value. */
const LABELLED = "dt, th, td, strong, b, em, span, label, h3, h4, h5, h6, p, li, div";

/** Elements within a line, whose value follows in the same line. */
const INLINE = new Set(["strong", "b", "em", "span", "label"]);

/** Parts of a page with other content: searches, menus, other offers. */
const ELSEWHERE = "nav, footer, aside, form";

/** Maximum length of a value. Longer texts are sections. */
const LONGEST_VALUE = 200;

/**
 * Maximum number of pairs of a page. An offer has about ten; the limit also bounds hostile pages.
 */
const MOST = 200;

/**
 * Returns the values next to known labels, in document order: `{ attribute, value }`, where the
 * value keeps its element.
 */
export function pairs(page) {
  const found = [];
  for (const { element, text } of page.table(LABELLED, { text: ["", "own-text"] })) {
    const pair = text === null ? null : pairAt(element, text.value);
    if (pair !== null && element.closest(ELSEWHERE) === null) found.push(pair);
    if (found.length === MOST) break;
  }
  return found;
}

function pairAt(element, text) {
  const colon = text.indexOf(":");
  const attribute = attributeOf(colon < 0 ? text : text.slice(0, colon));
  if (attribute === null) return null;
  const rest = colon < 0 ? "" : text.slice(colon + 1).trim();
  const value = rest !== "" ? new Reading(rest, element) : valueOf(element);
  if (value === null || value.value.length > LONGEST_VALUE || attributeOf(value.value) !== null) return null;
  return { attribute, value };
}

/**
 * Returns the value of an element that is only a label: the rest of its line, or the next element.
 */
function valueOf(label) {
  if (INLINE.has(label.tag)) {
    const rest = label.parent.ownText.replace(/^[\s:–-]+/, "");
    if (rest !== "") return new Reading(rest, label.parent);
  }
  return label.next?.read("@datetime", "text") ?? label.next?.first("time")?.read("@datetime") ?? null;
}
