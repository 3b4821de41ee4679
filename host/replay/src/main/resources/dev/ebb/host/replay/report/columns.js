"use strict";

/** The columns of the table of all runs: value, text and meaning. */
const COLUMNS = [
  {
    label: "policy",
    value: (run) => run.policy,
    words: true,
    means: "The eviction policy, as named on the command line.",
  },
  {
    label: "blocks",
    value: (run) => run.capacityBlocks,
    text: count,
    ascending: true,
    means: "Capacity of the cache in blocks.",
  },
  {
    label: "hit",
    value: (run) => run.hitRatio,
    text: (value) => percent(value),
    means:
      "Share of requested blocks that were resident. In the prefix model a block counts only if all blocks before it are resident.",
  },
  {
    label: "±",
    value: (run) => run.spread?.hitRatio.standardDeviation ?? null,
    text: (value) => decimal(value === null ? null : value * 100, 2),
    ascending: true,
    means: "Standard deviation of the hit ratio over at least five seeds, in percentage points. All other columns are means.",
  },
  {
    label: "min to max",
    value: (run) => (run.spread ? run.spread.hitRatio.max - run.spread.hitRatio.min : null),
    text: (value, run) => spreadRange(run),
    ascending: true,
    means: "Lowest and highest hit ratio of a seed; “same” if the seed made no difference.",
  },
  {
    label: "token hit",
    value: (run) => run.tokenHitRatio,
    text: (value) => percent(value),
    means: "Share of prompt tokens that need no prefill, because their blocks are prefix hits.",
  },
  {
    label: "gap closed",
    value: (run) => run.gapClosed,
    text: (value) => gapShare(value),
    means:
      "(hit ratio - LRU) / (optimum - LRU): 0% is LRU, 100% the optimum, which knows the future. Negative is worse than LRU; values below −100% are shown as < −100%.",
  },
  ...[50, 95, 99].map((percentile) => ({
    label: `prefill p${percentile}`,
    value: (run) => run[`prefillTokensP${percentile}`],
    text: count,
    ascending: true,
    means: `Prompt tokens that need prefill: ${percentile}% of the requests need at most as many.`,
  })),
  {
    label: "re-prefill",
    value: (run) => run.rePrefillRate,
    text: (value) => percent(value),
    means: "Share of evicted blocks that were requested again soon.",
  },
  {
    label: "fairness",
    value: (run) => run.fairness,
    text: (value) => decimal(value, 3),
    means:
      "Jain’s index over the tenants’ hit ratios: 1 if all are equal. Unknown if the trace has no tenants.",
  },
  { label: "evictions", value: (run) => run.evictions, text: count, means: "Evicted blocks." },
  {
    label: "by group",
    value: (run) => (run.groupBlocks ? run.groupBlocks[0] / groupSum(run) : null),
    text: (value, run) =>
      value === null ? UNKNOWN : run.groupBlocks.map((held) => percent(held / groupSum(run), 1)).join(", "),
    means: "What the objects of each group hold at the end of the replay, in the order of --groups.",
  },
  {
    label: "thinned",
    value: (run) => run.thinnedObjects ?? null,
    text: count,
    means: "Objects of hybrid models that were evicted while their chunk stayed.",
  },
  {
    label: "unusable",
    value: (run) => run.unusableBlocks ?? null,
    text: count,
    ascending: true,
    means: "Chunks that were resident with all chunks before them, and not usable because the object of another group was missing.",
  },
  {
    label: "ns/access",
    value: (run) => run.nsPerAccess,
    text: (value) => decimal(value, 1),
    ascending: true,
    means: "The policy’s time for an access, in nanoseconds. Measured only with --jobs 1.",
  },
  {
    label: "ns/victim",
    value: (run) => run.nsPerVictim,
    text: (value) => decimal(value, 1),
    ascending: true,
    means: "Time to choose and evict a block, in nanoseconds. Measured only with --jobs 1.",
  },
  {
    label: "Mref/s",
    value: (run) => run.referencesPerSecond,
    text: (value) => decimal(value === null ? null : value / 1e6, 2),
    means: "Speed of the replay, in millions of block references per second.",
  },
  {
    label: "failure",
    value: (run) => run.failure,
    text: (value, run) => (value === null ? "" : `stopped after ${count(run.requests)} requests: ${value}`),
    words: true,
    means: "Why the run ended early. A failed run has no ratios and no rank.",
  },
];

/** Returns what all groups hold, 1 if that is nothing. */
function groupSum(run) {
  return run.groupBlocks.reduce((sum, held) => sum + held, 0) || 1;
}

function spreadRange(run) {
  if (run.spread === null) {
    return UNKNOWN;
  }
  const { min, max } = run.spread.hitRatio;
  const tail = run.spread.prefillTokensP99;
  return min === max && tail.min === tail.max ? "same" : `${percent(min)} to ${percent(max)}`;
}

/** Returns the id of a column's explanation. */
function meaningId(column) {
  return `meaning-${COLUMNS.indexOf(column)}`;
}
