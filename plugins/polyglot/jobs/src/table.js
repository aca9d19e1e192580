/** Reads offers from the rows of a table, whose head names the columns. */

import { found } from "magpie-vertical";

import { employmentTypes, isSalary, namesGenders, salaryAmount, salaryPeriod } from "./facts.js";
import { attributeOf } from "./labels.js";

/** Columns that other tables do not have next to a title. */
const TELLING = ["employmentType", "salary", "validThrough", "employer"];

/** Maximum number of rows of a table. */
const MOST = 500;

/** Returns the offers in the tables of a page. */
export function fromTables(page) {
  return page.select("table").flatMap((table) => {
    const [head, ...rows] = table.select("tr").slice(0, MOST);
    const columns = head?.children.map((cell) => attributeOf(cell.text)) ?? [];
    if (!columns.includes("title") || !columns.some((attribute) => TELLING.includes(attribute))) return [];
    const offers = rows.map((row) => offer(columns, row.children)).filter((one) => one !== null);
    return offers.some(isOffer) ? offers.map((one) => found(one, { confidence: 0.8 })) : [];
  });
}

/** Reads a row; returns null without a title. */
function offer(columns, cells) {
  if (cells.length !== columns.length) return null;
  const at = (attribute) => cells[columns.indexOf(attribute)]?.read("text") ?? null;
  const title = cells[columns.indexOf("title")];
  const [types, salary] = [at("employmentType"), at("salary")];
  if (title.text === "") return null;
  return {
    title,
    url: title.first("a[href]")?.read("url:href"),
    employer: at("employer"),
    place: at("place"),
    employmentType: types && employmentTypes(types.value).map((type) => types.map(() => type)),
    salary: salary?.map(salaryAmount),
    salaryPeriod: salary?.map(salaryPeriod),
    posted: at("posted"),
    validThrough: at("validThrough"),
    reference: at("reference"),
  };
}

/** Returns true if a row has a value that only offers have. */
function isOffer({ title, employmentType, salary }) {
  return namesGenders(title.text) || employmentType?.length > 0 || (salary && isSalary(salary.value));
}
