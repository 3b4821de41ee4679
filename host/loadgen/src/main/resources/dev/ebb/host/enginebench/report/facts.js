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

function row(head, ...cells) {
  const made = element("tr", "");
  const first = element("th", "", head);
  first.scope = "row";
  made.append(first, ...cells.map((cell) => (cell instanceof Node ? cell : element("td", "", cell))));
  return made;
}

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
  document
    .querySelector("#token-counts tbody")
    .append(
      row("prompts", count(result.promptTokens)),
      row("prefilled", count(result.prefilledTokens)),
      row(`reused ${source}`.trim(), count(result.reusedTokens)),
      row("share reused", percent(result.reusedTokens, result.promptTokens)),
      row(result.generatedEstimated ? "generated, estimated" : "generated", count(result.generatedTokens)),
    );
}

function drawTimes(result) {
  const times = [
    ["time to first token", result.firstTokenMillis],
    ["between tokens", result.interTokenMillis],
    ["whole request", result.requestMillis],
  ];
  document
    .querySelector("#times tbody")
    .append(...times.map(([name, all]) => row(name, ...["mean", "p50", "p95", "p99", "max"].map((p) => millis(all[p])))));
}

function drawTenants(result) {
  const place = document.getElementById("tenants");
  place.hidden = result.tenants.length === 0;
  document.getElementById("fairness").textContent =
    `Jain's index: reuse ${index(result.fairness.reuse)}, time to first token ${index(result.fairness.firstToken)}`;
  place
    .querySelector("tbody")
    .append(
      ...result.tenants.map((tenant) =>
        row(
          tenant.tenant,
          count(tenant.completed),
          count(tenant.promptTokens),
          percent(tenant.reusedTokens, tenant.promptTokens),
          `${millis(tenant.firstTokenMillis)} ms`,
        ),
      ),
    );
}

function drawErrors(result) {
  const place = document.getElementById("errors");
  place.hidden = result.errorKinds.length === 0;
  place
    .querySelector("tbody")
    .append(...result.errorKinds.map((each) => row(each.kind, count(each.count), element("td", "words", each.first))));
}
