"use strict";

/**
 * A table, or words where it would be empty. A table that is there already is filled anew, so that
 * nothing scrolls or loses the focus.
 *
 * columns: [{label, words, acts, text: row -> string | node}]; the first column names the row, and one
 * that acts stays in sight
 */
function fillTable(place, columns, rows, emptyWords) {
  if (rows.length === 0) {
    place.replaceChildren(element("p", "empty", emptyWords));
    return;
  }
  let table = place.querySelector("table");
  if (!table) {
    const heads = columns.map((column) => {
      const head = element("th", cellClass(column), column.label);
      head.scope = "col";
      return head;
    });
    table = element("table", "", element("thead", "", element("tr", "", ...heads)), element("tbody", ""));
    place.replaceChildren(table);
  }
  table.tBodies[0].replaceChildren(...rows.map((row) => tableRow(columns, row)));
}

function cellClass({ words, acts }) {
  return words ? "words" : acts ? "acts" : "";
}

function tableRow(columns, row) {
  const cells = columns.map((column, i) => {
    const cell = element(i === 0 ? "th" : "td", cellClass(column), column.text(row));
    if (i === 0) {
      cell.scope = "row";
    }
    return cell;
  });
  return element("tr", "", ...cells);
}

/** So much of a long key's end is always shown. */
const KEY_TAIL = 16;

/**
 * Keys can be very long, and many differ at their end only: they are cut before it. All of it is in
 * the title.
 */
function keyText(text) {
  const end = text.length > 2 * KEY_TAIL ? text.length - KEY_TAIL : text.length;
  const shown = element("span", end < text.length ? "key cut" : "key", element("span", "", text.slice(0, end)), text.slice(end));
  shown.title = text;
  return shown;
}

/** A moment in few words: of today the time is enough. All of it is in the title. */
function soonText(moment) {
  const today = moment.toDateString() === new Date().toDateString();
  const shown = element("span", "", (today ? HOUR : DAY).format(moment));
  shown.title = MOMENT.format(moment);
  return shown;
}
