/** Pages for the tests. */

import { parseHTML } from "linkedom";
import { pageOf } from "magpie-vertical/testing";

export function page(body, about) {
  const html = `<!doctype html><html lang="en"><head><title>A page</title></head><body>${body}</body></html>`;
  return pageOf(parseHTML(html).document, about);
}
