"use strict";

/** The keys of hidden lines. */
const hidden = new Set();

/** Creates a button for each line. Calls changed() when a line is shown or hidden. */
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

/** Emphasises a line; null shows all alike. */
function stress(key) {
  for (const chart of lineCharts) {
    const index = chart.looks.findIndex((look) => look.key === key);
    chart.setSeries(index < 0 ? null : index + 1, { focus: true });
  }
}
