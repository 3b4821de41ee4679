"use strict";

/** The plot in its own units: each doubling of the memory has the same width. */
const CURVE = { width: 360, height: 150, left: 44, right: 12, top: 10, bottom: 24 };

const CURVE_COLUMNS = [
  { label: "Memory", text: ({ factor, capacityBytes }) => `${bytes(capacityBytes)}${factor === 1 ? " (now)" : ""}` },
  { label: "Hit ratio", text: ({ hitRatio }) => ratio(hitRatio) },
  { label: "Band", text: ({ factor, low, high }) => (factor === 1 ? "counted" : `${ratio(low)} to ${ratio(high)}`) },
  { label: "Difference", text: ({ gain }) => pointsText(gain) },
];

const CURVE_FACTORS = [0.25, 0.5, 1, 2, 4];

const TENANT_CURVE_COLUMNS = [
  { label: "Tenant", text: ({ tenant }) => tenant },
  ...CURVE_FACTORS.map((factor) => ({ label: `${factor}\u00d7`, text: ({ points }) => withError(points.find((point) => point.factor === factor)) })),
];

/** Formats a ratio with half the width of its band in points. */
function withError(point) {
  return known(point ?? null, ({ factor, hitRatio, low, high }) =>
    factor === 1 ? ratio(hitRatio) : `${ratio(hitRatio)} \u00b1 ${(100 * Math.max(high - hitRatio, hitRatio - low)).toFixed(1)}`,
  );
}

/** Formats a difference of two ratios: +4.0 points. */
function pointsText(value) {
  return known(value, (number) => {
    const size = Math.abs(100 * number).toFixed(1);
    return `${size === "0.0" ? "±" : number < 0 ? "−" : "+"}${size} points`;
  });
}

/** Draws the hit ratio over the memory of the pool, with its error. */
async function drawCurve() {
  const { policy, rate, since, points, tenants } = await read("/api/v1/pool/curve");
  const own = points.find(({ factor }) => factor === 1);
  document.getElementById("memory").hidden = rate === null;
  document.getElementById("memory-caption").textContent =
    points.length < 2
      ? "The sample of the traffic is still too small."
      : `Hit ratio of ${policy} with other amounts of memory, estimated on ${ratio(rate)} of the keys since ${CLOCK.format(Date.parse(since))}. The band holds the true ratio with 95 % confidence.`;
  document.getElementById("memory-plot").replaceChildren(...(points.length < 2 ? [] : [curvePlot(points)]));
  const rows = points.length < 2 ? [] : points.map((point) => ({ ...point, gain: own ? point.hitRatio - own.hitRatio : null }));
  fillTable(document.getElementById("memory-body"), CURVE_COLUMNS, rows, "");
  fillTable(document.getElementById("memory-tenants"), TENANT_CURVE_COLUMNS, tenants, "");
}

function curvePlot(points) {
  const { width, height, left, right, top, bottom } = CURVE;
  const first = Math.log2(points[0].factor);
  const span = Math.log2(points.at(-1).factor) - first || 1;
  const least = Math.floor(10 * Math.min(...points.map(({ low }) => low))) / 10;
  const most = Math.max(least + 0.1, Math.ceil(10 * Math.max(...points.map(({ high }) => high))) / 10);
  const x = ({ factor }) => left + ((Math.log2(factor) - first) / span) * (width - left - right);
  const y = (value) => top + (1 - (value - least) / (most - least)) * (height - top - bottom);
  const line = (of, on = points) => on.map((point) => `${x(point).toFixed(1)} ${y(of(point)).toFixed(1)}`).join("L");
  const band = `M${line(({ high }) => high)}L${line(({ low }) => low, points.toReversed())}Z`;
  const label = (text, at, anchor) => svg("text", { ...at, "text-anchor": anchor }, text);
  return svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": "Hit ratio over memory; the table has the values" },
    ...[least, (least + most) / 2, most].flatMap((value) => [
      svg("path", { class: "grid", d: `M${left} ${y(value)}H${width - right}` }),
      label(share(value), { x: left - 6, y: y(value) + 4 }, "end"),
    ]),
    svg("path", { class: "band", d: band }),
    svg("path", { class: "line", d: `M${line(({ hitRatio }) => hitRatio)}` }),
    ...points.flatMap((point) => [
      svg("circle", { class: point.factor === 1 ? "now" : "", cx: x(point), cy: y(point.hitRatio), r: point.factor === 1 ? 5 : 3 }),
      label(`${point.factor}×`, { x: x(point), y: height - 6 }, "middle"),
    ]),
  );
}
