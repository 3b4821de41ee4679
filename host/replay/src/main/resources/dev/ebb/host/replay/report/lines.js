"use strict";

/**
 * Draws lines into a plot.
 *
 * spec.tables: for each line [x values, ratios]; null is a gap
 * spec.looks: for each line how it looks
 * spec.xTitle: what x is, with its unit
 * spec.xRange: ends of the x axis
 * spec.log: whether x is logarithmic
 * spec.zoom: whether dragging zooms into x
 * spec.heading: x value -> heading of the tip
 * spec.markerStep: marks every so many points
 */
function lineChart(plot, spec) {
  const data = spec.tables.length === 0 ? [[]] : uPlot.join(spec.tables.map(([x, ratios]) => [x, ratios]));
  const top = niceTop(Math.max(...data.slice(1).flat().filter(Number.isFinite), 0));
  const chart = new uPlot(
    {
      ...plotSize(plot),
      padding: [10, 30, 0, 0],
      legend: { show: false },
      focus: { alpha: 0.15 },
      cursor: { y: false, drag: { x: spec.zoom, y: false }, points: { size: 7 } },
      scales: {
        x: {
          time: false,
          distr: spec.log ? 3 : 1,
          range: (u, min, max) => (min === u.data[0][0] && max === u.data[0].at(-1) ? spec.xRange : [min, max]),
        },
        y: { range: [0, top] },
      },
      axes: [
        {
          ...AXIS,
          label: spec.xTitle,
          labelSize: 20,
          size: 30,
          space: 64,
          values: (u, splits) => splits.map(shortCount),
          ...(spec.log ? { splits: logSplits, filter: (u, splits) => splits } : {}),
        },
        { ...AXIS, size: 46, values: (u, splits) => splits.map((y) => `${Number((y * 100).toFixed(1))}%`) },
      ],
      series: [
        {},
        ...spec.looks.map((look) => ({
          stroke: () => themed(look.colour),
          width: look.width,
          dash: look.dash,
          points: { show: false },
          show: !hidden.has(look.key),
        })),
      ],
      hooks: {
        drawSeries: [(u, i) => drawMarkers(u, i, spec)],
        setCursor: [(u) => tipAtCursor(u, { ...spec, text: percent })],
      },
    },
    data,
    plot,
  );
  chart.looks = spec.looks;
  chart.plot = plot;
  chart.sizeOf = plotSize;
  readByKeyboard(chart);
  lineCharts.add(chart);
  return chart;
}

function dropChart(chart) {
  lineCharts.delete(chart);
  chart.destroy();
}

function plotSize(plot) {
  const width = Math.max(240, plot.clientWidth);
  return { width, height: Math.round(Math.min(360, Math.max(260, width * 0.5))) };
}

/** The end of a ratio axis above a value; ratios end at 1. */
function niceTop(value) {
  const step = value < 0.1 ? 0.02 : value < 0.3 ? 0.05 : 0.1;
  return Math.min(1, Math.max(step, Math.ceil((value * 1.04) / step) * step));
}

/** As many of each decade as leave room for their labels. */
function logSplits(u, axisIndex, min, max) {
  const room = (u.width - 76) / Math.log10(max / min);
  const digits = room > 170 ? [1, 2, 5] : room > 110 ? [1, 3] : [1];
  const splits = [];
  for (let decade = 10 ** Math.floor(Math.log10(min)); decade <= max; decade *= 10) {
    splits.push(...digits.map((digit) => digit * decade));
  }
  return splits.filter((x) => x >= min && x <= max);
}

function drawMarkers(u, i, spec) {
  const look = spec.looks[i - 1];
  if (!look.shape) {
    return;
  }
  const shape = new Path2D(look.shape);
  const { ctx } = u;
  ctx.save();
  ctx.beginPath();
  ctx.rect(u.bbox.left - 10, u.bbox.top - 10, u.bbox.width + 20, u.bbox.height + 20);
  ctx.clip();
  ctx.globalAlpha = u.series[i].alpha ?? 1;
  ctx.fillStyle = themed(look.colour);
  // Staggered, so that lines close together do not hide each other's markers.
  const first = Math.floor((((i - 1) * 5) % 8) * (spec.markerStep / 8));
  const [from, to] = u.series[0].idxs;
  // Lines of other step lengths leave holes, which do not count.
  let seen = 0;
  for (let point = 0; point <= to; point++) {
    if (!Number.isFinite(u.data[i][point]) || seen++ % spec.markerStep !== first || point < from) {
      continue;
    }
    ctx.save();
    ctx.translate(u.valToPos(u.data[0][point], "x", true), u.valToPos(u.data[i][point], "y", true));
    ctx.scale(uPlot.pxRatio, uPlot.pxRatio);
    ctx.fill(shape);
    ctx.restore();
  }
  ctx.restore();
}
