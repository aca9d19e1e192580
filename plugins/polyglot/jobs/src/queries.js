/** Search queries for sites that have an offer. */

import { withoutGenders } from "./facts.js";

/** Maximum length of a quoted title. Longer titles are seldom written the same elsewhere. */
const LONGEST_QUOTED = 80;

/** Returns queries for an offer, the most specific first. */
export function queries({ title, employer, place, reference }) {
  const name = withoutGenders(title ?? "").replaceAll('"', "");
  if (name === "") return [];
  const rest = [employer, place[0]].filter(Boolean).join(" ");
  return [
    reference && employer ? { text: `"${reference}" ${employer}`, purpose: "identifier" } : null,
    name.length <= LONGEST_QUOTED ? { text: `"${name}" ${rest}`.trim(), purpose: "exact" } : null,
    { text: `${name} ${rest}`.trim(), purpose: "loose" },
  ];
}
