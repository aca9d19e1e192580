/** Labels and their values, however a page lays them out. */

import { Reading } from "magpie-vertical";

import { attributeOf } from "./labels.js";

/** Elements whose own text may be a label, or a label and its value. */
const LABELLED = "dt, th, td, strong, b, em, span, label, h3, h4, h5, h6, p, li, div";

/** Elements that stand within a line, with the value in the same line after them. */
const INLINE = new Set(["strong", "b", "em", "span", "label"]);

/** Parts of a page that speak of other things: searches, menus, other offers. */
const ELSEWHERE = "nav, footer, aside, form";

/** Longer values are sections of text. */
const LONGEST_VALUE = 200;

/** Pairs of one page. An offer has ten; more are a list's, or somebody's who wants to keep us busy. */
const MOST = 200;

/**
 * The values on a page that stand beside a known label, in document order: `{ attribute, value }`,
 * where the value remembers its element.
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

/** The value of an element that is a label and nothing else: the rest of its line, or what comes next. */
function valueOf(label) {
  if (INLINE.has(label.tag)) {
    const rest = label.parent.ownText.replace(/^[\s:–-]+/, "");
    if (rest !== "") return new Reading(rest, label.parent);
  }
  return label.next?.read("@datetime", "text") ?? label.next?.first("time")?.read("@datetime") ?? null;
}
