"use strict";

/** The key of the optimum among the lines; no policy can have it. */
const OPTIMUM = Symbol("optimum");

function readReports() {
  return [...document.querySelectorAll("script.report")].map((script) => readReport(script.text));
}

function readReport(text) {
  const { traces, runs } = JSON.parse(text);
  const unique = (values) => [...new Set(values)];
  return {
    ...traces[0],
    runs,
    policies: unique(runs.map((run) => run.policy)),
    capacities: unique(runs.map((run) => run.capacityBlocks)).sort((a, b) => a - b),
  };
}

/** Returns the runs at a capacity that did not fail, best first. */
function ranking(report, capacity) {
  return report.runs
    .filter((run) => run.capacityBlocks === capacity && run.hitRatio !== null)
    .sort((a, b) => b.hitRatio - a.hitRatio);
}

/** The best run at a capacity and those that hit as often, as the host decided it. */
function leaders(report, capacity) {
  const best = report.best.find((decided) => decided.capacityBlocks === capacity);
  return ranking(report, capacity).filter((run) => best.policies.includes(run.policy));
}

function optimumAt(report, capacity) {
  const known = report.runs.find((run) => run.capacityBlocks === capacity && run.optimumHitRatio !== null);
  return known ? known.optimumHitRatio : null;
}

/** "9,140 blocks (5% of the distinct blocks)". */
function capacityInWords(report, capacity) {
  const part = report.distinctBlocks ? ` (${share(capacity, report.distinctBlocks)} of the distinct blocks)` : "";
  return `${blocks(capacity)}${part}`;
}
