"use strict";

const darkScreen = matchMedia("(prefers-color-scheme: dark)");

/** Canvases do not follow the style sheet by themselves. */
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  lineCharts.forEach((chart) => chart.redraw(false));
}

function screenTheme() {
  setTheme(darkScreen.matches ? "dark" : "light");
}
