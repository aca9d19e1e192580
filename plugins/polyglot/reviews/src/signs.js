/** Signs for and against a review. Each has a reason for a person and a weight in log odds. */

import { RATING, REVIEW, SALE, VERDICT, fold } from "./words.js";

const REVIEW_TYPES = ["*Review", "h-review"];

/** Characters of prose that a review has at least. */
const MIN_PROSE = 400;

/** Maximum number of characters that are read; an opinion shows before. */
const MAX_PROSE = 20_000;

/** Returns the signs of a page. */
export function signs(page) {
  const reviews = page.entities(...REVIEW_TYPES);
  const prose = textOf(page);
  const head = fold(`${page.title ?? ""} ${page.first("h1")?.text ?? ""}`);
  const all = [
    [reviews.length === 1, 3.5, "one review in structured data"],
    [reviews.length > 1, -4, `${reviews.length} reviews in structured data: a list`],
    [REVIEW.test(head), 2, "a heading that names a review"],
    [REVIEW.test(fold(path(page))), 1, "a path that names a review"],
    [VERDICT.test(prose), 1.5, "words of a verdict"],
    [RATING.test(prose), 1.5, "a rating"],
    [hasByline(page), 0.7, "an author and a day"],
    [prose.length < MIN_PROSE, -3, "too little prose"],
    [SALE.test(fold(page.text.slice(0, MAX_PROSE))), -3, "an offer to buy"],
    [cards(page) > 2, -3, "several linked articles: a list"],
  ];
  return all.filter(([holds]) => holds).map(([, weight, reason]) => ({ weight, reason }));
}

/** Text of the paragraphs and of short facts beside them, folded. */
function textOf(page) {
  const parts = page.select("p, li, dd, td, blockquote, [class*=rating], [class*=score], h2, h3");
  return fold(parts.map((part) => part.text).join("\n").slice(0, MAX_PROSE));
}

function path(page) {
  return page.url.replace(/^[a-z]+:\/\/[^/]*/i, "").replace(/[-_/+]/g, " ");
}

function hasByline(page) {
  const author = page.first("[rel=author], [class*=author], [class*=byline], [itemprop=author]");
  return author !== null && page.first("time, [class*=date], [itemprop=datePublished]") !== null;
}

/** Number of articles whose headings are links. */
function cards(page) {
  return page.select("article h2 a, article h3 a, li h2 a, li h3 a").length;
}
