"use strict";

/** A word for the whole process, and a sentence that says why. */
function drawHealth(stats) {
  const worries = worriesOf(stats);
  setHealth(worries.length > 0 ? "warn" : "good", worries.length > 0 ? "needs attention" : "healthy");
  document.getElementById("lead").textContent = worries.length > 0 ? worries.join(" ") : allIsWell(stats);
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

function worriesOf(stats) {
  const worries = [];
  if (!stats.server.ready) {
    worries.push("Draining: no new clients are taken.");
  }
  if (stats.policy.name !== stats.policy.configured) {
    worries.push(`${stats.policy.configured} has failed; ${stats.policy.name} decides in its place.`);
  }
  if (stats.policy.abandonedThreads > 0) {
    worries.push(`Policies that did not come back: ${whole(stats.policy.abandonedThreads)}; the log names them.`);
  }
  const refused = course.length > 1 ? rateAt(course.length - 1, (point) => point.notAdmitted) : 0;
  if (refused > 0) {
    worries.push(`Values find no room: ${perSecond(refused)}.`);
  }
  if (stats.jvm.heapUsedBytes > 0.95 * stats.jvm.heapMaxBytes) {
    worries.push("The Java heap is nearly full: give it more, EBB_JAVA_OPTS=-Xmx8g.");
  }
  return worries;
}

function allIsWell(stats) {
  const { traffic, pool, policy } = stats;
  if (traffic.hits + traffic.misses + traffic.creations === 0) {
    return "All is well, and no client has sent anything yet.";
  }
  const now = hitRatioAt(course.length - 1);
  const asked = now === null ? "Nobody asks for anything now" : `${ratio(now)} of what clients ask for is there`;
  const evicted = rateAt(course.length - 1, (point) => point.evicted);
  const leaving = evicted > 0 ? `${policy.name} evicts ${few(evicted)} entries a second` : "nothing has to leave";
  return `${asked}, the pool is ${ratio(pool.occupancy)} full, and ${leaving}.`;
}

/** The numbers at the top: name, value and a line below it. */
const TILES = [
  ["Hit ratio", () => ratio(hitRatioAt(course.length - 1)), () => `${ratio(hitRatioAt(course.length - 1, COURSE_SECONDS))} in 15 min`],
  [
    "Pool in use",
    ({ pool }) => ratio(pool.occupancy),
    ({ pool }) => `${bytes(pool.usedBytes)} of ${bytes(pool.capacityBytes)}`,
  ],
  [
    "Evictions",
    () => perSecond(rateAt(course.length - 1, (point) => point.evicted)),
    ({ evictions }) => `${ratio(evictions.rePrefillRate)} asked for again`,
  ],
  [
    "Commands",
    () => perSecond(rateAt(course.length - 1, (point) => point.commands)),
    ({ clients }) => counted(clients.connections, "connection", "connections"),
  ],
  ["Keys", ({ keys }) => few(keys.count), ({ keys }) => `${few(keys.expiring)} with a time to live`],
  [
    "Java heap",
    ({ jvm }) => bytes(jvm.heapUsedBytes),
    ({ jvm }) => `of ${bytes(jvm.heapMaxBytes)}, ${counted(jvm.threads, "thread", "threads")}`,
  ],
];

/** Returns a function that fills the tiles in. */
function drawTiles(place) {
  const tiles = TILES.map(([name, value, below]) => {
    const large = element("dd", "large", UNKNOWN);
    const small = element("dd", "below", "\u00a0");
    place.append(element("div", "tile", element("dt", "", name), large, small));
    return (stats) => {
      large.textContent = value(stats);
      small.textContent = below(stats);
    };
  });
  return (stats) => tiles.forEach((tile) => tile(stats));
}
