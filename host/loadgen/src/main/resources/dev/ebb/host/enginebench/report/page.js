"use strict";

function drawPage() {
  const result = JSON.parse(document.getElementById("result").textContent);
  screenTheme();
  document.title += `: ${result.server}`;
  drawFacts(result);
  drawTokens(result);
  drawTimes(result);
  drawTenants(result);
  drawErrors(result);
  if (result.samples.length > 0) {
    drawFirstTokens(result.samples);
    drawTokenRates(result.samples, result.seconds);
  }
  darkScreen.addEventListener("change", screenTheme);
  new ResizeObserver(fitCharts).observe(document.querySelector("main"));
  document.body.dataset.ready = "true";
}

try {
  drawPage();
} catch (error) {
  showProblem(String(error));
  throw error;
}
