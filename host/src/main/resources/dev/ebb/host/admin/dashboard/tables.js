"use strict";

/**
 * A table, or words where it would be empty. A table that is there already is filled anew, so that
 * nothing scrolls or loses the focus.
 *
 * columns: [{label, words, text: row -> string | node}]; the first column names the row
 */
function fillTable(place, columns, rows, emptyWords) {
  if (rows.length === 0) {
    place.replaceChildren(element("p", "empty", emptyWords));
    return;
  }
  let table = place.querySelector("table");
  if (!table) {
    const heads = columns.map((column) => {
      const head = element("th", column.words ? "words" : "", column.label);
      head.scope = "col";
      return head;
    });
    table = element("table", "", element("thead", "", element("tr", "", ...heads)), element("tbody", ""));
    place.replaceChildren(table);
  }
  table.tBodies[0].replaceChildren(...rows.map((row) => tableRow(columns, row)));
}

function tableRow(columns, row) {
  const cells = columns.map((column, i) => {
    const cell = element(i === 0 ? "th" : "td", column.words ? "words" : "", column.text(row));
    if (i === 0) {
      cell.scope = "row";
    }
    return cell;
  });
  return element("tr", "", ...cells);
}

/** Keys can be very long; all of it is in the title. */
function keyText(text) {
  const shown = element("span", "key", text);
  shown.title = text;
  return shown;
}
