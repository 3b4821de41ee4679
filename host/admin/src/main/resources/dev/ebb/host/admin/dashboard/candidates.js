"use strict";

/** Returns the columns. The estimate with the band has the label; prefix hits have a column if they differ from it. */
const candidateColumns = (estimate, prefixHits) => [
  { label: "Policy", words: true, text: ({ policy, active }) => (active ? `${policy} (active)` : policy) },
  { label: estimate, text: ({ hitRatio }) => ratio(hitRatio) },
  { label: "Difference", text: ({ active, difference }) => (active ? "" : pointsText(difference)) },
  { label: "Band", text: bandOfCandidate },
  ...(prefixHits ? [{ label: "Prefix hits", text: ({ prefixHitRatio }) => ratio(prefixHitRatio) }] : []),
  { label: "Bytes served", text: ({ hitBytes }) => (hitBytes === null ? "–" : bytes(hitBytes)) },
  { label: "ns per access", text: ({ nanosPerAccess }) => (nanosPerAccess === null ? "–" : few(Math.round(nanosPerAccess))) },
  { label: "State", words: true, text: stateOfCandidate },
];

/** A sample of all keys has no confidence interval. */
function bandOfCandidate({ hitRatio, low, high }) {
  return hitRatio === null ? UNKNOWN : low === high ? "none" : `${ratio(low)} to ${ratio(high)}`;
}

function stateOfCandidate({ state, reason, enough }) {
  if (state === "failed") {
    return `failed: ${reason}`;
  }
  return state === "warming-up" ? "warming up" : enough ? "running" : "too few accesses yet";
}

/** Shows the estimated hit ratios of the shadow policies. */
async function drawCandidates() {
  const report = await read("/api/v1/shadows");
  const { rate, prefixHitRatio, candidates } = report;
  const chunksOnly = prefixHitRatio !== null && [report, ...candidates].every(isPrefixHitRatio);
  fillTable(
    document.getElementById("candidates-body"),
    chunksOnly ? candidateColumns("Prefix hits", false) : candidateColumns("Hit ratio", prefixHitRatio !== null),
    candidates,
    "There are no shadow policies. To start one: ebb policy shadow add NAME",
  );
  document.getElementById("candidates-caption").textContent =
    rate === null ? "" : `Estimated on a sample of ${ratio(rate)} of the keys. ${countedText(report, chunksOnly)}`;
}

/** Returns whether both ratios are the same when rounded: nearly all lookups are of chunks of prompts. */
function isPrefixHitRatio({ hitRatio, prefixHitRatio }) {
  return hitRatio === null || Math.abs(hitRatio - prefixHitRatio) < 0.0005;
}

function countedText({ policy, since, hitRatio, prefixHitRatio }, chunksOnly) {
  if (hitRatio === null) {
    return "Counting starts when all have warmed up.";
  }
  const counted = `counted since ${CLOCK.format(Date.parse(since))}: ${ratio(chunksOnly ? prefixHitRatio : hitRatio)}`;
  if (prefixHitRatio === null) {
    return `Hit ratio of ${policy}, ${counted}.`;
  }
  const why = "All chunks of a prompt after its first missing one are misses; the hit ratio at the top does not count them.";
  return chunksOnly
    ? `Prefix hits of ${policy}, ${counted}. ${why}`
    : `Hit ratio of ${policy}, with chunks of prompts as prefix hits, ${counted}; prefix hits: ${ratio(prefixHitRatio)}. ${why}`;
}
