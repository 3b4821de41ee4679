"use strict";

const ENGINE_DISK_CHARTS = [
  {
    ...DISK_CHARTS[0],
    caption: "Share of prompt tokens that were read from the disk",
    lines: DISK_CHARTS[0].lines.slice(0, 1),
  },
  ...DISK_CHARTS.slice(1),
];

/** The parts of the page for an embedded engine. */
const PARTS = {
  charts: [
    { ...CHARTS.hits, caption: "Share of prompt tokens that were resident", lines: CHARTS.hits.lines.slice(0, 1) },
    CHARTS.occupancy,
    { ...CHARTS.left, caption: "Evicted blocks per second", lines: CHARTS.left.lines.slice(0, 2) },
    CHARTS.early,
    CHARTS.queue,
    CHARTS.tokenTimes,
    ...(hasDisk ? ENGINE_DISK_CHARTS : []),
  ],
  tiles: [
    [TILES.hits[0], TILES.hits[1], () => diskShare("hits", REQUESTED, TILES.hits[2]())],
    [
      "Not computed again",
      () => perSecond(rateAt(course.length - 1, (point) => point.hits)),
      () => `tokens, of ${perSecond(rateAt(course.length - 1, (point) => point.hits + point.misses))}`,
    ],
    TILES.pool,
    ["Sequences", ({ sequences }) => few(sequences.open), ({ sequences }) => `${few(sequences.finished)} finished`],
    ["Requests", ({ requests }) => known(requests?.running, few), ({ requests }) => queueOf(requests)],
    [
      "Generated",
      () => perSecond(rateAt(course.length - 1, (point) => point.generated)),
      ({ tokens }) => `tokens; prompts had ${few(tokens.prompt)}`,
    ],
    ["First token", ({ requests }) => lasting(requests?.firstToken.p50), ({ requests }) => `${lasting(requests?.firstToken.p99)} for 99 %`],
    TILES.heap,
  ],
  pointOf: (stats) => ({
    ...commonPointOf(stats),
    hits: stats.tokens.matched,
    misses: stats.tokens.prompt - stats.tokens.matched,
    running: stats.requests?.running,
    waiting: stats.requests?.waiting,
    limit: stats.requests?.batchSize.limit,
    generated: stats.requests?.generatedTokens,
    firstP50: stats.requests?.firstToken.p50,
    firstP99: stats.requests?.firstToken.p99,
    interP50: stats.requests?.interToken.p50,
    interP99: stats.requests?.interToken.p99,
    disk: diskPointOf(stats, { hits: stats.tokens.disk }),
  }),


  draw: (stats) => {
    drawHealth(stats, summaryOf(stats));
    drawGauges(stats);
    drawRequests(stats.requests);
    drawDisk(stats);
  },
  seldom: () => [drawSequences(), drawCandidates(), drawCurve(), drawPins()],
  start: startPins,
};

function summaryOf({ tokens, sequences, pool }) {
  if (tokens.prompt === 0) {
    return "No sequence has been opened yet.";
  }
  const now = hitRatioAt(course.length - 1);
  const requests = now === null ? "No prompts arrive" : `Hit ratio ${ratio(now)} of prompt tokens`;
  return `${requests}, the pool is ${ratio(pool.occupancy)} full, and ${counted(sequences.open, "sequence is", "sequences are")} open.`;
}
