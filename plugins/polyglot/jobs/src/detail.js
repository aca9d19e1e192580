/** Reads a page about one offer in plain HTML: a heading, and labels with values. */

import { found } from "magpie-vertical";

import { addressSpeaks, headSpeaks, invites } from "./about.js";
import { employmentTypes, isSalary, namesGenders, remote, salaryAmount, salaryPeriod } from "./facts.js";
import { fold } from "./words.js";
import { pairs } from "./pairs.js";

/** Minimum evidence of an offer; see `evidence`. */
const ENOUGH = 5;

/** Maximum number of values of one label. More values are those of a list. */
const MOST_OF_A_KIND = 2;

/** Labels that hardly any other pages have. A place or a date proves nothing. */
const TELLING = ["employmentType", "salary", "validThrough", "employer"];

/** Returns the offer that the page is about, if it is about one. */
export function fromDetail(page) {
  const heading = page.first("h1");
  if (heading === null || heading.text === "") return [];
  const invited = invites(page);
  if (!invited && !headSpeaks(page)) return [];
  const values = collected(pairs(page));
  if (values === null || evidence(page, heading.text, values, invited) < ENOUGH) return [];
  return [found({ title: heading, url: page.url, ...attributes(page, values) }, { confidence: 0.8 })];
}

/** Returns values by attribute, or null if there are so many that they belong to several offers. */
function collected(all) {
  const values = {};
  for (const { attribute, value } of all) {
    if (fits(attribute, value.value)) (values[attribute] ??= []).push(value);
  }
  const crowded = TELLING.some((attribute) => (values[attribute]?.length ?? 0) > MOST_OF_A_KIND);
  return crowded ? null : values;
}

/** Returns true if a value fits its label: `Hours: 14` in a recipe is no kind of employment. */
function fits(attribute, value) {
  if (attribute === "employmentType") return employmentTypes(value).length > 0;
  return attribute !== "salary" || isSalary(value);
}

/** Returns the evidence that the page is an offer. */
function evidence(page, title, values, invited) {
  const telling = TELLING.filter((attribute) => attribute in values).length;
  if (telling === 0) return 0;
  const others = ["place", "posted", "reference", "start", "remote"].filter((attribute) => attribute in values).length;
  return 2 * telling + others + (namesGenders(title) ? 2 : 0) + (invited ? 2 : 0) + (addressSpeaks(page) ? 1 : 0);
}

function attributes(page, values) {
  const first = (attribute) => values[attribute]?.[0] ?? null;
  const types = first("employmentType");
  const pay = first("salary");
  return {
    employer: first("employer") ?? namedEmployer(page),
    place: places(first("place")),
    remote: atHome(values),
    employmentType: types && employmentTypes(types.value).map((type) => types.map(() => type)),
    salary: pay?.map(salaryAmount),
    salaryPeriod: pay?.map(salaryPeriod),
    posted: first("posted"),
    validThrough: first("validThrough"),
    reference: first("reference"),
  };
}

/** Returns the employer from a class name, for pages without a label. */
function namedEmployer(page) {
  const element = page.first("main [class*=employer], main [class*=company], main [class*=arbeitgeber], main [class*=entreprise]");
  return element !== null && element.text.length <= 80 && !element.text.includes("\n") ? element : null;
}

/** Splits places: `Leeds or Hull` are two, `Leeds, UK (remote)` is one. */
function places(reading) {
  if (reading === null) return null;
  const bare = reading.value.replace(/\([^)]*\)/g, "");
  const parts = bare.split(/\s+(?:or|oder|ou|und|and|et)\s+|\s*[\/;|•\n]\s*/);
  const named = parts.map((part) => part.trim()).filter((part) => part !== "" && remote(part) === null);
  return named.map((part) => reading.map(() => part));
}

function atHome(values) {
  for (const reading of [...(values.remote ?? []), ...(values.place ?? []), ...(values.employmentType ?? [])]) {
    const said = reading.map(remote) ?? (values.remote?.includes(reading) ? reading.map(yes) : null);
    if (said !== null) return said;
  }
  return null;
}

/** Parses the answer to a label that is a question. */
function yes(text) {
  return /^(yes|ja|oui|possible|moglich)\b/.test(fold(text)) ? true : null;
}
