/** Lists the forms of the page: an object for each form, field, choice and button. */

import { defineVertical } from "magpie-vertical";

const optional = (text) => text ?? "-";

const linesOfForm = (form) => [
  `form ${form.method} ${optional(form.action)} ${form.encoding} ${form.charset} role=${form.role} heading=${form.heading} cut=${form.cut}`,
  ...form.fields.flatMap(linesOfField),
  ...form.submits.map(
    (submit) =>
      `submit ${submit.name} value=${submit.value} label=${submit.label} disabled=${submit.disabled} ` +
      `${optional(submit.action)} ${optional(submit.method)}`,
  ),
];

const linesOfField = (field) => [
  `field ${field.name} ${field.kind} value=${field.value} label=${field.label} placeholder=${field.placeholder} ` +
    `required=${field.required} disabled=${field.disabled} hidden=${field.hidden} pattern=${optional(field.pattern)} ` +
    `min=${optional(field.min)} max=${optional(field.max)} step=${optional(field.step)} max-length=${optional(field.maxLength)}`,
  ...(field.choices.length > 10 ? [`${field.choices.length} choices`] : field.choices.map(lineOfChoice)),
];

const lineOfChoice = ({ value, label, selected, disabled }) =>
  `choice ${value} label=${label} selected=${selected} disabled=${disabled}`;

export default defineVertical({
  object: "Line",
  attributes: { title: { kind: "text", required: true } },
  extract: (page) => page.forms.flatMap(linesOfForm).map((title) => ({ title })),
});
