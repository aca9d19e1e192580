/** Types of `magpie-vertical/testing`. */

import type { Page, Vertical } from "./index.js";

/** A page made from a DOM document (linkedom, jsdom, happy-dom …). Of structured data it has JSON-LD. */
export function pageOf(
  document: object,
  about?: { url?: string; fetchedAt?: string; status?: number; headers?: Record<string, string> },
): Page;

/** What a vertical finds on a page, as plain objects; values as the vertical wrote them. */
export function extract(
  vertical: Vertical,
  page: Page,
): { type: string; confidence: number; attributes: Record<string, any> }[];

/** Sets options while `work` runs. */
export function withOptions<T>(values: Record<string, unknown>, work: () => T): T;
