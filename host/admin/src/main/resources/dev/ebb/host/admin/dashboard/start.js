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
  await Promise.allSettled([drawPolicies(), drawPlugins(), ...PARTS.seldom()]);
}

/** What this process does not have is not on its page. */
function keepOwnParts() {
  const { holds } = document.body.dataset;
  document.querySelectorAll(`[data-of]:not([data-of="${holds}"])`).forEach((part) => part.remove());
}

function start() {
  chooseTheme();
  keepOwnParts();
  startPolicy();
  PARTS.start();
  startPool();
  startLog();
  const redrawCharts = drawCharts(document.getElementById("charts"), PARTS.charts);
  const fillTiles = drawTiles(document.getElementById("tiles"), PARTS.tiles);
  new ResizeObserver(fitCharts).observe(document.getElementById("main"));

  const handlers = {
    stats: (stats) => {
      document.body.dataset.connected = "true";
      if (addToCourse(PARTS.pointOf(stats))) {
        redrawCharts();
      }
      fillTiles(stats);
      drawPolicy(stats);
      PARTS.draw(stats);
      followPool().catch(() => {});
    },
    evictions: addEvictions,
  };
  const opened = async () => {
    setCourse(await PARTS.past());
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
