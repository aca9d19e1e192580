/** Forms, as a browser without scripts reads them. */

import { elementOf } from "./element.js";

/** A form of the page, with its fields, labels and choices. */
export class Form {
  /**
   * @param {import("./page.js").Page} page
   * @param {object} form in the contract's form
   */
  constructor(page, form) {
    /** The `form` element. */
    this.element = elementOf(page, form.node);
    /**
     * Absolute URL that it is sent to: that of the page if the form states no action. Null if a
     * script sends the form, or if the action is not an http(s) URL.
     */
    this.action = form.action ?? null;
    /** `get`, `post`, or `dialog` for a form that sends nothing. */
    this.method = form.method;
    /** Media type of the body of a `post`. */
    this.encoding = form.encoding;
    /** Charset of the values that are sent: `UTF-8`. */
    this.charset = form.charset;
    /** ARIA role of the form or of the landmark that it is in: `search`. Empty if unknown. */
    this.role = form.role;
    /** The form's legend or heading, or a heading shortly before it. */
    this.heading = form.heading;
    /** The fields, in document order. */
    this.fields = form.fields.map((field) => fieldOf(page, field));
    /** The submit buttons, in document order. */
    this.submits = form.submits.map((submit) => submitOf(page, submit));
    /** True if something was left out or shortened because of a limit. */
    this.cut = form.cut;
  }

  /** First field with a `name` attribute; null if there is none. */
  field(name) {
    return this.fields.find((field) => field.name === name) ?? null;
  }
}

/** A field with its element in place of a node id, and null for attributes that are missing. */
function fieldOf(page, { node, pattern, min, max, step, maxLength, ...field }) {
  return {
    element: elementOf(page, node),
    ...field,
    pattern: pattern ?? null,
    min: min ?? null,
    max: max ?? null,
    step: step ?? null,
    maxLength: maxLength ?? null,
  };
}

function submitOf(page, { node, action, method, ...submit }) {
  return { element: elementOf(page, node), ...submit, action: action ?? null, method: method ?? null };
}
