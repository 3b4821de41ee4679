"use strict";

function fit() {
  // The bar must not cover the target of a link.
  document.documentElement.style.scrollPaddingTop = `${document.getElementById("bar").offsetHeight + 8}px`;
  fitCharts();
}

/** Uses the light theme and the paper's width for printing. */
function followPaper() {
  addEventListener("beforeprint", () => {
    setTheme("light");
    document.body.classList.add("paper");
    fit();
  });
  addEventListener("afterprint", () => {
    document.body.classList.remove("paper");
    screenTheme();
    fit();
  });
}

function drawMeanings(place) {
  for (const column of COLUMNS) {
    const meaning = element("dd", "", column.means);
    meaning.id = meaningId(column);
    place.append(element("div", "", element("dt", "", column.label), meaning));
  }
}

showReport(() => {
  const reports = readReports();
  const looks = makeLooks(reports);
  const main = document.querySelector("main");
  const nav = document.querySelector("#bar nav");
  drawMeanings(document.getElementById("meanings"));
  document.title += `: ${reports.map((report) => report.trace).join(", ")}`;

  const redraws = reports.map((report, i) => {
    const section = document.getElementById("trace-template").content.firstElementChild.cloneNode(true);
    section.id = `trace-${i + 1}`;
    main.append(section);
    const link = element("a", "", report.trace);
    link.href = `#${section.id}`;
    nav.append(link);
    return report.failure === null ? drawTrace(section, report, looks) : drawFailure(section, report);
  });
  redraws.push(drawRanking(document.getElementById("ranking"), looks));
  drawMemory(document.getElementById("memory"), looks);
  nav.hidden = reports.length < 2;
  drawLegend(document.getElementById("legend"), looks, () => redraws.forEach((redraw) => redraw()));
  followPaper();
}, fit);
