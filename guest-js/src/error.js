/** Errors: what an author throws, and what the contract makes of it. */

import { log } from "#host";

/** Codes of the contract, as far as a plugin answers with them. */
const CODES = ["bad-option", "bad-features", "invalid-selector", "too-complex", "unexpected-page", "internal"];

/**
 * An error with a code of the contract, for a page that can't be worked with. A page that is none
 * of the vertical's business is an empty list, not an error. Any other error that is thrown counts
 * as a defect of the plugin.
 */
export class VerticalError extends Error {
  /**
   * @param {string} code `unexpected-page`, `too-complex`, `bad-option` …
   * @param {string} message one sentence for a person
   * @param {{ attribute?: string, retryable?: boolean }} [details]
   */
  constructor(code, message, { attribute, retryable = false } = {}) {
    super(message);
    this.name = "VerticalError";
    if (!CODES.includes(code)) throw new TypeError(`\`${code}\` is no code of the contract: ${CODES.join(", ")}`);
    this.code = code;
    this.attribute = attribute ?? null;
    this.retryable = retryable;
  }
}

/**
 * Whatever was thrown, as the contract wants it. Defects name the line of code, since a sandbox has
 * no debugger.
 *
 * @param {unknown} thrown
 */
export function toContract(thrown) {
  // The whole way goes to the log; the message has its innermost place.
  if (!(thrown instanceof VerticalError)) frames(thrown?.stack).forEach((frame) => log("error", `at ${frame}`));
  if (thrown instanceof VerticalError && thrown.code !== "invalid-selector") {
    const { code, message, attribute, retryable } = thrown;
    return { code, message, attribute, retryable };
  }
  const code = thrown instanceof VerticalError ? thrown.code : "internal";
  return { code, message: sentence(thrown), attribute: null, retryable: false };
}

function sentence(thrown) {
  if (!(thrown instanceof Error)) return `something that is no Error was thrown: ${String(thrown)}`;
  const [innermost] = frames(thrown.stack);
  const text = thrown.name === "Error" || thrown instanceof VerticalError ? thrown.message : `${thrown.name}: ${thrown.message}`;
  return innermost ? `${text} (at ${innermost})` : text;
}

/** Places of a stack that are shown, the innermost: recursion makes any number of them. */
const SHOWN_FRAMES = 8;

/** The author's places in a stack, the innermost first; none for what is wrong with a returned value. */
function frames(stack) {
  const lines = String(stack ?? "").split("\n").map((line) => line.trim()).filter((line) => line.startsWith("at "));
  const own = lines.filter((line) => !OTHERS.test(line)).slice(0, SHOWN_FRAMES);
  // The build's root is the author's folder: `fromDetail (src/index.js:115:32)`.
  return own.map((line) => line.slice("at ".length).replace(/(^|\()\//, "$1"));
}

/** Files of this package, wherever it lies, and of Node; and functions of the engine, which have no line. */
const OTHERS = /(magpie-vertical|guest-js)\/src\/|node:internal|\((native|<anonymous>)\)/;

/** Calls the host, whose errors are records, so that the author sees an Error with a stack. */
export function ask(call) {
  try {
    return call();
  } catch (thrown) {
    const record = thrown?.payload ?? thrown;
    if (!CODES.includes(record?.code)) throw thrown;
    throw new VerticalError(record.code, record.message);
  }
}
