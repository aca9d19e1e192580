/** What to ask a search engine for sites that know an offer. */

import { withoutGenders } from "./facts.js";

/** A longer title is hardly written the same anywhere. */
const LONGEST_QUOTED = 80;

/** Queries for an offer, the most telling first. */
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
