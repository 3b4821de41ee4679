"use strict";

/** The parts of the page for `ebb serve`. */
const PARTS = {
  charts: [...Object.values(CHARTS), ...(hasDisk ? DISK_CHARTS : []), ...(inCluster ? CLUSTER_CHARTS : [])],
  tiles: [
    [TILES.hits[0], TILES.hits[1], (stats) => diskShare("hits", REQUESTED, TILES.hits[2](stats))],
    [
      "Prefix hits",
      () => ratio(prefixHitRatioAt(course.length - 1)),
      ({ keys }) => diskShare("prefixHits", LOOKED_UP, `${few(keys.chains.unreachable)} unreachable`),
    ],
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

  /** Converts a stats document to a point of /api/v1/history: levels, and counters since the start. */
  pointOf: (stats) => ({
    time: stats.server.time,
    uptimeSeconds: stats.server.uptimeSeconds,
    policy: stats.policy.name,
    occupancy: stats.pool.occupancy,
    threshold: stats.pool.threshold,
    target: stats.pool.target,
    hits: stats.traffic.hits,
    misses: stats.traffic.misses,
    prefixHits: stats.keys.chains.hits,
    prefixLookups: stats.keys.chains.lookups,
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
    disk: diskPointOf(stats),
    cluster: clusterPointOf(stats.cluster),
  }),

  /** Returns the points from before the page was opened. */
  past: async () => (await read("/api/v1/history")).points,

  draw: (stats) => {
    drawHealth(stats, problemsOf(stats), summaryOf(stats));
    drawGauges(stats);
    drawTenants(stats);
    drawGroups(stats);
    drawStates(stats);
    drawDisk(stats);
  },
  seldom: () => [drawCandidates(), drawPins(), drawCluster()],
  start: startPins,
};

function problemsOf(stats) {
  const problems = [...commonProblems(stats), ...diskProblems(stats)];
  if (stats.policy.abandonedThreads > 0) {
    problems.push(`${counted(stats.policy.abandonedThreads, "policy thread", "policy threads")} did not return; see the log.`);
  }
  const refused = course.length > 1 ? rateAt(course.length - 1, (point) => point.notAdmitted) : 0;
  if (refused > 0) {
    problems.push(`Values do not fit: ${perSecond(refused)}.`);
  }
  return problems;
}

function summaryOf(stats) {
  const { traffic, pool, policy } = stats;
  if (traffic.hits + traffic.misses + traffic.creations === 0) {
    return "No client has sent a command yet.";
  }
  const now = hitRatioAt(course.length - 1);
  const requests = now === null ? "No values are requested" : `Hit ratio ${ratio(now)}`;
  const evicted = rateAt(course.length - 1, (point) => point.evicted);
  const evictions = evicted > 0 ? `${policy.name} evicts ${few(evicted)} entries a second` : "nothing is evicted";
  return `${requests}, the pool is ${ratio(pool.occupancy)} full, and ${evictions}.`;
}
