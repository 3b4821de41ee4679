"use strict";

showReport(() => {
  const result = JSON.parse(document.getElementById("result").textContent);
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
});
