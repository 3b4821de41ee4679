"use strict";

/** Whether engines in other processes can have sequences here. */
const ofEngines = document.body.dataset.holds.split(" ").includes("engines");

/** The parts of the page for `ebb serve`. */
const PARTS = {
  charts: [
    CHARTS.hits,
    CHARTS.occupancy,
    CHARTS.left,
    CHARTS.early,
    CHARTS.latency,
    CHARTS.commands,
    ...(hasDisk ? DISK_CHARTS : []),
    ...(inCluster ? CLUSTER_CHARTS : []),
  ],
  tiles: [
    [
      (stats) => (isChained(stats) ? "Prefix hits" : "Hit ratio"),
      (stats) => ratio(headlineRatio(stats)),
      (stats) =>
        isChained(stats)
          ? diskShare("prefixHits", LOOKED_UP, `${few(stats.keys.chains.unreachable)} unreachable`)
          : diskShare("hits", REQUESTED, TILES.hits[2](stats)),
    ],
    [
      "Not computed again",
      (stats) => perSecond(rateAt(course.length - 1, isChained(stats) ? (point) => point.prefixHits : (point) => point.hits)),
      (stats) =>
        `${isChained(stats) ? "chunks" : "values"}; again: ${perSecond(rateAt(course.length - 1, (point) => point.prematureEvictions))}`,
    ],
    TILES.pool,
    [
      (stats) => (isChained(stats) ? "Hit ratio of reads" : "Evictions"),
      (stats) => (isChained(stats) ? TILES.hits[1]() : perSecond(rateAt(course.length - 1, (point) => point.evicted))),
      (stats) => (isChained(stats) ? diskShare("hits", REQUESTED, TILES.hits[2]()) : `${few(stats.evictions.entries)} since the start`),
    ],
    [
      "Commands",
      () => perSecond(rateAt(course.length - 1, (point) => point.commands)),
      ({ clients }) => counted(clients.connections, "connection", "connections"),
    ],
    ["Keys", ({ keys }) => few(keys.count), ({ keys }) => `${few(keys.expiring)} with a time to live`],
    TILES.heap,
  ],

  pointOf: (stats) => ({
    ...commonPointOf(stats),
    hits: stats.traffic.hits,
    misses: stats.traffic.misses,
    prefixHits: stats.keys.chains.hits,
    prefixLookups: stats.keys.chains.lookups,
    commands: stats.clients.commands,
    notAdmitted: stats.traffic.notAdmitted,
    fallback: stats.evictions.fallback,
    expired: stats.traffic.expired,
    readingP50: stats.latencies.reading.p50,
    readingP99: stats.latencies.reading.p99,
    storingP50: stats.latencies.storing.p50,
    storingP99: stats.latencies.storing.p99,
    evictingP99: stats.latencies.evicting.p99,
    disk: diskPointOf(stats, { prefixHits: stats.keys.chains.hitsElsewhere }),
    cluster: clusterPointOf(stats.cluster),
  }),

  draw: (stats) => {
    drawHealth(stats, summaryOf(stats));
    drawGauges(stats);
    drawTenants(stats);
    drawGroups(stats);
    drawStates(stats);
    drawDisk(stats);
  },
  seldom: () => [...(ofEngines ? [drawSequences()] : []), drawCandidates(), drawCurve(), drawPins(), drawCluster()],
  start: startPins,
};

/** Returns whether Ebb knows the order of chunks in prompts, so that it counts prefix hits. */
function isChained({ keys }) {
  return keys.chains.lookups > 0;
}

/** What an operator buys first: prefix hits, or the hit ratio where no prompt is known. */
function headlineRatio(stats) {
  return isChained(stats) ? prefixHitRatioAt(course.length - 1) : hitRatioAt(course.length - 1);
}

function summaryOf(stats) {
  const { traffic, pool, policy } = stats;
  if (traffic.hits + traffic.misses + traffic.creations === 0) {
    return stats.sequences?.opened > 0
      ? `${ratio(stats.tokens.hitRatio)} of prompt tokens were resident, and ${counted(stats.sequences.open, "sequence is", "sequences are")} open.`
      : "No client has sent a command yet.";
  }
  const now = headlineRatio(stats);
  const requests = now === null ? "No values are requested" : `${isChained(stats) ? "Prefix hits" : "Hit ratio"} ${ratio(now)}`;
  const evicted = rateAt(course.length - 1, (point) => point.evicted);
  const evictions = evicted > 0 ? `${policy.name} evicts ${few(evicted)} entries a second` : "nothing is evicted";
  return `${requests}, the pool is ${ratio(pool.occupancy)} full, and ${evictions}.`;
}
