/** Splits ranges of dates, as texts that the host parses. */

import { Reading } from "./reading.js";

/**
 * Matches the separator of a range. A hyphen without spaces only counts if it is not part of a date
 * like 2026-10-28.
 */
const BETWEEN = /\s*[–—]\s*|\s+(?:-|to|until|till|through|bis|au|al|hasta|tot)\s+|(?<=\d{4}-\d\d-\d\d)\/|(?<!-\d{0,4})(?<=\d\.?)-(?=\d{1,2}\b(?!-))/iu;

/** Match a time of day, and one at the end of a text. */
const TIME = /^\d{1,2}[:.h]\d{2}(?!\.?\d)/;
const LAST_TIME = /\d{1,2}[:.h]\d{2}(?!\.?\d)[^\d]*$/;

/** Matches a word that may be a month, but not one like `th` or `Uhr`. */
const MONTH = /\p{L}{3,}/u;

/**
 * Returns both ends of a range of dates: for `28–30 October 2026` the whole text, from which the
 * host takes the start, and `30 October 2026`. Parts that the second end omits are added from the
 * first: the month of `Oct 28-30, 2026`, the day of `3 May, 19:30–22:00`. The second is null if
 * there is no range.
 *
 * @param {Reading | string | null | undefined} when
 * @returns {[Reading | string | null, Reading | string | null]}
 */
export function ends(when) {
  if (when === null || when === undefined) return [null, null];
  const text = String(when);
  const end = endOf(text);
  return [when, end !== null && when instanceof Reading ? new Reading(end, when.from) : end];
}

function endOf(text) {
  const parts = text.split(BETWEEN);
  if (parts.length !== 2 || !parts.every((part) => /\d/.test(part))) return null;
  const [first, second] = parts.map((part) => part.trim());
  if (TIME.test(second)) return LAST_TIME.test(first) ? first.replace(LAST_TIME, second) : null;
  const month = MONTH.exec(first);
  const isDayAlone = /^\d{1,2}(?!\d|[./]\d)/.test(second) && !MONTH.test(second);
  return month !== null && isDayAlone ? `${month[0]} ${second}` : second;
}
