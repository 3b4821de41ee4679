"use strict";

/** Every line chart on the page, to be redrawn together. */
const lineCharts = new Set();

const AXIS = {
  stroke: () => themed("--soft"),
  grid: { stroke: () => themed("--grid"), width: 1 },
  ticks: { show: false },
  font: "12px system-ui, sans-serif",
  labelFont: "12px system-ui, sans-serif",
};

/** Charts are as wide as their places. */
function fitCharts() {
  lineCharts.forEach((chart) => {
    const size = chart.sizeOf(chart.plot);
    if (size.width !== chart.width) {
      chart.setSize(size);
    }
  });
}
