"use strict";

const CANDIDATE_COLUMNS = [
  { label: "Policy", words: true, text: ({ policy, active }) => (active ? `${policy} (active)` : policy) },
  { label: "Hit ratio", text: ({ hitRatio }) => (hitRatio === null ? "–" : ratio(hitRatio)) },
  { label: "Band", text: bandOfCandidate },
  { label: "Bytes served", text: ({ hitBytes }) => (hitBytes === null ? "–" : bytes(hitBytes)) },
  { label: "ns an access", text: ({ nanosPerAccess }) => (nanosPerAccess === null ? "–" : few(Math.round(nanosPerAccess))) },
  { label: "State", words: true, text: stateOfCandidate },
];

/** Of a sample of all keys there is no chance to be told of. */
function bandOfCandidate({ hitRatio, low, high }) {
  return hitRatio === null ? UNKNOWN : low === high ? "none" : `${ratio(low)} to ${ratio(high)}`;
}

function stateOfCandidate({ state, reason, enough }) {
  if (state === "failed") {
    return `failed: ${reason}`;
  }
  return state === "warming-up" ? "warming up" : enough ? "running" : "too few accesses yet";
}

/** What other policies would hit, on a sample of the traffic. */
async function drawCandidates() {
  const { policy, rate, since, hitRatio, candidates } = await read("/api/v1/shadows");
  fillTable(
    document.getElementById("candidates-body"),
    CANDIDATE_COLUMNS,
    candidates,
    "No policy runs beside the active one: ebb policy shadow add.",
  );
  const counted =
    hitRatio === null
      ? "Nothing is counted before all have warmed up."
      : `${policy} has hit ${ratio(hitRatio)} since ${CLOCK.format(Date.parse(since))}, counted, not estimated.`;
  document.getElementById("candidates-caption").textContent =
    rate === null ? "" : `On a sample of ${ratio(rate)} of the keys. ${counted}`;
}
