/** Public API for authors of verticals. */

export { defineValidator, defineVertical } from "./vertical.js";
export { found } from "./record.js";
export { Page } from "./page.js";
export { Element } from "./element.js";
export { Entity } from "./entity.js";
export { Form } from "./form.js";
export { Reading } from "./reading.js";
export { ends } from "./ends.js";
export { VerticalError } from "./error.js";
