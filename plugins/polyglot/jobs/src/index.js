/** Job offers: title, employer, place and salary. */

import { defineVertical } from "magpie-vertical";

import { fromDetail } from "./detail.js";
import { fromList } from "./list.js";
import { queries } from "./queries.js";
import { compare, keys, prepare } from "./same.js";
import { fromStructuredData } from "./structured.js";
import { fromTables } from "./table.js";

export default defineVertical({
  object: "JobPosting",

  attributes: {
    title: { kind: "text", required: true, identifies: true, query: true, weight: 2 },
    employer: { kind: "organisation", identifies: true, query: true },
    place: { kind: "place", repeated: true, query: true },
    remote: { kind: "boolean", weight: 0.2 },
    // One of the words of EMPLOYMENT in facts.js: full-time, internship …
    employmentType: { kind: "text", repeated: true, weight: 0.3 },
    salary: { kind: "money", weight: 0.5 },
    salaryPeriod: { kind: "text", label: "Salary per", weight: 0 },
    posted: { kind: "date-time", weight: 0.3 },
    validThrough: { kind: "date-time", label: "Apply until", expires: true, weight: 0.3 },
    // The employer's reference, not that of the job board.
    reference: { kind: "identifier:job-reference", weight: 1 },
    url: "url",
    description: { kind: "text", weight: 0 },
  },

  routing: {
    schemaTypes: ["JobPosting"],
    pathHints: ["job", "career", "karriere", "carriere", "vacanc", "stelle", "emploi", "offre", "recruit"],
  },

  // The most reliable source comes first. A page about one offer may list other offers below it, so
  // it is read as a detail page before it is read as a list.
  extract(page) {
    for (const source of [fromStructuredData, fromDetail, fromTables, fromList]) {
      const offers = source(page);
      if (offers.length > 0) return offers;
    }
    return [];
  },

  prepare,
  keys,
  compare,
  queries,

  label: ({ title, employer, place }) => [title, employer, place[0]].filter(Boolean).join(", "),
});
