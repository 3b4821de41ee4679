"use strict";

/** The number of points that smoothing averages. */
const SMOOTHING = 9;

/** Shows why a trace could not be replayed. */
function drawFailure(section, report) {
  const heading = section.querySelector('[data-part="name"]');
  heading.textContent = report.trace;
  section.replaceChildren(heading, element("p", "notice", `This trace could not be replayed: ${report.failure}`));
  return () => {};
}

/** Draws the section of one trace; returns a function that redraws what depends on the legend. */
function drawTrace(section, report, looks) {
  const part = (name) => section.querySelector(`[data-part="${name}"]`);
  part("name").textContent = report.trace;
  drawResults(part("results"), report);
  part("lead").textContent = summaryOf(report);
  drawFacts(part("facts"), report);
  drawNotice(part("notice"), report);
  verdictTable(part("verdict").tBodies[0], report, looks);
  part("runs-region").setAttribute("aria-label", `All runs of ${report.trace}`);
  const showRuns = runTable(part("runs"), report, looks);

  let capacity = report.capacities[Math.floor((report.capacities.length - 1) / 2)];
  let courseChart = null;
  const byCapacity = part("by-capacity");
  if (report.capacities.length > 1) {
    capacityChart(byCapacity, part("by-capacity-caption"), report, looks);
  } else {
    byCapacity.remove();
  }

  const bars = () =>
    gapBars(report, capacity, looks, part("gap-title"), part("gap-caption"), part("gap").querySelector(".bars"));
  const course = () => {
    if (courseChart) {
      dropChart(courseChart);
    }
    courseChart = overTheCourse(
      part("over-time"),
      part("over-time-caption"),
      report,
      capacity,
      looks,
      part("smooth").checked,
    );
  };
  const runs = () => showRuns(part("chosen-only").checked ? capacity : null);
  const all = () => [bars, course, runs].forEach((draw) => draw());
  part("smooth").addEventListener("change", course);
  part("chosen-only").addEventListener("change", runs);
  chooseCapacity(part("capacities"), report, capacity, (chosen) => {
    capacity = chosen;
    all();
  });
  if (report.capacities.length > 0) {
    all();
  }
  return bars;
}

function drawFacts(place, report) {
  const facts = [
    ["requests", count(report.requests)],
    ["block references", count(report.references)],
    ["distinct blocks", count(report.distinctBlocks)],
    ["tokens per block", count(report.blockTokens)],
    ["model", report.model],
  ];
  const repeated = report.runs.find((run) => run.spread !== null);
  if (repeated) {
    facts.push(["seeds", count(repeated.spread.seeds)]);
  }
  place.append(...facts.map(([name, value]) => element("div", "", element("dt", "", name), element("dd", "", value))));
}

function drawNotice(place, report) {
  const failed = report.runs.filter((run) => run.failure !== null).length;
  const notices = [];
  if (report.skippedLines > 0) {
    notices.push(`Omitted malformed lines: ${count(report.skippedLines)}.`);
  }
  if (failed > 0) {
    notices.push(`${failed} of ${report.runs.length} runs failed; the reasons are in the table of all runs.`);
  }
  place.textContent = notices.join(" ");
  place.hidden = notices.length === 0;
}

function capacityChart(figure, caption, report, looks) {
  const { capacities } = report;
  const log = capacities.at(-1) / capacities[0] >= 10;
  const ratioOf = (policy) => (capacity) =>
    report.runs.find((run) => run.policy === policy && run.capacityBlocks === capacity)?.hitRatio ?? null;
  const lines = report.policies.map((policy) => [looks.get(policy), capacities.map(ratioOf(policy))]);
  const optimum = capacities.map((capacity) => optimumAt(report, capacity));
  if (optimum.some((ratio) => ratio !== null)) {
    lines.push([looks.get(OPTIMUM), optimum]);
  }
  caption.textContent = "Share of requested blocks that were resident";
  const plot = figure.querySelector(".plot");
  describe(plot, `Lines: hit ratio of each policy over capacity, on ${report.trace}`);
  lineChart(plot, {
    tables: lines.map(([, ratios]) => [capacities, ratios]),
    looks: lines.map(([look]) => look),
    xTitle: log ? "capacity (blocks, logarithmic)" : "capacity (blocks)",
    xRange: log ? [capacities[0] / 1.12, capacities.at(-1) * 1.12] : [0, capacities.at(-1) * 1.05],
    log,
    zoom: false,
    heading: (capacity) => capacityInWords(report, capacity),
    markerStep: 1,
  });
}

function overTheCourse(figure, caption, report, capacity, looks, smooth) {
  const runs = report.runs.filter((run) => run.capacityBlocks === capacity && run.series.length > 0);
  const step = Math.max(0, ...runs.map((run) => run.requestsPerStep));
  const points = Math.max(0, ...runs.map((run) => run.series.length));
  caption.textContent = `At ${capacityInWords(report, capacity)}; a point for every ${count(step)} ${step === 1 ? "request" : "requests"}`;
  const plot = figure.querySelector(".plot");
  describe(plot, `Lines: hit ratio of each policy over time, on ${report.trace}, at ${blocks(capacity)}`);
  return lineChart(plot, {
    tables: runs.map((run) => {
      const ratios = smooth ? smoothed(run.series) : [...run.series];
      if (run.failure !== null) {
        // There are no values after the run stopped.
        ratios.push(null);
      }
      return [ratios.map((ratio, i) => i * run.requestsPerStep), ratios];
    }),
    looks: runs.map((run) => looks.get(run.policy)),
    xTitle: "requests served",
    xRange: [0, Math.max(1, report.requests)],
    log: false,
    zoom: true,
    heading: (request) => (smooth ? `around request ${count(request + 1)}` : `from request ${count(request + 1)} on`),
    markerStep: Math.max(1, Math.ceil(points / 9)),
  });
}

/** Returns the mean over the neighbours on both sides, of fewer at the ends. */
function smoothed(series) {
  const reach = (SMOOTHING - 1) / 2;
  return series.map((own, i) => {
    const near = series.slice(Math.max(0, i - reach), i + reach + 1).filter((ratio) => ratio !== null);
    return own === null ? null : near.reduce((sum, ratio) => sum + ratio, 0) / near.length;
  });
}

function chooseCapacity(fieldset, report, chosen, changed) {
  const group = `capacity-${document.querySelectorAll(".trace").length}`;
  for (const capacity of report.capacities) {
    const radio = element("input");
    radio.type = "radio";
    radio.name = group;
    radio.checked = capacity === chosen;
    radio.addEventListener("change", () => changed(capacity));
    const label = element("label", "chip", radio, element("span", "", count(capacity)));
    if (report.distinctBlocks) {
      label.append(element("small", "", share(capacity, report.distinctBlocks)));
    }
    fieldset.append(label);
  }
  fieldset.hidden = report.capacities.length < 2;
}

function describe(plot, text) {
  plot.setAttribute("role", "img");
  plot.setAttribute("aria-label", `${text}. Arrow keys read the values; the table of all runs has every number.`);
}
