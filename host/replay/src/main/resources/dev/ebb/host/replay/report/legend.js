"use strict";

/** Keys of the lines that are switched off, on the whole page. */
const hidden = new Set();

/** A button for each line; changed() is called after one was switched. */
function drawLegend(place, looks, changed) {
  const buttons = new Map();
  for (const look of looks.values()) {
    const button = element("button", "chip", named(look));
    button.type = "button";
    button.addEventListener("click", () => {
      if (!hidden.delete(look.key)) {
        hidden.add(look.key);
      }
      refresh();
    });
    button.addEventListener("pointerenter", () => stress(look.key));
    button.addEventListener("pointerleave", () => stress(null));
    buttons.set(look.key, button);
  }
  const all = element("button", "chip plain");
  all.type = "button";
  all.addEventListener("click", () => {
    const show = hidden.size > 0;
    hidden.clear();
    if (!show) {
      looks.forEach((look) => hidden.add(look.key));
    }
    refresh();
  });
  place.replaceChildren(...buttons.values(), all);

  function refresh() {
    buttons.forEach((button, key) => button.setAttribute("aria-pressed", String(!hidden.has(key))));
    all.textContent = hidden.size > 0 ? "show all" : "hide all";
    for (const chart of lineCharts) {
      chart.batch(() => chart.looks.forEach((look, i) => chart.setSeries(i + 1, { show: !hidden.has(look.key) })));
    }
    changed();
  }

  refresh();
}

/** Brings a line to the front and lets the others fade; null ends it. */
function stress(key) {
  for (const chart of lineCharts) {
    const index = chart.looks.findIndex((look) => look.key === key);
    chart.setSeries(index < 0 ? null : index + 1, { focus: true });
  }
}
