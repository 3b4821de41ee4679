"use strict";

/** Shows the values of all lines at the cursor, largest first. */
function tipAtCursor(u, spec) {
  const { idx, left, top } = u.cursor;
  if (idx === null || idx === undefined || left < 0) {
    hideTip();
    return;
  }
  const rows = spec.looks
    .map((look, i) => ({ look, ratio: valueAt(u.data[i + 1], idx) }))
    .filter(({ look, ratio }) => !hidden.has(look.key) && ratio !== null)
    .sort((a, b) => b.ratio - a.ratio)
    .map(({ look, ratio }) => element("tr", "", element("td", "", named(look)), element("td", "", percent(ratio))));
  const box = u.over.getBoundingClientRect();
  showTip(
    box.left + left,
    box.top + top,
    element("p", "", spec.heading(u.data[0][idx])),
    element("table", "", element("tbody", "", ...rows)),
  );
}

/** Lines of other step lengths have no point at this x: then the one before counts. */
function valueAt(ratios, index) {
  while (index > 0 && ratios[index] === undefined) {
    index--;
  }
  return ratios[index] ?? null;
}

/** Arrow keys, Home and End move the cursor from point to point. */
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
