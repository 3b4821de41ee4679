"use strict";

/** Fills the table, which its headings sort. Returns a function that shows one capacity, or all for null. */
function runTable(table, report, looks) {
  const columns = COLUMNS.filter((column) => report.runs.some((run) => column.value(run) !== null));
  const best = new Set(report.capacities.flatMap((capacity) => leaders(report, capacity)));
  const rows = report.runs.map((run) => ({ run, row: tableRow(columns, run, looks, best.has(run)) }));
  const body = table.tBodies[0];
  let shown = null;
  let order = [
    [COLUMNS[1], 1],
    [COLUMNS[2], -1],
  ];

  const heads = columns.map((column) => {
    const button = element("button", "", column.label);
    button.type = "button";
    button.setAttribute("aria-describedby", meaningId(column));
    explain(button, column.means);
    const head = headCell("col", column.words ? "words" : "", button);
    button.addEventListener("click", () => {
      const again = order[0][0] === column;
      const first = column.ascending || column.words ? 1 : -1;
      order = [[column, again ? -order[0][1] : first], ...order.filter(([other]) => other !== column)].slice(0, 3);
      refresh();
    });
    return { column, head };
  });
  table.tHead.rows[0].replaceChildren(...heads.map(({ head }) => head));

  function refresh() {
    for (const { column, head } of heads) {
      if (order[0][0] === column) {
        head.setAttribute("aria-sort", order[0][1] > 0 ? "ascending" : "descending");
      } else {
        head.removeAttribute("aria-sort");
      }
    }
    rows.sort((a, b) => {
      for (const [column, sign] of order) {
        const difference = compare(column.value(a.run), column.value(b.run), sign);
        if (difference) {
          return difference;
        }
      }
      return 0;
    });
    let group = null;
    for (const { run, row } of rows) {
      row.hidden = shown !== null && run.capacityBlocks !== shown;
      row.classList.toggle("new-group", order[0][0] === COLUMNS[1] && run.capacityBlocks !== group && group !== null);
      group = run.capacityBlocks;
    }
    body.replaceChildren(...rows.map(({ row }) => row));
  }

  refresh();
  return (capacity) => {
    shown = capacity;
    refresh();
  };
}

/** Compares two values; unknown values come last in either direction. */
function compare(a, b, sign) {
  if (a === null || b === null) {
    return (a === null) - (b === null);
  }
  return sign * (typeof a === "string" ? a.localeCompare(b) : a - b);
}

function tableRow(columns, run, looks, best) {
  const row = element("tr", run.failure === null ? "" : "failed");
  row.classList.toggle("candidate", looks.get(run.policy).isCandidate);
  for (const column of columns) {
    const value = column.value(run);
    const isPolicy = column === COLUMNS[0];
    const cell = element(isPolicy ? "th" : "td", column.words ? "words" : "");
    if (isPolicy) {
      cell.scope = "row";
      cell.append(named(looks.get(run.policy)));
    } else {
      cell.textContent = column.text(value, run);
    }
    if (best && column === COLUMNS[2]) {
      cell.classList.add("best");
      cell.title = "best at this capacity";
    }
    row.append(cell);
  }
  return row;
}
