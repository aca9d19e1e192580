/**
 * Tests of a vertical in plain Node, without Wasm.
 *
 * They are fast and show real stacks. The page comes from a DOM library of your choice, whose
 * parser may differ from the host's: `magpie plugin test` is authoritative.
 */

import { extract as extractObjects, judge as judgePage } from "../component.js";
import { setOption } from "../host/outside.js";
import { fromWire, toWire } from "../names.js";
import { Page } from "../page.js";
import { DomHost } from "./dom.js";

/**
 * Makes a page from a DOM document (linkedom, jsdom, happy-dom …).
 *
 * @param {Document} document
 * @param {{ url?: string, fetchedAt?: string, ownDate?: object, status?: number, headers?: Record<string, string> }}
 *   [about]
 */
export function pageOf(document, about = {}) {
  return new Page(new DomHost(document, about));
}

/**
 * Runs a vertical on a page and returns plain objects: `type`, `confidence`, `attributes`. A
 * repeated attribute is a list. Values are not normalised, since the host does that.
 */
export function extract(vertical, page) {
  return extractObjects(vertical, page).map(({ schemaType, confidence, fields }) => {
    const attributes = {};
    for (const { path, value } of fields) {
      const name = fromWire(path);
      const plain = value.tag === "json" ? JSON.parse(value.val) : value.val;
      if (vertical.byName.get(path).repeated) (attributes[name] ??= []).push(plain);
      else attributes[name] ??= plain;
    }
    return { type: schemaType || vertical.declaration.object, confidence, attributes };
  });
}

/** Runs a validator on a page; returns `accepted`, `confidence` and `reason`. */
export function judge(validator, page) {
  return judgePage(validator, page);
}

/** Sets options for a test: `withOptions({ maxDays: 30 }, () => …)`. */
export function withOptions(values, work) {
  const names = Object.keys(values);
  names.forEach((name) => setOption(toWire(name), values[name]));
  try {
    return work();
  } finally {
    names.forEach((name) => setOption(toWire(name), undefined));
  }
}
