"use strict";

/** Shows the status, the figures that matter in one sentence, and the advice. */
function drawHealth(stats, summary) {
  const { server, advice } = stats;
  setHealth(server.ready && advice.length === 0 ? "good" : "warn", server.ready ? (advice.length > 0 ? "needs attention" : "healthy") : "draining");
  document.getElementById("lead").textContent = server.ready ? summary : "New clients are refused.";
  drawAdvice(advice);
  document.getElementById("process").textContent = `version ${server.version}, up ${lasting(Math.floor(server.uptimeSeconds))}`;
}

/** Sets the status only when it changes, because a screen reader reads each change aloud. */
function setHealth(state, word) {
  const place = document.getElementById("health");
  if (place.dataset.state !== state) {
    place.dataset.state = state;
  }
  const words = document.getElementById("health-word");
  if (words.textContent !== word) {
    words.textContent = word;
  }
}

/**
 * Creates the tiles at the top.
 *
 * tiles: name, which may depend on the statistics, value and a line below it
 *
 * returns a function that fills them in
 */
function drawTiles(place, tiles) {
  const fills = tiles.map(([name, value, below]) => {
    const title = element("dt", "", UNKNOWN);
    const large = element("dd", "large", UNKNOWN);
    const small = element("dd", "below", "\u00a0");
    place.append(element("div", "tile", title, large, small));
    return (stats) => {
      title.textContent = typeof name === "string" ? name : name(stats);
      large.textContent = value(stats);
      small.textContent = below(stats);
    };
  });
  return (stats) => fills.forEach((fill) => fill(stats));
}

/** Tiles of stores and engines. */
const TILES = {
  hits: [
    "Hit ratio",
    () => ratio(hitRatioAt(course.length - 1)),
    () => `${ratio(hitRatioAt(course.length - 1, COURSE_SECONDS))} in 15 min`,
  ],
  pool: ["Pool in use", ({ pool }) => ratio(pool.occupancy), ({ pool }) => `${bytes(pool.usedBytes)} of ${bytes(pool.capacityBytes)}`],
  heap: [
    "Java heap",
    ({ jvm }) => bytes(jvm.heapUsedBytes),
    ({ jvm }) => `of ${bytes(jvm.heapMaxBytes)}, ${counted(jvm.threads, "thread", "threads")}`,
  ],
};
