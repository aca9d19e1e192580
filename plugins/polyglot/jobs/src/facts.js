/** Parses facts that are recognised by their words: kind of employment, pay, remote work. */

import { fold, vocabulary } from "./words.js";

/** Maximum length of a text with a fact. Longer texts are prose, whose words may mean anything. */
const SHORT = 80;

const employment = vocabulary({
  "full-time": "full time, fulltime, vollzeit, temps plein, temps complet, plein temps, jornada completa, tiempo completo, voltijd, voltijds",
  "part-time": "part time, parttime, teilzeit, temps partiel, media jornada, tiempo parcial, deeltijd, deeltijds",
  permanent: "permanent, unbefristet, festanstellung, cdi, indefinido, vaste baan, vaste aanstelling",
  temporary: "temporary, fixed term, seasonal, befristet, zeitarbeit, cdd, interim, saisonnier, temporal, tijdelijk",
  freelance: "freelance, contractor, freiberuflich, freie mitarbeit, independant, autonomo",
  internship: "internship, intern, praktikum, praktikant, praktikantin, stage, stagiaire, practicas",
  apprenticeship: "apprenticeship, apprentice, ausbildung, ausbildungsplatz, alternance, apprentissage",
  volunteer: "volunteer, volunteering, ehrenamt, ehrenamtlich, benevolat",
});

/** Returns the kinds of employment that a short text names. */
export function employmentTypes(text) {
  return text.length > SHORT ? [] : employment(text);
}

const CODES = {
  FULL_TIME: "full-time", PART_TIME: "part-time", TEMPORARY: "temporary",
  CONTRACTOR: "freelance", INTERN: "internship", VOLUNTEER: "volunteer",
};

/** Returns the kinds of employment of a schema.org code. Sites also write words there. */
export function employmentTypesOfCode(code) {
  const known = CODES[code.toUpperCase()];
  return known ? [known] : employmentTypes(code.replaceAll("_", " "));
}

const periods = vocabulary({
  hour: "hour, hourly, per h, h, hr, ph, stunde, stundenlohn, heure, horaire",
  day: "day, daily, tag, tagessatz, jour, journalier",
  week: "week, weekly, woche, wochentlich, semaine",
  month: "month, monthly, monat, monatlich, mois, mensuel, pcm",
  year: "year, yearly, annum, annual, annually, pa, p a, jahr, jahrlich, an, annee, annuel",
});

/** Returns the period of a salary: `hour`, `day`, `week`, `month`, `year`, or null. */
export function salaryPeriod(text) {
  return periods(text)[0] ?? null;
}

const CURRENCY = /[€£$¥]|\b(EUR|GBP|USD|CHF|CAD|AUD|SEK|NOK|DKK|PLN)\b/;

/** Returns true if a short text is an amount of money. */
export function isSalary(text) {
  return text.length <= SHORT && CURRENCY.test(text) && /\d{2}/.test(text);
}

/** Returns an amount in a form that the host parses: `£38,000 - £42,000` for `£38k - £42k`. */
export function salaryAmount(text) {
  return text.replace(/(\d)\s?k\b/gi, "$1,000");
}

const workplace = vocabulary({
  away: "no remote, not remote, on site, onsite, vor ort, presentiel, sur site, no, nein, non, kein, keine",
  home: "remote, remotely, work from home, home office, homeoffice, home based, teletravail, a distance, mobiles arbeiten",
});

/** Returns true if a short text says that the work is remote, or null if it does not say. */
export function remote(text) {
  const [said] = text.length > SHORT ? [] : workplace(text);
  return said === undefined ? null : said === "home";
}

/** `(m/w/d)`, `(f/m/x)`, `H/F`: genders, which some countries require in the title of an offer. */
const GENDERS = /\(\s*(all genders|[mwfhdx](\s*[/|]\s*[mwfhdx]){1,3})\s*\)|\b[HF]\s?\/\s?[HF]\b|\bm\/w\/d\b/i;

/** Returns true if a title names the genders that may apply. */
export function namesGenders(title) {
  return GENDERS.test(title);
}

/** Removes the genders from a title. */
export function withoutGenders(title) {
  return title.replace(GENDERS, " ").replace(/\s+/g, " ").trim();
}

const IN_NUMBERS = /\b\d{1,4}[./-]\d{1,2}[./-]\d{2,4}\b/;

const MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mai|okt|dez|fev|avr|juin|juil|aou";

const IN_WORDS = new RegExp(`\\b\\d{1,2}(st|nd|rd|th)?( of)? (${MONTHS})|\\b(${MONTHS})[a-z]* \\d{1,2}\\b`);

const AGO = /\b\d+ (hour|day|week)s? ago\b|\bvor \d+ (tag|stunde|woche)|\bil y a \d+ (jour|heure|semaine)|^(today|yesterday|heute|gestern|hier|aujourd hui)$/;

/** Returns true for a date: a number next to a month, numbers only, or "3 days ago". */
export function isDate(text) {
  if (text.length > SHORT) return false;
  const folded = fold(text);
  return IN_NUMBERS.test(text) || IN_WORDS.test(folded) || AGO.test(folded);
}
