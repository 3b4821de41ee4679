"use strict";

/** The side of a cell, and the distance between two cells, in pixels. */
const CELL = 12;
const PITCH = 14;

/** Returns how many cells fit into a line. */
function cellsInLine(place) {
  return Math.max(8, Math.floor((place.clientWidth + PITCH - CELL) / PITCH));
}

/**
 * Creates the map of a pool. It has one shape per layer, whatever the number of cells.
 *
 * returns the element, and a function that draws a picture with its layers
 */
function poolMap() {
  const ground = svg("path", { class: "ground" });
  const shapes = svg("g", {});
  const cursor = svg("rect", { class: "cursor", width: PITCH, height: PITCH });
  cursor.style.display = "none";
  const drawing = svg("svg", {}, ground, shapes, cursor);
  const place = element("div", "pool-map", drawing);
  place.tabIndex = 0;
  place.setAttribute("role", "img");
  let shown = null;
  let at = -1;

  const showCell = (x, y) => {
    const there = shown !== null && at >= 0 && at < shown.cells;
    cursor.style.display = there ? "" : "none";
    if (!there) {
      hideTip();
      return;
    }
    cursor.setAttribute("x", (at % shown.columns) * PITCH - 1);
    cursor.setAttribute("y", Math.floor(at / shown.columns) * PITCH - 1);
    if (x !== undefined) {
      showTip(x, y, ...cellWords(shown, at));
    }
  };
  const leave = () => {
    at = -1;
    showCell();
  };
  place.addEventListener("pointermove", (event) => {
    const box = drawing.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left) / PITCH);
    const line = Math.floor((event.clientY - box.top) / PITCH);
    at = shown === null || column < 0 || column >= shown.columns || line < 0 ? -1 : line * shown.columns + column;
    showCell(event.clientX, event.clientY);
  });
  place.addEventListener("pointerleave", leave);
  place.addEventListener("blur", leave);
  place.addEventListener("keydown", (event) => {
    if (shown === null) {
      return;
    }
    const { columns, cells } = shown;
    const sideways = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: cells - 1 };
    const moves = { ...sideways, ArrowUp: at - columns, ArrowDown: at + columns };
    if (!(event.key in moves)) {
      return;
    }
    event.preventDefault();
    at = Math.min(Math.max(0, moves[event.key]), cells - 1);
    const box = drawing.getBoundingClientRect();
    showCell(box.left + ((at % columns) + 1) * PITCH, box.top + (Math.floor(at / columns) + 1) * PITCH);
  });

  const draw = (picture, layers) => {
    const cells = picture.cells.length;
    const columns = Math.min(cells, cellsInLine(place));
    const lines = Math.ceil(cells / columns);
    shown = { picture, layers, cells, columns };
    drawing.setAttribute("width", columns * PITCH);
    drawing.setAttribute("height", lines * PITCH);
    drawing.setAttribute("viewBox", `-1 -1 ${columns * PITCH} ${lines * PITCH}`);
    setShape(ground, Array.from({ length: cells }, (_, i) => cellShape(i, columns, 0, ALL)).join(""));
    while (shapes.childElementCount < layers.length) {
      shapes.append(svg("path", {}));
    }
    const drawn = layerShapes(layers, cells, columns);
    [...shapes.children].forEach((shape, i) => {
      setShape(shape, drawn[i] ?? "");
      shape.style.fill = i < layers.length ? fillOf(layers[i]) : "";
    });
    showCell();
  };
  return { place, draw };
}

/** Sets the shape only if it has changed. */
function setShape(path, shape) {
  if (path.getAttribute("d") !== shape) {
    path.setAttribute("d", shape);
  }
}

/** Returns the part of a cell between two heights, in ninths from the bottom. */
function cellShape(i, columns, from, to) {
  const x = (i % columns) * PITCH;
  const y = Math.floor(i / columns) * PITCH + CELL - (to * CELL) / ALL;
  return `M${x} ${+y.toFixed(2)}h${CELL}v${+(((to - from) * CELL) / ALL).toFixed(2)}h-${CELL}z`;
}

/** Stacks the layers in each cell. If rounded shares exceed the cell, the last is cut. */
function layerShapes(layers, cells, columns) {
  const heights = new Array(cells).fill(0);
  return layers.map(({ shares, least = 0 }) => {
    let shape = "";
    for (let i = 0; i < shares.length; i++) {
      const from = heights[i];
      const share = Number(shares[i]);
      const to = Math.min(ALL, from + (share > 0 ? Math.max(least, share) : 0));
      if (to > from) {
        shape += cellShape(i, columns, from, to);
        heights[i] = to;
      }
    }
    return shape;
  });
}

/** Describes the content of a cell. */
function cellWords({ picture, layers }, i) {
  const first = i * picture.cellBlocks;
  const last = Math.min(picture.blocks, first + picture.cellBlocks) - 1;
  const held = layers.filter(({ shares }) => Number(shares[i] ?? 0) > 0);
  const rows = held.map((layer) => {
    const name = element("td", "", patchOf(layer), ` ${layer.words || layer.name}`);
    return element("tr", "", name, element("td", "", shareWords(layer.shares[i], last - first + 1)));
  });
  return [
    element("p", "", first === last ? `Block ${whole(first)}` : `Blocks ${whole(first)} to ${whole(last)}`),
    held.length > 0 ? element("table", "", element("tbody", "", ...rows)) : element("span", "", "free"),
  ];
}

function shareWords(digit, blocks) {
  if (blocks === 1) {
    return "";
  }
  return Number(digit) === ALL ? "all" : `about ${whole(Math.max(1, Math.round((Number(digit) * blocks) / ALL)))}`;
}

/** Returns a sample cell for the legend. */
function patchOf(layer) {
  const shape = svg("rect", { width: CELL, height: CELL, class: "patch" });
  if (layer.colour) {
    shape.style.fill = fillOf(layer);
  }
  return svg("svg", { width: PITCH, height: PITCH, viewBox: `-1 -1 ${PITCH} ${PITCH}`, "aria-hidden": "true" }, shape);
}
