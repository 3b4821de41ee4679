"use strict";

const TIME_COLUMNS = [
  { label: "Time", words: true, text: ({ name }) => name },
  { label: "Median", text: ({ time }) => lasting(time.p50) },
  { label: "99 %", text: ({ time }) => lasting(time.p99) },
  { label: "Measured", text: ({ time }) => whole(time.count) },
];

const LIMIT_COLUMNS = [
  { label: "When", words: true, text: ({ time }) => soonText(new Date(time)) },
  { label: "From", text: ({ from }) => whole(from) },
  { label: "To", text: ({ to }) => whole(to) },
  { label: "Reason", words: true, text: ({ reason }) => reason },
];

/** Describes the queue of a scheduler, if the engine uses one. */
function queueOf(requests) {
  return requests ? `${few(requests.waiting)} waiting, at most ${few(requests.batchSize.limit)} run` : "no scheduler";
}

/** Lists the counts above 0 with their names. */
function countsOf(counts) {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${whole(count)} ${name}`);
}

function drawRequests(requests) {
  document.getElementById("requests").hidden = !requests;
  if (!requests) {
    return;
  }
  const { queueTime, firstToken, interToken, latency, batchSize } = requests;
  const ends = [...countsOf(requests.finished), ...countsOf(requests.refused)].join(", ") || "none";
  document.getElementById("requests-caption").textContent =
    `Ended: ${ends}. ${counted(requests.preemptions, "preemption", "preemptions")}. Times are those of the last minute.`;
  const times = [
    { name: "in the queue", time: queueTime },
    { name: "to the first token", time: firstToken },
    { name: "between two tokens", time: interToken },
    { name: "to the last token", time: latency },
  ];
  fillTable(document.getElementById("requests-body"), TIME_COLUMNS, times, "");
  document.getElementById("limit-caption").textContent =
    `At most ${whole(batchSize.limit)} run${batchSize.reason ? `: ${batchSize.reason}` : ""}.`;
  fillTable(document.getElementById("limit-body"), LIMIT_COLUMNS, batchSize.last.toReversed(), "The batch size has not changed.");
}
