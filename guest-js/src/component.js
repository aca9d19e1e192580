/** Exports of a component: the contract's interfaces, made from a vertical. */

import * as clustering from "./clustering.js";
import { toContract } from "./error.js";
import { sendable } from "./names.js";
import { optionValues } from "./options.js";
import { Page } from "./page.js";
import { toObjects, toRecord } from "./record.js";
import { describe } from "./vertical.js";
import { setClock } from "#host";

/**
 * Returns the exports of a component.
 *
 * @param {import("./vertical.js").Vertical} vertical
 * @param {{ name?: string, version?: string, description?: string }} npm the content of
 *   package.json
 */
export function exportsOf(vertical, npm) {
  return {
    description: { describe: () => describe(vertical, npm) },
    extraction: { extract: guarded((host) => extract(vertical, new Page(host))) },
    clustering: {
      prepare: guarded((objects) => clustering.prepare(vertical, objects)),
      compare: guarded((one, many) => clustering.compare(vertical, one, many)),
      merge: guarded((objects) => clustering.merge(vertical, objects)),
    },
    querying: { queries: guarded((object) => queries(vertical, toRecord(vertical, object))) },
  };
}

/** Extracts the contract's objects of a page. */
export function extract(vertical, page) {
  setClock(page.fetchedAt.getTime());
  return toObjects(vertical, vertical.declaration.extract(page, optionValues(vertical)));
}

/** Returns the contract's queries for a record. */
function queries(vertical, record) {
  const made = vertical.declaration.queries(record).filter((query) => query !== null && query !== undefined);
  return made.map(({ text, purpose = "loose" }) => ({ text: sendable(text), purpose: sendable(purpose) }));
}

/**
 * Converts anything thrown to an error of the contract; otherwise the engine would lose its text.
 */
function guarded(work) {
  return (...parameters) => {
    try {
      return work(...parameters);
    } catch (thrown) {
      throw toContract(thrown);
    }
  };
}
