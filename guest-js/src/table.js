/** Selection of rows and cells in one call. */

import { elementOf, nodeOf } from "./element.js";
import { ask } from "./error.js";
import { Reading } from "./reading.js";

/** Implements `Element.table`. */
export function table(scope, rows, columns) {
  const names = Object.keys(columns);
  const wanted = names.map((name) => {
    const [css, take = "text"] = [columns[name]].flat();
    return { css, take };
  });
  const { page } = scope;
  const found = ask(() => page.host.table(nodeOf(scope), rows, wanted));
  return found.map(({ node, cells }) => {
    const row = { element: elementOf(page, node) };
    names.forEach((name, index) => {
      const cell = cells[index];
      row[name] = cell ? new Reading(cell.text, elementOf(page, cell.node)) : null;
    });
    return row;
  });
}
