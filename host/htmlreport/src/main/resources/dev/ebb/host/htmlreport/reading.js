"use strict";

/**
 * Shows the values of all lines at the cursor, largest first.
 *
 * spec.looks: for each line how it looks
 * spec.heading: x value -> heading of the tip
 * spec.text: y value -> text
 */
function tipAtCursor(u, spec) {
  const { idx, left, top } = u.cursor;
  if (idx === null || idx === undefined || left < 0) {
    hideTip();
    return;
  }
  const rows = spec.looks
    .map((look, i) => ({ look, value: valueAt(u.data[i + 1], idx) }))
    .filter(({ value }, i) => u.series[i + 1].show && value !== null)
    .sort((a, b) => b.value - a.value)
    .map(({ look, value }) => element("tr", "", element("td", "", named(look)), element("td", "", spec.text(value))));
  const box = u.over.getBoundingClientRect();
  showTip(
    box.left + left,
    box.top + top,
    element("p", "", spec.heading(u.data[0][idx])),
    element("table", "", element("tbody", "", ...rows)),
  );
}

/** Returns the previous value of a line that has no point at this x. */
function valueAt(values, index) {
  while (index > 0 && values[index] === undefined) {
    index--;
  }
  return values[index] ?? null;
}

/** Moves the cursor from point to point with the arrow keys, Home and End. */
function readByKeyboard(chart) {
  const plot = chart.plot;
  plot.tabIndex = 0;
  plot.onkeydown = (event) => {
    const last = chart.data[0].length - 1;
    const at = chart.cursor.idx ?? -1;
    const next = { ArrowLeft: Math.max(0, at - 1), ArrowRight: Math.min(last, at + 1), Home: 0, End: last }[event.key];
    if (next === undefined) {
      return;
    }
    event.preventDefault();
    chart.setCursor({ left: chart.valToPos(chart.data[0][next], "x"), top: chart.over.clientHeight / 2 });
  };
  plot.onblur = () => chart.setCursor({ left: -10, top: -10 });
}
