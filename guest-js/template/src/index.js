/** {{summary}} */

import { defineVertical, found } from "magpie-vertical";

export default defineVertical({
  object: "{{object}}",

  // The schema. A kind says what the values mean; the host reads dates, prices and so on as people
  // write them, in many languages, so pass them on as they are.
  attributes: {
    // `identifies`: differing in it speaks against two objects being one.
    title: { kind: "text", required: true, identifies: true, query: true, weight: 2 },
    // When it was published, or takes place.
    date: "date-time",
    // Its own page.
    url: "url",
  },

  // Pages that are surely of interest; others are shown too.
  routing: { schemaTypes: ["{{object}}"] },

  extract(page) {
    const structured = fromStructuredData(page);
    return structured.length > 0 ? structured : fromCards(page);
  },
});

/** What the page says of itself in JSON-LD, microdata, RDFa or microformats: the surest source. */
function fromStructuredData(page) {
  return page
    .entities("{{object}}")
    .filter((entity) => entity.get("name") !== null)
    .map((entity) =>
      found(
        { title: entity.read("name"), date: entity.read("datePublished"), url: entity.read("url") },
        { confidence: 0.95 },
      ),
    );
}

/** A plain list: one `article` each, with a linked heading and a `time`. Replace it by what your sites look like. */
function fromCards(page) {
  const rows = page.table("article", {
    title: "h2, h3",
    url: ["h2 a, h3 a", "url:href"],
    written: ["time", "@datetime"],
    shown: "time",
  });
  return rows
    .filter((row) => row.title !== null && row.url !== null && row.shown !== null)
    .map((row) => found({ title: row.title, date: row.written ?? row.shown, url: row.url }, { confidence: 0.8 }));
}
