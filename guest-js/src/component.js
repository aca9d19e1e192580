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
 * @param {import("./vertical.js").Vertical | import("./vertical.js").Validator} vertical
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
    validation: { judge: guarded((host) => judge(vertical, new Page(host))) },
    querying: { queries: guarded((object) => queries(vertical, toRecord(vertical, object))) },
  };
}

/** Extracts the contract's objects of a page. */
export function extract(vertical, page) {
  setClock(page.fetchedAt.getTime());
  return toObjects(vertical, vertical.declaration.extract(page, optionValues(vertical)));
}

/** Judges a page: the author's answer in the contract's form. */
export function judge(validator, page) {
  setClock(page.fetchedAt.getTime());
  const answer = validator.declaration.judge(page, optionValues(validator));
  const { accepted, confidence = 1, reason = "" } = typeof answer === "boolean" ? { accepted: answer } : answer ?? {};
  if (typeof accepted !== "boolean") throw new TypeError("`judge` must return true, false or `{ accepted, confidence, reason }`");
  if (!(confidence >= 0 && confidence <= 1)) throw new RangeError(`invalid confidence ${confidence}: expected 0 to 1`);
  return { accepted, confidence, reason: sendable(String(reason)) };
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
