/** Visible text, close enough to the host's for tests. */

const ELEMENT = 1;
const TEXT = 3;

/** Elements whose text is invisible. */
const HIDDEN = new Set(["script", "style", "template", "noscript", "head"]);

/** Elements that begin and end a line. */
const BLOCKS = new Set([
  "address", "article", "aside", "blockquote", "body", "dd", "details", "div", "dl", "dt", "fieldset", "figcaption",
  "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "html", "li", "main", "nav", "ol",
  "option", "p", "pre", "section", "select", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul",
]);

/** Collapses runs of white space to one space and trims the text. */
export function tidy(text) {
  return text.replace(/\s+/g, " ").trim();
}

/** Text of a node; blocks and line breaks are a line feed. */
export function readText(node) {
  const parts = [];
  collect(node, parts);
  return parts.join("").split("\n").map(tidy).filter((line) => line !== "").join("\n");
}

function collect(node, parts) {
  if (node.nodeType === TEXT) return void parts.push(node.textContent.replace(/\s+/g, " "));
  const name = node.nodeType === ELEMENT ? node.localName.toLowerCase() : "";
  if (HIDDEN.has(name)) return;
  const edge = BLOCKS.has(name) || name === "br" ? "\n" : name === "td" || name === "th" ? " " : "";
  parts.push(edge);
  for (const child of node.childNodes ?? []) collect(child, parts);
  parts.push(edge);
}
