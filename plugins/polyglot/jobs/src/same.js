/** Decides if two offers are the same. */

import { withoutGenders } from "./facts.js";
import { fold } from "./words.js";

/** Words of titles and names that do not distinguish offers. */
const COMMON = new Set(
  "a an and the of for in at to und der die das fur in bei im et de la le les du des pour en with mit avec ltd limited plc inc gmbh ag kg co sarl sas sa ev".split(" "),
);

/** Maximum number of words of a value to compare. Real titles have about ten. */
const MOST_WORDS = 30;

/** Returns the features of an offer that are compared: words without their spelling. */
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

/** Minimum common prefix of two forms of a word, and maximum length of the different endings. */
const STEM = 5;
const ENDING = 4;

/**
 * Keeps the shorter of two forms of a word: `Buchhalterin / Buchhalter`, `développeuse /
 * développeur`.
 */
function withoutDoubles(title) {
  const kept = [];
  for (const word of [...title].sort((a, b) => a.length - b.length)) {
    const length = Math.max(STEM, word.length - ENDING);
    if (!kept.some((other) => other.slice(0, length) === word.slice(0, length))) kept.push(word);
  }
  return kept.sort();
}

/** Keys: reference and employer, or title with employer or place. */
export function keys({ title, employer, place, reference, url }) {
  const name = title.join(" ");
  const [first] = longest(employer);
  return {
    reference: reference !== null && first ? `${reference} ${first}` : null,
    url,
    "title+employer": name !== "" && first ? `${name} ${first}` : null,
    "title+place": name === "" ? null : place.map((word) => `${name} ${word}`),
    // Sites extend titles, so two common long words also make a key.
    "title-words+employer": title.length > 2 && first ? `${longest(title).slice(0, 2).sort().join(" ")} ${first}` : null,
  };
}

function longest(list) {
  return [...list].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
}

/**
 * Evidence is in natural log odds: 0 is even, 1 about three to one. A common key is weak evidence:
 * large employers offer the same job in many towns, and many employers offer the same job in one
 * town.
 */
const PRIOR = -1;

/** Bound on the log odds, for or against: about 98 in a hundred. */
const SUREST = 4;

/** Returns the probability that two offers are the same. */
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

/** Compares words. If one has all words of the other, this counts nearly as much as equality. */
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

/**
 * Compares references. Equal ones of one employer are nearly a proof; different ones mean different
 * offers or a number of the job board.
 */
function sameReference(one, other) {
  return equality("reference", one.reference, other.reference, 3.5, -2);
}

/** Compares dates. Copies follow within days; the same job months later is another offer. */
function days(one, other) {
  const apart = Math.abs(Date.parse(one) - Date.parse(other)) / 86_400_000;
  if (Number.isNaN(apart)) return null;
  if (apart <= 14) return { weight: 0.5 };
  return apart <= 60 ? { weight: -0.5 } : { weight: -2.5, reason: "posted months apart" };
}
