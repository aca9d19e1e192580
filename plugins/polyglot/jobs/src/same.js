/** When two offers are the same one. */

import { withoutGenders } from "./facts.js";
import { fold } from "./words.js";

/** Words that are in any title or name and tell nothing apart. */
const COMMON = new Set(
  "a an and the of for in at to und der die das fur in bei im et de la le les du des pour en with mit avec ltd limited plc inc gmbh ag kg co sarl sas sa ev".split(" "),
);

/** Words of one value that are compared; honest titles have ten. */
const MOST_WORDS = 30;

/** What is kept of an offer for comparing: words instead of spellings. */
export function prepare({ title, employer, place, salary, posted, reference, url }) {
  return {
    title: withoutDoubles(words(withoutGenders(title ?? ""))),
    employer: words(employer ?? ""),
    place: place.flatMap(words),
    salary,
    day: posted === null ? null : String(posted).slice(0, 10),
    reference: reference === null ? null : fold(reference),
    url,
  };
}

function words(text) {
  return [...new Set(fold(text).split(" "))].filter((word) => word !== "" && !COMMON.has(word)).slice(0, MOST_WORDS).sort();
}

/** Letters that two forms of a word share at least, and in which they differ at most. */
const STEM = 5;
const ENDING = 4;

/** `Buchhalterin / Buchhalter`, `développeuse / développeur`: of two forms of a word the shorter one. */
function withoutDoubles(title) {
  const kept = [];
  for (const word of [...title].sort((a, b) => a.length - b.length)) {
    const length = Math.max(STEM, word.length - ENDING);
    if (!kept.some((other) => other.slice(0, length) === word.slice(0, length))) kept.push(word);
  }
  return kept.sort();
}

/** Offers meet that share their reference and employer, or their title and one of employer and place. */
export function keys({ title, employer, place, reference, url }) {
  const name = title.join(" ");
  const [first] = longest(employer);
  return {
    reference: reference !== null && first ? `${reference} ${first}` : null,
    url,
    "title+employer": name !== "" && first ? `${name} ${first}` : null,
    "title+place": name === "" ? null : place.map((word) => `${name} ${word}`),
    // Sites lengthen titles: two long words that both have are worth a comparison.
    "title-words+employer": title.length > 2 && first ? `${longest(title).slice(0, 2).sort().join(" ")} ${first}` : null,
  };
}

function longest(list) {
  return [...list].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
}

/**
 * Evidence is counted in natural log odds: 0 is as likely as not, 1 about three to one.
 *
 * Sharing a key says little: big employers look for the same people in many towns, and many
 * employers look for the same people in one.
 */
const PRIOR = -1;

/** Nothing is surer than this, for or against: about 98 in a hundred. */
const SUREST = 4;

/** How likely it is that two offers are one. */
export function compare(one, other) {
  const found = [
    likeness("title", one.title, other.title, 2.5, -4),
    likeness("employer", one.employer, other.employer, 2, -4),
    likeness("place", one.place, other.place, 1.5, -4.5),
    equality("salary", one.salary, other.salary, 0.8, -0.5),
    days(one.day, other.day),
    sameReference(one, other),
    equality("url", one.url, other.url, 5, 0),
  ].filter((evidence) => evidence !== null);
  const sum = found.reduce((total, { weight }) => total + weight, PRIOR);
  return {
    probability: 1 / (1 + Math.exp(-Math.max(-SUREST, Math.min(SUREST, sum)))),
    reasons: found.filter(({ reason }) => reason).map(({ reason }) => reason),
  };
}

/** Words in common: all of the shorter one's count nearly as much as the same ones. */
function likeness(name, one, other, same, different) {
  if (one.length === 0 || other.length === 0) return null;
  const common = one.filter((word) => other.includes(word)).length;
  const inShorter = common / Math.min(one.length, other.length);
  const inLonger = common / Math.max(one.length, other.length);
  const alike = 0.7 * inShorter + 0.3 * inLonger;
  const weight = alike >= 0.5 ? (same * (alike - 0.5)) / 0.5 : (different * (0.5 - alike)) / 0.5;
  const reason = alike === 1 ? `same ${name}` : alike >= 0.5 ? null : `${name} differs`;
  return { weight, reason };
}

function equality(name, one, other, same, different) {
  if (one === null || other === null) return null;
  return one === other ? { weight: same, reason: `same ${name}` } : { weight: different };
}

/** The same employer's number is nearly a proof; different ones mean different offers of that employer, or a job board's own. */
function sameReference(one, other) {
  return equality("reference", one.reference, other.reference, 3.5, -2);
}

/** Copies follow within days; the same job offered months later is another offer. */
function days(one, other) {
  const apart = Math.abs(Date.parse(one) - Date.parse(other)) / 86_400_000;
  if (Number.isNaN(apart)) return null;
  if (apart <= 14) return { weight: 0.5 };
  return apart <= 60 ? { weight: -0.5 } : { weight: -2.5, reason: "posted months apart" };
}
