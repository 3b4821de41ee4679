"use strict";

/** Columns of a sample. */
const START = 0;
const END = 1;
const FIRST_TOKEN = 2;
const PROMPT = 3;
const REUSED = 4;
const GENERATED = 5;

const MOST_POINTS = 4000;
const STEPS = 100;

/** Lines have no marks, and points no lines. */
function look(name, i, shape = "") {
  return { name, colour: `--line-${i}`, dash: [], shape };
}

function plotSize(plot) {
  const width = Math.max(240, plot.clientWidth);
  return { width, height: Math.round(Math.min(340, Math.max(240, width * 0.5))) };
}

function chart(plot, data, series, looks, axis, text) {
  const drawn = new uPlot(
    {
      ...plotSize(plot),
      padding: [10, 24, 0, 0],
      legend: { show: false },
      cursor: { y: false, points: { size: 7 } },
      scales: { x: { time: false }, y: { range: (u, min, max) => [0, max > 0 ? max * 1.05 : 1] } },
      axes: [
        { ...AXIS, label: "seconds", labelSize: 20, size: 30 },
        { ...AXIS, size: 64, values: (u, splits) => splits.map(axis) },
      ],
      series: [{}, ...series],
      hooks: { setCursor: [(u) => tipAtCursor(u, { looks, heading: (x) => `${x.toFixed(1)} s`, text })] },
    },
    data,
    plot,
  );
  drawn.looks = looks;
  drawn.plot = plot;
  drawn.sizeOf = plotSize;
  readByKeyboard(drawn);
  lineCharts.add(drawn);
}

/** Draws a point for each answer, or for some of very many. */
function drawFirstTokens(samples) {
  const every = Math.ceil(samples.length / MOST_POINTS);
  const shown = samples.filter((_, i) => i % every === 0).sort((a, b) => a[START] - b[START]);
  const answer = look("time to first token", 0, SHAPES[0]);
  chart(
    document.getElementById("first-token"),
    [shown.map((each) => each[START]), shown.map((each) => each[FIRST_TOKEN])],
    [{ paths: () => null, points: { show: true, size: 4, fill: () => themed(answer.colour), stroke: () => themed(answer.colour) } }],
    [answer],
    (ms) => `${wholeNumber.format(ms)} ms`,
    (ms) => `${millis(ms)} ms`,
  );
}

/** Draws the tokens of steps of equal length. */
function drawTokenRates(samples, seconds) {
  const step = seconds / STEPS;
  const reported = samples.some((each) => each[PROMPT] !== null);
  const reuseReported = samples.some((each) => each[REUSED] !== null);
  const lines = [
    ...(reuseReported ? [["prefilled", firstAt, (each) => each[PROMPT] - each[REUSED]]] : []),
    ...(reuseReported ? [["reused", firstAt, (each) => each[REUSED]]] : []),
    ...(reported && !reuseReported ? [["prompts", firstAt, (each) => each[PROMPT]]] : []),
    ["generated", (each) => each[END], (each) => each[GENERATED]],
  ];
  const looks = lines.map(([name], i) => look(name, i));
  chart(
    document.getElementById("tokens"),
    [
      Array.from({ length: STEPS }, (_, i) => (i + 0.5) * step),
      ...lines.map(([, time, tokens]) => ratesOf(samples, step, time, tokens)),
    ],
    looks.map((each) => ({ stroke: () => themed(each.colour), width: 1.75, points: { show: false } })),
    looks,
    (rate) => wholeNumber.format(rate),
    (rate) => `${wholeNumber.format(rate)} tokens/s`,
  );
  document.getElementById("legend").append(...looks.map(named));
}

function firstAt(sample) {
  return sample[START] + sample[FIRST_TOKEN] / 1000;
}

function ratesOf(samples, step, time, tokens) {
  const rates = new Array(STEPS).fill(0);
  for (const each of samples) {
    const at = Math.min(STEPS - 1, Math.max(0, Math.floor(time(each) / step)));
    rates[at] += tokens(each) / step;
  }
  return rates;
}
