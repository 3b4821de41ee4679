"use strict";

const THEME = "ebb.theme";

/** The time between two reads of panels that seldom change, in milliseconds. */
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

/** Ignores failures, because the next read follows soon and the status shows a lost connection. */
async function readSeldom() {
  await Promise.allSettled([drawPolicies(), drawPlugins(), readSwitches(), ...PARTS.seldom()]);
}

/** Removes the parts that this process does not have. */
function keepOwnParts() {
  const holds = document.body.dataset.holds.split(" ");
  document.querySelectorAll("[data-of]").forEach((part) => holds.includes(part.dataset.of) || part.remove());
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

  let readAt = null;
  let lostAt = null;
  let nextTry = 0;
  const showAge = () => {
    if (document.body.dataset.connected === "false") {
      const inSeconds = Math.max(0, Math.ceil((nextTry - Date.now()) / 1000));
      const age = readAt === null ? "" : `figures are ${lasting(Math.floor((Date.now() - readAt) / 1000))} old, `;
      document.getElementById("process").textContent = `${age}trying again in ${inSeconds} s`;
    }
  };
  setInterval(showAge, 1000);
  const handlers = {
    stats: (stats) => {
      document.body.dataset.connected = "true";
      readAt = Date.now();
      lostAt = null;
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
    setCourse((await read("/api/v1/history")).points);
    redrawCharts();
    await readEvictions();
    readSeldom();
  };
  const lost = (seconds, why) => {
    lostAt ??= Date.now();
    document.body.dataset.connected = "false";
    setHealth("lost", `connection lost since ${CLOCK.format(lostAt)}, ${why}`);
    nextTry = Date.now() + seconds * 1000;
    showAge();
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
