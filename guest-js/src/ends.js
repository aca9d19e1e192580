/** Both ends of a range of dates, as texts that the host reads. */

import { Reading } from "./reading.js";

/** What stands between the ends. A hyphen without spaces does so only where it is not part of a date like 2026-10-28. */
const BETWEEN = /\s*[–—]\s*|\s+(?:-|to|until|till|through|bis|au|al|hasta|tot)\s+|(?<=\d{4}-\d\d-\d\d)\/|(?<!-\d{0,4})(?<=\d\.?)-(?=\d{1,2}\b(?!-))/iu;

/** A time of day, and one at the end of a text. */
const TIME = /^\d{1,2}[:.h]\d{2}(?!\.?\d)/;
const LAST_TIME = /\d{1,2}[:.h]\d{2}(?!\.?\d)[^\d]*$/;

/** A word that can be a month, not one like `th` or `Uhr`. */
const MONTH = /\p{L}{3,}/u;

/**
 * Both ends of a range of dates: `28–30 October 2026` as that whole text, of which the host takes the
 * beginning, and `30 October 2026`. What the second end leaves to the first is added: the month of
 * `Oct 28-30, 2026`, the day of `3 May, 19:30–22:00`. The second is null where there is no range.
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
