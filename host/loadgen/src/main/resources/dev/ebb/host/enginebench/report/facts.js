"use strict";

const NOT_REPORTED = "not reported";
const wholeNumber = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

function count(value) {
  return value === null ? NOT_REPORTED : wholeNumber.format(value);
}

function millis(value) {
  return value === null ? UNKNOWN : value.toFixed(value < 100 ? 1 : 0);
}

function percent(part, whole) {
  return part === null || !whole ? NOT_REPORTED : `${((100 * part) / whole).toFixed(1)}%`;
}

function index(value) {
  return value === null ? NOT_REPORTED : value.toFixed(3);
}

const TIME_COLUMNS = [
  { label: "Milliseconds", words: true, text: ([name]) => name },
  ...["mean", "p50", "p95", "p99", "max"].map((label) => ({ label, text: ([, all]) => millis(all[label]) })),
];

const TENANT_COLUMNS = [
  { label: "Tenant", words: true, text: ({ tenant }) => tenant },
  { label: "answers", text: ({ completed }) => count(completed) },
  { label: "prompt tokens", text: ({ promptTokens }) => count(promptTokens) },
  { label: "reused", text: ({ reusedTokens, promptTokens }) => percent(reusedTokens, promptTokens) },
  { label: "mean time to first token", text: ({ firstTokenMillis }) => `${millis(firstTokenMillis)} ms` },
];

const ERROR_COLUMNS = [
  { label: "Kind", words: true, text: ({ kind }) => kind },
  { label: "count", text: (error) => count(error.count) },
  { label: "first message", words: true, text: ({ first }) => first },
];

function drawFacts(result) {
  const facts = [
    ["server", result.server],
    ["model", result.model],
    ["trace", result.trace],
    ["load", result.pace],
    ["answers", `${count(result.completed)} of ${count(result.requests)}`],
    ["requests per second", result.requestsPerSecond.toFixed(2)],
    ["generated tokens per second", result.tokensPerSecond.toFixed(1)],
  ];
  document
    .getElementById("facts")
    .append(...facts.map(([name, value]) => element("div", "", element("dt", "", name), element("dd", "", value))));
  if (result.stopped !== null) {
    const notice = document.getElementById("stopped");
    notice.textContent = `The measurement was stopped: ${result.stopped}.`;
    notice.hidden = false;
  }
}

function drawTokens(result) {
  const source = { usage: "from the answers", metrics: "from the server's metrics" }[result.reuseSource] ?? "";
  const rows = [
    ["prompts", count(result.promptTokens)],
    ["prefilled", count(result.prefilledTokens)],
    [`reused ${source}`.trim(), count(result.reusedTokens)],
    ["share reused", percent(result.reusedTokens, result.promptTokens)],
    [result.generatedEstimated ? "generated, estimated" : "generated", count(result.generatedTokens)],
  ];
  document
    .querySelector("#token-counts tbody")
    .append(...rows.map(([name, value]) => element("tr", "", headCell("row", "", name), element("td", "", value))));
}

function drawTimes(result) {
  const times = [
    ["time to first token", result.firstTokenMillis],
    ["between tokens", result.interTokenMillis],
    ["whole request", result.requestMillis],
  ];
  fillTable(document.getElementById("times"), TIME_COLUMNS, times);
}

function drawTenants(result) {
  drawOptional("tenants", TENANT_COLUMNS, result.tenants);
  document.getElementById("fairness").textContent =
    `Jain's index: reuse ${index(result.fairness.reuse)}, time to first token ${index(result.fairness.firstToken)}`;
}

function drawErrors(result) {
  drawOptional("errors", ERROR_COLUMNS, result.errorKinds);
}

/** Fills the table of a card, which is hidden if there are no rows. */
function drawOptional(id, columns, rows) {
  const card = document.getElementById(id);
  card.hidden = rows.length === 0;
  fillTable(card.querySelector(".scroll"), columns, rows, "");
}
