"use strict";

/**
 * Fills a table, or shows a text if it has no rows. An existing table with these columns is reused, so
 * that it keeps its scroll position and focus.
 *
 * columns: [{label, words, acts, text: row -> string | node}]; the first column names the row, and a
 * column with acts stays visible
 */
function fillTable(place, columns, rows, emptyWords, className = "") {
  if (rows.length === 0) {
    place.replaceChildren(element("p", "empty", emptyWords));
    return;
  }
  const labels = columns.map(({ label }) => label).join();
  let table = place.querySelector("table");
  if (table?.dataset.labels !== labels) {
    const heads = columns.map((column) => headCell("col", cellClass(column), column.label));
    table = element("table", className, element("thead", "", element("tr", "", ...heads)), element("tbody", ""));
    table.dataset.labels = labels;
    place.replaceChildren(table);
  }
  table.tBodies[0].replaceChildren(...rows.map((row) => rowOf(columns, row)));
}

function cellClass({ words, acts }) {
  return words ? "words" : acts ? "acts" : "";
}

/** Creates a cell that names a column ("col") or a row ("row"). */
function headCell(scope, className, ...content) {
  const cell = element("th", className, ...content);
  cell.scope = scope;
  return cell;
}

function rowOf(columns, row) {
  const [head, ...others] = columns.map((column) => [cellClass(column), column.text(row)]);
  return element("tr", "", headCell("row", ...head), ...others.map((cell) => element("td", ...cell)));
}
