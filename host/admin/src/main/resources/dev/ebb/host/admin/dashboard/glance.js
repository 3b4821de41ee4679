"use strict";

/** Shows the status and a sentence that explains it. */
function drawHealth(stats, problems, summary) {
  setHealth(problems.length > 0 ? "warn" : "good", problems.length > 0 ? "needs attention" : "healthy");
  document.getElementById("lead").textContent = problems.length > 0 ? problems.join(" ") : summary;
  document.getElementById("process").textContent =
    `version ${stats.server.version}, up ${lasting(Math.floor(stats.server.uptimeSeconds))}`;
}

/** Sets the status only when it changes, because a screen reader reads each change aloud. */
function setHealth(state, word) {
  const place = document.getElementById("health");
  if (place.dataset.state !== state) {
    place.dataset.state = state;
    document.getElementById("health-word").textContent = word;
  }
}

/**
 * Creates the tiles at the top.
 *
 * tiles: name, value and a line below it
 *
 * returns a function that fills them in
 */
function drawTiles(place, tiles) {
  const fills = tiles.map(([name, value, below]) => {
    const large = element("dd", "large", UNKNOWN);
    const small = element("dd", "below", "\u00a0");
    place.append(element("div", "tile", element("dt", "", name), large, small));
    return (stats) => {
      large.textContent = value(stats);
      small.textContent = below(stats);
    };
  });
  return (stats) => fills.forEach((fill) => fill(stats));
}

/** Returns problems of stores and engines. */
function commonProblems({ server, policy, jvm }) {
  const problems = [];
  if (!server.ready) {
    problems.push("Draining: new clients are refused.");
  }
  if (policy.name !== policy.configured && !policy.rule) {
    problems.push(`${policy.configured} has failed; ${policy.name} is active instead.`);
  }
  if (jvm.heapUsedBytes > 0.95 * jvm.heapMaxBytes) {
    problems.push("The Java heap is nearly full. Increase it, for example with EBB_JAVA_OPTS=-Xmx8g.");
  }
  return problems;
}

/** Tiles of stores and engines. */
const TILES = {
  hits: [
    "Hit ratio",
    () => ratio(hitRatioAt(course.length - 1)),
    () => `${ratio(hitRatioAt(course.length - 1, COURSE_SECONDS))} in 15 min`,
  ],
  pool: ["Pool in use", ({ pool }) => ratio(pool.occupancy), ({ pool }) => `${bytes(pool.usedBytes)} of ${bytes(pool.capacityBytes)}`],
  evictions: [
    "Evictions",
    () => perSecond(rateAt(course.length - 1, (point) => point.evicted)),
    () => `${perSecond(rateAt(course.length - 1, (point) => point.prematureEvictions))} requested again`,
  ],
  heap: [
    "Java heap",
    ({ jvm }) => bytes(jvm.heapUsedBytes),
    ({ jvm }) => `of ${bytes(jvm.heapMaxBytes)}, ${counted(jvm.threads, "thread", "threads")}`,
  ],
};
