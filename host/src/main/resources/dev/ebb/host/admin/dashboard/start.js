"use strict";

const THEME = "ebb.theme";

/** The panels that change seldom are read so often, in milliseconds. */
const SELDOM = 5000;

function chooseTheme() {
  const choice = document.getElementById("theme");
  choice.value = localStorage.getItem(THEME) ?? "";
  const apply = () => (choice.value ? setTheme(choice.value) : screenTheme());
  choice.addEventListener("change", () => {
    localStorage.setItem(THEME, choice.value);
    apply();
  });
  darkScreen.addEventListener("change", apply);
  apply();
}

/** What goes wrong here is tried again soon; the connection's state says so already. */
async function readSeldom() {
  await Promise.allSettled([drawPolicies(), drawCandidates(), drawPins(), drawPlugins()]);
}

function start() {
  chooseTheme();
  startPolicy();
  startPins();
  startLog();
  drawPoolLegend();
  const redrawCharts = drawCharts(document.getElementById("charts"));
  const fillTiles = drawTiles(document.getElementById("tiles"));
  new ResizeObserver(fitCharts).observe(document.getElementById("main"));

  const handlers = {
    stats: (stats) => {
      document.body.dataset.connected = "true";
      if (addToCourse(pointOf(stats))) {
        redrawCharts();
      }
      drawHealth(stats);
      fillTiles(stats);
      drawPolicy(stats);
      drawTenants(stats);
      drawStates(stats);
      drawPool(stats);
    },
    evictions: addEvictions,
  };
  const opened = async () => {
    setCourse((await read("/api/v1/history")).points);
    await Promise.all([readEvictions(), readSeldom()]);
  };
  const lost = (seconds) => {
    document.body.dataset.connected = "false";
    setHealth("lost", "connection lost");
    document.getElementById("process").textContent = `trying again in ${seconds} s`;
  };
  setInterval(() => document.body.dataset.connected === "true" && readSeldom(), SELDOM);
  follow(handlers, opened, lost);
}

try {
  start();
} catch (error) {
  showProblem(String(error));
  throw error;
}
