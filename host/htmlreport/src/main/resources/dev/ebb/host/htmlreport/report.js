"use strict";

/** Draws a report that has its data in the page. Errors are shown on the page. */
function showReport(draw, fit = fitCharts) {
  try {
    screenTheme();
    draw();
    darkScreen.addEventListener("change", screenTheme);
    new ResizeObserver(fit).observe(document.querySelector("main"));
    document.body.dataset.ready = "true";
  } catch (error) {
    showProblem(String(error));
    throw error;
  }
}
