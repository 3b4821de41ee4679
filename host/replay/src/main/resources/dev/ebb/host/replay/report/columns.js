"use strict";

/** The columns of the table of all runs: what they hold, how they read and what they mean. */
const COLUMNS = [
  {
    label: "policy",
    value: (run) => run.policy,
    words: true,
    means: "The eviction policy, as it was named when the replay was started.",
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
      "Blocks found in the cache, of all blocks asked for. In the prefix model only a block behind resident blocks counts.",
  },
  {
    label: "token hit",
    value: (run) => run.tokenHitRatio,
    text: (value) => percent(value),
    means: "Prompt tokens covered by prefix hits, which need no prefill, of all prompt tokens.",
  },
  {
    label: "gap closed",
    value: (run) => run.gapClosed,
    text: (value) => gapShare(value),
    means:
      "How far the hit ratio is on the way from LRU (0%) to the optimum (100%), which knows the future; negative is worse than LRU. Far below, where the gap is small beside the loss, it says < −100%.",
  },
  {
    label: "re-prefill",
    value: (run) => run.rePrefillRate,
    text: (value) => percent(value),
    means: "Evicted blocks asked for again, of all evicted, among those evicted recently enough to be remembered.",
  },
  {
    label: "fairness",
    value: (run) => run.fairness,
    text: (value) => decimal(value, 3),
    means:
      "Jain’s index over the tenants’ hit ratios: 1 if all are served alike. Not known where a trace names no tenants.",
  },
  { label: "evictions", value: (run) => run.evictions, text: count, means: "Blocks evicted to make room." },
  {
    label: "ns/access",
    value: (run) => run.nsPerAccess,
    text: (value) => decimal(value, 1),
    ascending: true,
    means: "The policy’s own time for an access, in nanoseconds. Known only where runs were made one at a time.",
  },
  {
    label: "ns/victim",
    value: (run) => run.nsPerVictim,
    text: (value) => decimal(value, 1),
    ascending: true,
    means: "Time to choose and evict a block, in nanoseconds. Known only where runs were made one at a time.",
  },
  {
    label: "Mref/s",
    value: (run) => run.referencesPerSecond,
    text: (value) => decimal(value === null ? null : value / 1e6, 2),
    means: "Speed of the whole replay, in million block references a second.",
  },
  {
    label: "failure",
    value: (run) => run.failure,
    text: (value, run) => (value === null ? "" : `stopped after ${count(run.requests)} requests: ${value}`),
    words: true,
    onlyFailures: true,
    means: "Why the run ended early. A failed run has no ratios, and no say in what is best.",
  },
];

/** The id of the sentence that explains a column. */
function meaningId(column) {
  return `meaning-${COLUMNS.indexOf(column)}`;
}
