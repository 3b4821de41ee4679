"use strict";

const PLOT_HEIGHT = 190;

/** The least distance between two names above a chart, in pixels. */
const NAME_GAP = 20;

/** The shortest time span of a chart, in seconds. */
const LEAST_SECONDS = 60;

/**
 * Creates a line chart of the last minutes.
 *
 * spec.title, spec.caption: texts
 * spec.lines: [{name, colour, dash, fill, values: () -> a value for each point of the course}]
 * spec.text: value -> text
 * spec.top: largest value of all -> end of the axis
 * spec.logarithmic: whether the axis is logarithmic, between powers of ten around the values
 *
 * returns a function that redraws the chart
 */
function timeline(place, spec) {
  const looks = spec.lines.map((line) => ({
    key: line.name,
    name: line.name,
    colour: line.colour,
    dash: line.dash ?? [],
    shape: null,
  }));
  const plot = element("div", "plot");
  plot.setAttribute("role", "img");
  plot.setAttribute("aria-label", `Lines over time: ${spec.title}. Arrow keys read the values.`);
  const legend = element("ul", "legend");
  const values = looks.map((look) => {
    const value = element("b", "", UNKNOWN);
    legend.append(element("li", "", named(look), value));
    return value;
  });
  const caption = element("figcaption", "", element("h2", "", spec.title), element("p", "", spec.caption));
  place.append(element("figure", "card", caption, plot, legend));
  const chart = new uPlot(options(plot, { ...spec, looks, heading: (x) => CLOCK.format(x * 1000) }), [[]], plot);
  chart.plot = plot;
  chart.sizeOf = timelineSize;
  chart.looks = looks;
  readByKeyboard(chart);
  lineCharts.add(chart);

  return () => {
    const lines = spec.lines.map((line) => (spec.logarithmic ? line.values().map(positive) : line.values()));
    const times = course.map((point) => point.time / 1000);
    const end = times.at(-1) ?? Date.now() / 1000;
    const start = Math.min(times[0] ?? end, end - LEAST_SECONDS);
    const known = lines.flat().filter(Number.isFinite);
    chart.batch(() => {
      chart.setData([times, ...lines], false);
      chart.setScale("x", { min: start, max: end });
      chart.setScale("y", spec.logarithmic ? decades(known) : { min: 0, max: spec.top(Math.max(0, ...known)) });
    });
    lines.forEach((line, i) => {
      values[i].textContent = spec.text(line.at(-1) ?? null);
    });
  };
}

function timelineSize(plot) {
  return { width: Math.max(200, plot.clientWidth), height: PLOT_HEIGHT };
}

function options(plot, spec) {
  return {
    ...timelineSize(plot),
    padding: [18, 34, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
    scales: {
      x: { time: false, range: (u, min, max) => [min, max] },
      y: { distr: spec.logarithmic ? 3 : 1, range: (u, min, max) => [min, max] },
    },
    axes: [
      {
        ...AXIS,
        size: 28,
        space: 90,
        incrs: [5, 10, 15, 30, 60, 120, 180, 300],
        values: (u, splits) => splits.map((x) => (splits[1] - splits[0] < 60 ? CLOCK : HOUR).format(x * 1000)),
      },
      { ...AXIS, size: 62, space: 36, ...(spec.logarithmic ? POWERS : {}), values: (u, splits) => splits.map(spec.text) },
    ],
    series: [
      {},
      ...spec.lines.map((line) => ({
        stroke: () => themed(line.colour),
        fill: line.fill ? () => `${themed(line.colour)}22` : undefined,
        width: 1.75,
        dash: line.dash,
        points: { show: false },
      })),
    ],
    hooks: { draw: [drawChanges], setCursor: [(u) => tipAtCursor(u, spec)] },
  };
}

/** Marks policy switches with their names. */
function drawChanges(u) {
  const { ctx } = u;
  const { left, top, width, height } = u.bbox;
  ctx.save();
  ctx.strokeStyle = themed("--soft");
  ctx.fillStyle = themed("--ink");
  ctx.lineWidth = uPlot.pxRatio;
  ctx.setLineDash([3 * uPlot.pxRatio, 3 * uPlot.pxRatio]);
  ctx.font = `${12 * uPlot.pxRatio}px system-ui, sans-serif`;
  // The axes have changed these two.
  ctx.textAlign = "left";
  ctx.textBaseline = "alphabetic";
  let free = left;
  for (const { time, name } of policyChanges()) {
    const x = u.valToPos(time / 1000, "x", true);
    ctx.beginPath();
    ctx.moveTo(x, top - 4 * uPlot.pxRatio);
    ctx.lineTo(x, top + height);
    ctx.stroke();
    const wide = ctx.measureText(name).width;
    const from = Math.min(Math.max(left, x - wide / 2), left + width - wide);
    // Of changes close together only the first is named, so that names do not overlap.
    if (from >= free) {
      ctx.fillText(name, from, top - 7 * uPlot.pxRatio);
      free = from + wide + NAME_GAP * uPlot.pxRatio;
    }
  }
  ctx.restore();
}

/** The lines of a logarithmic axis: powers of ten, at most five. */
const POWERS = {
  splits: (u, axis, min, max) => {
    const [first, last] = [min, max].map((end) => Math.round(Math.log10(end)));
    const step = Math.ceil((last - first) / 4);
    return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, i) => 10 ** (first + i * step));
  },
  filter: (u, splits) => splits,
};

/** Returns a value for a logarithmic axis, which has no place for 0. */
function positive(value) {
  return value > 0 ? value : null;
}

/** Returns a range between powers of ten around the values, at least one decade. */
function decades(values) {
  const least = values.length === 0 ? 1e-4 : Math.min(...values);
  const most = values.length === 0 ? 1e-3 : Math.max(...values);
  const min = 10 ** Math.floor(Math.log10(least));
  return { min, max: Math.max(min * 10, 10 ** Math.ceil(Math.log10(most))) };
}

/** Returns the next of 1, 2, 5, 10, 20 ... at or above a value. */
function roundTop(value, least) {
  const wanted = Math.max(value * 1.05, least);
  const decade = 10 ** Math.floor(Math.log10(wanted));
  return [1, 2, 5, 10].map((digit) => digit * decade).find((top) => top >= wanted * (1 - 1e-9));
}
