/** Reads offers from JSON-LD, microdata and RDFa, the most reliable source. */

import { Reading, found } from "magpie-vertical";

import { employmentTypesOfCode } from "./facts.js";

/** Maximum length of a description, which suffices to know its subject. */
const LONGEST_DESCRIPTION = 600;

/** Returns all offers in structured data, in the order of the page. */
export function fromStructuredData(page) {
  const offers = page.entities("JobPosting").filter((offer) => offer.get("title") ?? offer.get("name"));
  // The only offer on a page is the page's own and may lack a URL.
  const own = offers.length === 1 ? page.url : null;
  return offers.map((offer) => found(attributes(offer, own), { confidence: 0.95 }));
}

function attributes(offer, own) {
  const at = (value) => (value === null ? null : new Reading(value, offer.element));
  return {
    title: offer.read("title") ?? offer.read("name"),
    employer: offer.read("hiringOrganization"),
    place: places(offer).map(at),
    remote: offer.all("jobLocationType").includes("TELECOMMUTE") ? at(true) : null,
    employmentType: employmentOf(offer).map(at),
    salary: at(salary(offer)),
    salaryPeriod: at((offer.get("baseSalary.value.unitText") ?? offer.get("baseSalary.unitText"))?.toLowerCase() ?? null),
    posted: offer.read("datePosted"),
    validThrough: offer.read("validThrough"),
    reference: offer.read("identifier.value") ?? identifier(offer),
    url: offer.read("url") ?? own,
    description: at(description(offer)),
  };
}

/** Splits values: sites write lists as lists, or as text with commas. */
function employmentOf(offer) {
  const codes = offer.all("employmentType").flatMap((text) => text.split(","));
  return [...new Set(codes.flatMap((code) => employmentTypesOfCode(code.trim())))];
}

/** Returns the places: `Leeds`, or other parts of the address; one for each office. */
function places(offer) {
  const named = offer.entities("jobLocation").map((place) => {
    const address = place.entity("address") ?? place;
    return address.get("addressLocality") ?? place.get("address") ?? address.get("addressRegion") ?? place.get("name");
  });
  const places = named.length > 0 ? named : offer.all("jobLocation");
  return [...new Set(places.filter((place) => place !== null))];
}

/** Returns an amount or a range with its currency: `52000-60000 EUR`. */
function salary(offer) {
  const base = offer.entity("baseSalary");
  if (base === null) return offer.get("baseSalary");
  const amount = base.entity("value") ?? base;
  const currency = base.get("currency") ?? amount.get("currency") ?? offer.get("salaryCurrency") ?? "";
  const [low, high] = [amount.get("minValue"), amount.get("maxValue")];
  const text = low !== null && high !== null && low !== high ? `${low}-${high}` : (low ?? high ?? amount.get("value") ?? base.get("value"));
  return text === null ? null : `${text} ${currency}`.trim();
}

/**
 * Returns the identifier if it is text. The name in an identifier entity is that of the employer.
 */
function identifier(offer) {
  return offer.entity("identifier") === null ? offer.read("identifier") : null;
}

/** Returns a description as text. Descriptions are HTML inside JSON. */
function description(offer) {
  const html = offer.get("description");
  if (html === null) return null;
  const text = html.replace(/<[^<>]*>/g, " ").replaceAll("&nbsp;", " ").replaceAll("&amp;", "&").replace(/\s+/g, " ").trim();
  if (text.length <= LONGEST_DESCRIPTION) return text;
  const cut = text.slice(0, LONGEST_DESCRIPTION);
  return `${cut.slice(0, cut.lastIndexOf(" "))} …`;
}
