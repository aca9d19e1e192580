import assert from "node:assert/strict";
import { test } from "node:test";

import { employmentTypes, employmentTypesOfCode, isDate, isSalary, namesGenders, remote, salaryAmount, salaryPeriod, withoutGenders } from "../src/facts.js";
import { attributeOf } from "../src/labels.js";
import { fold } from "../src/words.js";

/** Checks many cases of one function. */
function check(name, work, cases) {
  test(name, () => {
    for (const [input, expected] of cases) assert.deepEqual(work(input), expected, input);
  });
}

check("texts are folded", fold, [
  ["Référence :", "reference"],
  ["Art der Anstellung", "art der anstellung"],
  ["Straße – Ñandú’s", "strasse nandu s"],
  ["Ημερομηνία", "ημερομηνια"],
  [" !? ", ""],
]);

check("labels of many languages", attributeOf, [
  ["Closing date", "validThrough"],
  ["Bewerbungsfrist:", "validThrough"],
  ["Date de publication", "posted"],
  ["Kennziffer", "reference"],
  ["Lieu de travail", "place"],
  ["Salary negotiable for the right person and more words", null],
  ["Ingredients", null],
]);

check("kinds of employment", employmentTypes, [
  ["Full-time, permanent", ["full-time", "permanent"]],
  ["CDI – temps plein", ["full-time", "permanent"]],
  ["Teilzeit, unbefristet", ["part-time", "permanent"]],
  ["Stage de 6 mois", ["internship"]],
  ["Stagecraft", []],
  [`We look for someone who ${"really ".repeat(20)} works full time`, []],
]);

check("schema.org's codes", employmentTypesOfCode, [
  ["FULL_TIME", ["full-time"]],
  ["contractor", ["freelance"]],
  ["Vollzeit", ["full-time"]],
  ["PER_DIEM", []],
]);

check("amounts", isSalary, [
  ["£34,000 - £38,000 a year", true],
  ["2.900 EUR", true],
  ["Competitive", false],
  ["5 days", false],
]);

check("thousands in short", salaryAmount, [["£34k - £38 K", "£34,000 - £38,000"], ["12.40 EUR", "12.40 EUR"]]);

check("what is paid for", salaryPeriod, [
  ["£12.40 an hour", "hour"],
  ["2.900 € im Monat", "month"],
  ["38 000 € brut par an", "year"],
  ["£34,000 p.a.", "year"],
  ["£34,000", null],
]);

check("work at home", remote, [
  ["Remote", true],
  ["Leeds (home office)", true],
  ["No remote", false],
  ["Leeds", null],
]);

check("genders in titles", namesGenders, [
  ["Buchhalter (m/w/d)", true],
  ["Développeur H/F", true],
  ["Engineer (f/m/x)", true],
  ["Head of R/D", false],
  ["Manager (London)", false],
]);

check("titles without genders", withoutGenders, [["Koch (m/w/d) in Ulm", "Koch in Ulm"], ["Koch", "Koch"]]);

check("dates", isDate, [
  ["3 days ago", true],
  ["Posted 20 April 2026", true],
  ["15.04.2026", true],
  ["vor 2 Tagen", true],
  ["il y a 3 jours", true],
  ["Mayfair", false],
  ["Kettle & Co", false],
]);
