"use strict";

const TRACES = [
  { key: "recorded", name: "recorded", colour: "--line-0", shape: SHAPES[0], dash: [], width: 1.75 },
  { key: "generated", name: "generated", colour: "--line-1", shape: SHAPES[2], dash: DASHES[2], width: 1.75 },
];

function curveChart(plot, points, xTitle, text) {
  const blocks = points.map((point) => point.blocks);
  plot.setAttribute("role", "img");
  plot.setAttribute("aria-label", `${text}. Arrow keys read the values.`);
  lineChart(plot, {
    tables: TRACES.map(({ key }) => [blocks, points.map((point) => point[key])]),
    looks: TRACES,
    xTitle: `${xTitle} (blocks, logarithmic)`,
    xRange: [1, Math.max(2, blocks.at(-1) * 1.12)],
    log: true,
    zoom: false,
    heading: (at) => `${xTitle} ${count(at)}`,
    markerStep: 8,
  });
}

function points(difference) {
  return `${difference < 0 ? "" : "+"}${decimal(difference, 2)}`;
}

function size(value) {
  return value === null ? UNKNOWN : shortCount(Number(value.toPrecision(3)));
}

const LRU_COLUMNS = [
  { label: "blocks", text: (point) => count(point.blocks) },
  ...TRACES.map(({ key, name }) => ({ label: name, text: (point) => percent(point[key]) })),
  { label: "difference", text: ({ recorded, generated }) => points(100 * (generated - recorded)) },
];

const SIZE_COLUMNS = [
  { label: "quantity", words: true, text: ({ name }) => name },
  ...TRACES.flatMap(({ key, name }) =>
    ["p50", "p90", "p99"].map((quantile, i) => ({
      label: i === 0 ? `${name} ${quantile}` : quantile,
      text: (quantity) => size(quantity[key][quantile]),
    })),
  ),
];

showReport(() => {
  const report = JSON.parse(document.getElementById("report").text);
  const place = (id) => document.getElementById(id);
  const { largestHitRatioDifference: hits, largestReuseDifference: reuse } = report;
  document.title += `: ${report.trace}`;
  place("name").textContent = report.trace;
  place("facts").append(
    ...[
      ["requests", report.requests],
      ["block references", report.references],
      ["distinct blocks", report.distinctBlocks],
    ].map(([name, value]) => element("div", "", element("dt", "", name), element("dd", "", count(value)))),
  );
  place("lead").textContent =
    `Largest difference: ${points(100 * (hits.generated - hits.recorded))} points of LRU hit ratio at ${blocks(hits.blocks)}, ` +
    `and ${points(100 * (reuse.generated - reuse.recorded))} points of the reuses at distance ${count(reuse.blocks)}.`;
  curveChart(place("reuse"), report.reuse, "reuse distance", "Lines: share of reuses up to a distance");
  curveChart(place("hit-ratios"), report.hitRatios, "capacity", "Lines: LRU hit ratio over capacity");
  fillTable(place("lru"), LRU_COLUMNS, report.lru, "", "runs");
  fillTable(place("sizes"), SIZE_COLUMNS, report.sizes, "", "runs");
  drawLegend(place("legend"), new Map(TRACES.map((look) => [look.key, look])), () => {});
});
