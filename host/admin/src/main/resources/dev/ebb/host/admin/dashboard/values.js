"use strict";

/** What of the page a process has that serves clients' values. */
const PARTS = {
  charts: Object.values(CHARTS),
  tiles: [
    TILES.hits,
    TILES.pool,
    TILES.evictions,
    [
      "Commands",
      () => perSecond(rateAt(course.length - 1, (point) => point.commands)),
      ({ clients }) => counted(clients.connections, "connection", "connections"),
    ],
    ["Keys", ({ keys }) => few(keys.count), ({ keys }) => `${few(keys.expiring)} with a time to live`],
    TILES.heap,
  ],

  /** What a stats document has of a point of /api/v1/history: levels, and counters since the start of the process. */
  pointOf: (stats) => ({
    time: stats.server.time,
    uptimeSeconds: stats.server.uptimeSeconds,
    policy: stats.policy.name,
    occupancy: stats.pool.occupancy,
    threshold: stats.pool.threshold,
    target: stats.pool.target,
    hits: stats.traffic.hits,
    misses: stats.traffic.misses,
    commands: stats.clients.commands,
    notAdmitted: stats.traffic.notAdmitted,
    evicted: stats.evictions.entries,
    background: stats.evictions.background,
    demand: stats.evictions.demand,
    fallback: stats.evictions.fallback,
    expired: stats.traffic.expired,
    prematureEvictions: stats.evictions.prematureEvictions,
    readingP50: stats.latencies.reading.p50,
    readingP99: stats.latencies.reading.p99,
    storingP50: stats.latencies.storing.p50,
    storingP99: stats.latencies.storing.p99,
    evictingP99: stats.latencies.evicting.p99,
  }),

  /** The course before the page was opened. */
  past: async () => (await read("/api/v1/history")).points,

  draw: (stats) => {
    drawHealth(stats, worriesOf(stats), allIsWell(stats));
    drawGauges(stats);
    drawTenants(stats);
    drawStates(stats);
  },
  seldom: () => [drawCandidates(), drawPins()],
  start: startPins,
};

function worriesOf(stats) {
  const worries = commonWorries(stats);
  if (stats.policy.abandonedThreads > 0) {
    worries.push(`Policies that did not come back: ${whole(stats.policy.abandonedThreads)}; the log names them.`);
  }
  const refused = course.length > 1 ? rateAt(course.length - 1, (point) => point.notAdmitted) : 0;
  if (refused > 0) {
    worries.push(`Values find no room: ${perSecond(refused)}.`);
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
