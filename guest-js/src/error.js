/** Errors thrown by authors, and their conversion to the contract's. */

import { log } from "#host";

/** Error codes of the contract. */
const CODES = ["bad-option", "bad-features", "invalid-selector", "too-complex", "unexpected-page", "internal"];

/**
 * An error with a code of the contract, for a page that can't be processed. A page without objects
 * of the vertical is an empty list, not an error. Any other error counts as a defect of the plugin.
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
    if (!CODES.includes(code)) throw new TypeError(`unknown error code \`${code}\`: expected ${CODES.join(", ")}`);
    this.code = code;
    this.attribute = attribute ?? null;
    this.retryable = retryable;
  }
}

/**
 * Converts anything thrown to the contract's error. For a defect the message has the line of code,
 * since a sandbox has no debugger.
 *
 * @param {unknown} thrown
 */
export function toContract(thrown) {
  // The whole stack goes to the log; the message has its innermost frame.
  if (!(thrown instanceof VerticalError)) frames(thrown?.stack).forEach((frame) => log("error", `at ${frame}`));
  if (thrown instanceof VerticalError && thrown.code !== "invalid-selector") {
    const { code, message, attribute, retryable } = thrown;
    return { code, message, attribute, retryable };
  }
  const code = thrown instanceof VerticalError ? thrown.code : "internal";
  return { code, message: sentence(thrown), attribute: null, retryable: false };
}

function sentence(thrown) {
  if (!(thrown instanceof Error)) return `a value that is not an Error was thrown: ${String(thrown)}`;
  const [innermost] = frames(thrown.stack);
  const text = thrown.name === "Error" || thrown instanceof VerticalError ? thrown.message : `${thrown.name}: ${thrown.message}`;
  return innermost ? `${text} (at ${innermost})` : text;
}

/**
 * Maximum number of stack frames to report, the innermost; recursion produces any number of them.
 */
const SHOWN_FRAMES = 8;

/**
 * Frames of the author's code in a stack, the innermost first; empty for errors in a returned
 * value.
 */
function frames(stack) {
  const lines = String(stack ?? "").split("\n").map((line) => line.trim()).filter((line) => line.startsWith("at "));
  const own = lines.filter((line) => !OTHERS.test(line)).slice(0, SHOWN_FRAMES);
  // The root of the build is the author's folder: `fromDetail (src/index.js:115:32)`.
  return own.map((line) => line.slice("at ".length).replace(/(^|\()\//, "$1"));
}

/**
 * Matches frames of this package, wherever it is installed, of Node, and of native functions, which
 * have no line.
 */
const OTHERS = /(magpie-vertical|guest-js)\/src\/|node:internal|\((native|<anonymous>)\)/;

/** Calls the host and converts its errors, which are records, to an Error with a stack. */
export function ask(call) {
  try {
    return call();
  } catch (thrown) {
    const record = thrown?.payload ?? thrown;
    if (!CODES.includes(record?.code)) throw thrown;
    throw new VerticalError(record.code, record.message);
  }
}
