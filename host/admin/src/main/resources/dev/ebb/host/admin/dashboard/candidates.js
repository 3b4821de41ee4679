"use strict";

const CANDIDATE_COLUMNS = [
  { label: "Policy", words: true, text: ({ policy, active }) => (active ? `${policy} (active)` : policy) },
  { label: "Hit ratio", text: ({ hitRatio }) => (hitRatio === null ? "–" : ratio(hitRatio)) },
  { label: "Band", text: bandOfCandidate },
  { label: "Prefix hits", text: ({ prefixHitRatio }) => (prefixHitRatio === null ? "–" : ratio(prefixHitRatio)) },
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
  const { policy, rate, since, hitRatio, prefixHitRatio, candidates } = await read("/api/v1/shadows");
  fillTable(
    document.getElementById("candidates-body"),
    CANDIDATE_COLUMNS,
    candidates,
    "There are no shadow policies. To start one: ebb policy shadow add NAME",
  );
  const counted =
    hitRatio === null
      ? "Counting starts when all have warmed up."
      : `Counted hit ratio of ${policy} since ${CLOCK.format(Date.parse(since))}: ${ratio(hitRatio)}` +
        (prefixHitRatio === null ? "." : `, prefix hits: ${ratio(prefixHitRatio)}.`);
  document.getElementById("candidates-caption").textContent =
    rate === null ? "" : `Estimated on a sample of ${ratio(rate)} of the keys. ${counted}`;
}
