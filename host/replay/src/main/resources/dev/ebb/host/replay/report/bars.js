"use strict";

/**
 * Horizontal bars from a zero line, best first.
 *
 * rows: [{look, value, text}]
 * scale: {low, high, lowText, zeroText, highText}; a bar that would leave it is cut and marked
 */
function drawBars(place, rows, scale) {
  const position = (value) => ((value - scale.low) / (scale.high - scale.low)) * 100;
  const bars = [...rows]
    .sort((a, b) => b.value - a.value)
    .map(({ look, value, text }) => {
      const end = Math.min(scale.high, Math.max(scale.low, value));
      const bar = element("div", end === value ? "bar" : "bar cut");
      bar.style.left = `${position(Math.min(0, end))}%`;
      bar.style.width = `${Math.abs(position(end) - position(0))}%`;
      bar.style.setProperty("--colour", `var(${look.colour})`);
      return [named(look), track(position(0), bar), element("span", "value", text)];
    });
  const zero = element("span", "", scale.zeroText);
  zero.style.left = `${position(0)}%`;
  const high = element("span", "end", scale.highText);
  const axis = element("div", "bar-axis", zero, high);
  place.classList.toggle("to-optimum", scale.highText === "optimum");
  place.replaceChildren(...bars.flat(), element("span", ""), axis, element("span", ""));
}

function track(zeroPosition, bar) {
  const zeroLine = element("div", "zero");
  zeroLine.style.left = `${zeroPosition}%`;
  return element("div", "track", bar, zeroLine);
}

/** Draws the share of the gap that each policy closes; the hit ratios if there is no gap. */
function gapBars(report, capacity, looks, title, caption, place) {
  const ranked = ranking(report, capacity);
  const shown = ranked.filter((run) => !hidden.has(run.policy));
  if (ranked.some((run) => run.gapClosed !== null)) {
    title.textContent = `Gap closed at ${blocks(capacity)}`;
    caption.textContent = "0% is LRU, 100% the optimum; negative is worse than LRU";
    drawBars(
      place,
      shown.map((run) => ({ look: looks.get(run.policy), value: run.gapClosed, text: gapShare(run.gapClosed, 1) })),
      {
        low: Math.max(-1, Math.min(-0.05, ...ranked.map((run) => run.gapClosed))),
        high: 1,
        zeroText: "LRU",
        highText: "optimum",
      },
    );
    return;
  }
  title.textContent = `Hit ratio at ${blocks(capacity)}`;
  if (ranked.length === 0) {
    caption.textContent = report.references === 0 ? "No block was requested" : "Every run at this capacity failed";
    place.replaceChildren();
    return;
  }
  caption.textContent =
    optimumAt(report, capacity) === null
      ? "The optimum is unknown"
      : "LRU is as good as the optimum here";
  const high = niceTop(Math.max(0, ...ranked.map((run) => run.hitRatio)));
  drawBars(
    place,
    shown.map((run) => ({ look: looks.get(run.policy), value: run.hitRatio, text: percent(run.hitRatio) })),
    { low: 0, high, zeroText: "0%", highText: percent(high, 0) },
  );
}
