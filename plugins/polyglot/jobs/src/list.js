/** Reads a list page in plain HTML: repeated records. */

import { found } from "magpie-vertical";

import { headSpeaks } from "./about.js";
import { employmentTypes, isDate, isSalary, namesGenders, remote, salaryAmount, salaryPeriod } from "./facts.js";
import { attributeOf } from "./labels.js";

/** Elements that may be a record. */
const RECORDS = "li, article, tr, section, div[class]";

/** Selectors of the values of a record, with class names in several languages. */
const COLUMNS = {
  heading: "h2, h3, h4, [class*=title i]",
  link: "a[href]",
  address: ["a[href]", "url:href"],
  employer: "[class*=company i], [class*=employer i], [class*=arbeitgeber i], [class*=firma i], [class*=entreprise i], [class*=organi i]",
  place: "[class*=location i], [class*=standort i], [class*=arbeitsort i], [class~=ort i], [class*=lieu i], [class*=ville i], [class*=city i]",
  time: ["time", "@datetime"],
};

/** Minimum number of records of a list. */
const FEWEST = 3;

/** Maximum length of a record. Longer elements are sections of the page. */
const LONGEST_RECORD = 1200;

/** Maximum number of records of one list. The longest real lists have hundreds. */
const MOST = 500;

/** Minimum share of records that must look like offers. A list of articles has a few by chance. */
const SHARE = 0.4;

/** Returns the offers of the list that the page is about. */
export function fromList(page) {
  if (!headSpeaks(page)) return [];
  const lists = [...byParent(records(page)).values()].filter((list) => list.length >= FEWEST);
  const offers = lists.map((list) => list.map(offer)).filter(isAboutOffers);
  return offers.flat().filter(({ facts }) => facts > 0).map(({ attributes }) => found(attributes, { confidence: 0.7 }));
}

/** Returns the records with a linked title, each the smallest element around it. */
function records(page) {
  const rows = page.table(RECORDS, COLUMNS).filter((row) => row.link !== null && String(row.heading ?? row.link) !== "");
  const around = new Map();
  // In document order, inner elements come later and replace outer ones.
  for (const row of rows) around.set((row.heading ?? row.link).from, row);
  const outside = (row) => row.element.closest("nav, footer, header, aside, form") === null;
  return [...around.values()].slice(0, MOST).filter(outside);
}

function byParent(rows) {
  const lists = new Map();
  for (const row of rows) {
    const { parent } = row.element;
    if (!lists.has(parent)) lists.set(parent, []);
    lists.get(parent).push(row);
  }
  return lists;
}

/** Returns an offer and the number of facts that show that it is one. */
function offer(row) {
  const title = row.heading ?? row.link;
  const link = title.from.first("a[href]")?.read("url:href") ?? row.address;
  const attributes = { title, url: link, employer: row.employer, place: row.place, posted: row.time };
  const text = row.element.text;
  if (text.length > LONGEST_RECORD) return { attributes, facts: 0 };
  const known = new Set([title, row.employer, row.place].map((reading) => String(reading ?? "")));
  const loose = pieces(text).filter((piece) => !known.has(piece));
  const facts = readPieces(loose, attributes, row.element) + (namesGenders(title.value) ? 1 : 0);
  return { attributes, facts };
}

/** Splits the text of a record into lines, and at separators within them. */
function pieces(text) {
  return text.split(/\n|\s+[·•|–—]\s+|\t/).map((piece) => piece.trim()).filter((piece) => piece !== "");
}

/** Assigns pieces to attributes; returns the number of those that only offers have. */
function readPieces(loose, attributes, element) {
  const at = (value) => ({ value, from: element });
  const unknown = [];
  let facts = 0;
  for (const piece of loose) {
    const [attribute, text] = labelled(piece);
    const types = employmentTypes(text);
    const home = remote(text) === true;
    if (types.length > 0) {
      attributes.employmentType = types.map(at);
      facts += 1;
    } else if (isSalary(text) && (attribute === "salary" || salaryPeriod(text) !== null)) {
      // Shops have amounts too, but not per year.
      attributes.salary = at(salaryAmount(text));
      attributes.salaryPeriod = at(salaryPeriod(text));
      facts += 1;
    } else if (isDate(text)) {
      attributes[attribute === "validThrough" ? attribute : "posted"] ??= at(text);
    } else if (attribute !== null && attribute !== "start") {
      attributes[attribute] ??= at(text);
    } else if (attribute === null && !home && isName(text)) {
      unknown.push(text);
    }
    if (home) attributes.remote = at(true);
  }
  nameUnknown(unknown, attributes, at);
  return facts;
}

/** Returns true if a text may be a name and not a sentence. */
function isName(text) {
  return text.length <= 60 && !/[.!?]$/.test(text);
}

/** Reads a known label with its value: `Closing date: 3 May`. */
function labelled(piece) {
  const colon = piece.indexOf(":");
  const attribute = colon < 0 ? null : attributeOf(piece.slice(0, colon));
  return attribute === null ? [null, piece] : [attribute, piece.slice(colon + 1).trim()];
}

/** Without any class or label, the employer comes first and the place after it. */
function nameUnknown(texts, attributes, at) {
  for (const text of texts.slice(0, 2)) {
    const free = ["employer", "place"].find((attribute) => (attributes[attribute] ?? null) === null);
    if (free) attributes[free] = at(text);
  }
}

function isAboutOffers(list) {
  return list.filter(({ facts }) => facts > 0).length / list.length >= SHARE;
}
