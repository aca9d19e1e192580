/**
 * The contract's forms of a DOM document, for tests. Limits, images and ARIA references are left out.
 */

import { tidy } from "./text.js";

/** Kinds of inputs by type; others are `text`. */
const TYPES = new Set([
  "search", "number", "range", "date", "time", "month", "week", "color", "email", "tel", "url", "password", "file",
  "hidden", "radio", "checkbox", "button", "reset",
]);

/** Returns the contract's forms of a document. */
export function forms(document, url, numberOf, resolve) {
  const controls = [...document.querySelectorAll("input, select, textarea, button")];
  return [...document.querySelectorAll("form")].map((form) => {
    const own = controls.filter((control) => ownerOf(document, control) === form);
    const isSubmit = (control) => ["submit", "image"].includes(kindOf(control));
    const action = actionOf(form, url, resolve);
    return {
      node: numberOf(form),
      action,
      method: methodOf(form.getAttribute("method")),
      encoding: form.getAttribute("enctype") ?? "application/x-www-form-urlencoded",
      charset: "UTF-8",
      role: form.closest("search") ? "search" : (form.closest("[role]")?.getAttribute("role") ?? ""),
      heading: textOf(form.querySelector("legend, h1, h2, h3, h4, h5, h6")),
      fields: fields(document, own.filter((control) => !isSubmit(control)), numberOf),
      submits: own.filter(isSubmit).map((control) => submit(control, numberOf, resolve)),
      cut: false,
    };
  });
}

function ownerOf(document, control) {
  const id = control.getAttribute("form");
  return id === null ? control.closest("form") : document.querySelector(`form[id="${id}"]`);
}

function kindOf(control) {
  const tag = control.localName;
  const type = (control.getAttribute("type") ?? "").toLowerCase();
  if (tag === "select") return control.hasAttribute("multiple") ? "select-multiple" : "select";
  if (tag === "textarea") return tag;
  if (tag === "button") return ["button", "reset"].includes(type) ? type : "submit";
  if (type === "submit" || type === "image") return type;
  if (type === "datetime-local") return "datetime";
  return TYPES.has(type) ? type : "text";
}

function actionOf(form, url, resolve) {
  const action = (form.getAttribute("action") ?? "").trim();
  if ((action === "" || action === "#") && form.hasAttribute("onsubmit")) return null;
  const absolute = action === "" ? url.split("#")[0] : resolve(action);
  return /^https?:/.test(absolute ?? "") ? absolute : null;
}

function methodOf(written) {
  const method = (written ?? "").toLowerCase();
  return ["post", "dialog"].includes(method) ? method : "get";
}

/** The fields of a form; radio buttons and checkboxes of one name are one field. */
function fields(document, controls, numberOf) {
  const found = [];
  const groups = new Map();
  for (const control of controls) {
    const [kind, name] = [kindOf(control), control.getAttribute("name") ?? ""];
    const isGroup = kind === "radio" || kind === "checkbox";
    const known = isGroup && name !== "" ? groups.get(`${kind} ${name}`) : undefined;
    const field = known ?? fieldOf(document, control, kind, name, numberOf);
    if (isGroup) field.choices.push(choiceOf(document, control));
    if (known !== undefined) continue;
    groups.set(`${kind} ${name}`, field);
    found.push(field);
  }
  return found;
}

function fieldOf(document, control, kind, name, numberOf) {
  const attribute = (name) => control.getAttribute(name);
  const isChosen = ["radio", "checkbox", "select", "select-multiple", "file"].includes(kind);
  return {
    node: numberOf(control),
    name,
    kind,
    value: isChosen ? "" : ((kind === "textarea" ? control.textContent : attribute("value")) ?? ""),
    choices: kind.startsWith("select") ? optionsOf(control, kind) : [],
    label: kind === "hidden" || kind === "radio" || kind === "checkbox" ? "" : labelOf(document, control),
    placeholder: attribute("placeholder") ?? "",
    required: control.hasAttribute("required"),
    disabled: control.hasAttribute("disabled") || control.closest("fieldset[disabled]") !== null,
    hidden: kind === "hidden" || control.closest("[hidden]") !== null,
    pattern: attribute("pattern"),
    min: attribute("min"),
    max: attribute("max"),
    step: attribute("step"),
    maxLength: attribute("maxlength") === null ? null : Number(attribute("maxlength")),
  };
}

function optionsOf(select, kind) {
  const choices = [...select.querySelectorAll("option")].map((option) => {
    const text = tidy(option.textContent);
    return {
      value: option.getAttribute("value") ?? text,
      label: option.getAttribute("label") ?? text,
      selected: option.hasAttribute("selected"),
      disabled: option.hasAttribute("disabled") || option.closest("optgroup[disabled]") !== null,
    };
  });
  if (kind === "select" && !choices.some(({ selected }) => selected)) {
    const first = choices.find(({ disabled }) => !disabled);
    if (first !== undefined) first.selected = true;
  }
  return choices;
}

function choiceOf(document, control) {
  return {
    value: control.getAttribute("value") ?? "on",
    label: labelOf(document, control) || tidy(control.nextSibling?.textContent ?? ""),
    selected: control.hasAttribute("checked"),
    disabled: control.hasAttribute("disabled"),
  };
}

function submit(control, numberOf, resolve) {
  const value = control.getAttribute("value") ?? "";
  const [action, method] = [control.getAttribute("formaction"), control.getAttribute("formmethod")];
  return {
    node: numberOf(control),
    name: control.getAttribute("name") ?? "",
    value,
    label: control.localName === "button" ? textOf(control) : (control.getAttribute("alt") ?? value),
    disabled: control.hasAttribute("disabled"),
    action: action === null ? null : resolve(action),
    method: method === null ? null : methodOf(method),
  };
}

/** The text that names a control, without that of controls within it. */
function labelOf(document, control) {
  const id = control.getAttribute("id");
  const labels = [id === null ? null : document.querySelector(`label[for="${id}"]`), control.closest("label")];
  const written = ["aria-label", "placeholder", "title"].map((name) => tidy(control.getAttribute(name) ?? ""));
  return [...labels.map(textOf), ...written].find((text) => text !== "") ?? "";
}

function textOf(element) {
  if (element === null) return "";
  const copy = element.cloneNode(true);
  copy.querySelectorAll("select, textarea, button").forEach((control) => control.remove());
  return tidy(copy.textContent);
}
