/** Types of `magpie-vertical/testing`. */

import type { Judgement, OwnDate, Page, Validator, Vertical } from "./index.js";

/**
 * Makes a page from a DOM document (linkedom, jsdom, happy-dom …). JSON-LD is the only structured
 * data.
 */
export function pageOf(
  document: object,
  about?: { url?: string; fetchedAt?: string; ownDate?: Partial<OwnDate>; status?: number; headers?: Record<string, string> },
): Page;

/** Runs a vertical on a page and returns plain objects; values are as the vertical wrote them. */
export function extract(
  vertical: Vertical,
  page: Page,
): { type: string; confidence: number; attributes: Record<string, any> }[];

/** Runs a validator on a page. */
export function judge(validator: Validator, page: Page): Required<Judgement>;

/** Sets options while `work` runs. */
export function withOptions<T>(values: Record<string, unknown>, work: () => T): T;
