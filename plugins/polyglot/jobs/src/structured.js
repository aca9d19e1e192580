/** Offers that a page describes in JSON-LD, microdata or RDFa: the surest source. */

import { Reading, found } from "magpie-vertical";

import { employmentTypesOfCode } from "./facts.js";

/** What is kept of a description: enough to know what it is about. */
const LONGEST_DESCRIPTION = 600;

/** All offers in the structured data, in the order of the page. */
export function fromStructuredData(page) {
  const offers = page.entities("JobPosting").filter((offer) => offer.get("title") ?? offer.get("name"));
  // One offer on a page is the page's own, so it may leave its address out.
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

/** Sites write lists as lists, and as text with commas. */
function employmentOf(offer) {
  const codes = offer.all("employmentType").flatMap((text) => text.split(","));
  return [...new Set(codes.flatMap((code) => employmentTypesOfCode(code.trim())))];
}

/** `Leeds`, or what else the address has; several offices are several places. */
function places(offer) {
  const named = offer.entities("jobLocation").map((place) => {
    const address = place.entity("address") ?? place;
    return address.get("addressLocality") ?? place.get("address") ?? address.get("addressRegion") ?? place.get("name");
  });
  const places = named.length > 0 ? named : offer.all("jobLocation");
  return [...new Set(places.filter((place) => place !== null))];
}

/** An amount or a range, with its currency: `52000-60000 EUR`. */
function salary(offer) {
  const base = offer.entity("baseSalary");
  if (base === null) return offer.get("baseSalary");
  const amount = base.entity("value") ?? base;
  const currency = base.get("currency") ?? amount.get("currency") ?? offer.get("salaryCurrency") ?? "";
  const [low, high] = [amount.get("minValue"), amount.get("maxValue")];
  const text = low !== null && high !== null && low !== high ? `${low}-${high}` : (low ?? high ?? amount.get("value") ?? base.get("value"));
  return text === null ? null : `${text} ${currency}`.trim();
}

/** An identifier written as plain text. Where it is an entity without a value, its name is the employer's. */
function identifier(offer) {
  return offer.entity("identifier") === null ? offer.read("identifier") : null;
}

/** Descriptions are HTML, inside JSON. */
function description(offer) {
  const html = offer.get("description");
  if (html === null) return null;
  const text = html.replace(/<[^<>]*>/g, " ").replaceAll("&nbsp;", " ").replaceAll("&amp;", "&").replace(/\s+/g, " ").trim();
  if (text.length <= LONGEST_DESCRIPTION) return text;
  const cut = text.slice(0, LONGEST_DESCRIPTION);
  return `${cut.slice(0, cut.lastIndexOf(" "))} …`;
}
