"use strict";

/** All line charts of the page. */
const lineCharts = new Set();

const AXIS = {
  stroke: () => themed("--soft"),
  grid: { stroke: () => themed("--grid"), width: 1 },
  ticks: { show: false },
  font: "12px system-ui, sans-serif",
  labelFont: "12px system-ui, sans-serif",
};

/** Fits all charts to the width of the page. */
function fitCharts() {
  lineCharts.forEach((chart) => {
    const size = chart.sizeOf(chart.plot);
    if (size.width !== chart.width) {
      chart.setSize(size);
    }
  });
}
