/** What a component exports: the contract's interfaces, made from a vertical. */

import * as clustering from "./clustering.js";
import { toContract } from "./error.js";
import { sendable } from "./names.js";
import { optionValues } from "./options.js";
import { Page } from "./page.js";
import { toObjects, toRecord } from "./record.js";
import { describe } from "./vertical.js";
import { setClock } from "#host";

/**
 * The exports of a component.
 *
 * @param {import("./vertical.js").Vertical} vertical
 * @param {{ name?: string, version?: string, description?: string }} npm what package.json says
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

/** The contract's objects on a page. */
export function extract(vertical, page) {
  setClock(page.fetchedAt.getTime());
  return toObjects(vertical, vertical.declaration.extract(page, optionValues(vertical)));
}

/** The contract's queries for a record. */
function queries(vertical, record) {
  const made = vertical.declaration.queries(record).filter((query) => query !== null && query !== undefined);
  return made.map(({ text, purpose = "loose" }) => ({ text: sendable(text), purpose: sendable(purpose) }));
}

/** Whatever is thrown becomes an error of the contract; the engine would lose its text. */
function guarded(work) {
  return (...parameters) => {
    try {
      return work(...parameters);
    } catch (thrown) {
      throw toContract(thrown);
    }
  };
}
