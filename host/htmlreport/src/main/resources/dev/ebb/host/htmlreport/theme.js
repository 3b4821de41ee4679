"use strict";

const darkScreen = matchMedia("(prefers-color-scheme: dark)");

/** Redraws the charts, because canvases do not follow the style sheet. */
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  lineCharts.forEach((chart) => chart.redraw(false));
}

function screenTheme() {
  setTheme(darkScreen.matches ? "dark" : "light");
}
