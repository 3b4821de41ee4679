"use strict";

/** A word for the whole process, and a sentence that says why. */
function drawHealth(stats, worries, well) {
  setHealth(worries.length > 0 ? "warn" : "good", worries.length > 0 ? "needs attention" : "healthy");
  document.getElementById("lead").textContent = worries.length > 0 ? worries.join(" ") : well;
  document.getElementById("process").textContent =
    `version ${stats.server.version}, up ${lasting(Math.floor(stats.server.uptimeSeconds))}`;
}

/** Set only when it changes: a screen reader says it then. */
function setHealth(state, word) {
  const place = document.getElementById("health");
  if (place.dataset.state !== state) {
    place.dataset.state = state;
    document.getElementById("health-word").textContent = word;
  }
}

/**
 * The numbers at the top.
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

/** What may be wrong with every process. */
function commonWorries({ server, policy, jvm }) {
  const worries = [];
  if (!server.ready) {
    worries.push("Draining: no new clients are taken.");
  }
  if (policy.name !== policy.configured && !policy.rule) {
    worries.push(`${policy.configured} has failed; ${policy.name} decides in its place.`);
  }
  if (jvm.heapUsedBytes > 0.95 * jvm.heapMaxBytes) {
    worries.push("The Java heap is nearly full: give it more, EBB_JAVA_OPTS=-Xmx8g.");
  }
  return worries;
}

/** Tiles that every process has. */
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
    ({ evictions }) => `${ratio(evictions.rePrefillRate)} asked for again`,
  ],
  heap: [
    "Java heap",
    ({ jvm }) => bytes(jvm.heapUsedBytes),
    ({ jvm }) => `of ${bytes(jvm.heapMaxBytes)}, ${counted(jvm.threads, "thread", "threads")}`,
  ],
};
