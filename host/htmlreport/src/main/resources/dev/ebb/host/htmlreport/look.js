"use strict";

/** Colours are custom properties --line-0 to --line-7 of the style sheet, safe for the colour-blind. */
const COLOURS = 8;

/**
 * Shapes around (0, 0), for canvas and SVG alike. Seven, so that with eight colours no pair repeats
 * before the 57th policy.
 */
const SHAPES = [
  "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z",
  "M-3.5 -3.5H3.5V3.5H-3.5Z",
  "M0 -4.6L4.4 3.4H-4.4Z",
  "M0 -5L5 0L0 5L-5 0Z",
  "M0 4.6L4.4 -3.4H-4.4Z",
  "M-1.3 -4.5H1.3V-1.3H4.5V1.3H1.3V4.5H-1.3V1.3H-4.5V-1.3H-1.3Z",
  "M0 -5L1.3 -1.6L4.9 -1.5L2 0.6L3 4.1L0 2L-3 4.1L-2 0.6L-4.9 -1.5L-1.3 -1.6Z",
];

const DASHES = [[], [2, 3], [9, 3, 2, 3]];

/** Returns the value of a custom property in the present theme. */
function themed(property) {
  return getComputedStyle(document.documentElement).getPropertyValue(property).trim();
}

/** Returns a sample of a policy's line. */
function swatch(look) {
  const svg = document.getElementById("swatch-template").content.firstElementChild.cloneNode(true);
  svg.style.setProperty("--colour", `var(${look.colour})`);
  svg.querySelector("line").setAttribute("stroke-dasharray", look.dash.join(" "));
  svg.querySelector("path").setAttribute("d", look.shape ?? "");
  return svg;
}

/** Returns a policy's name with a sample of its line. */
function named(look) {
  return element("span", "named", swatch(look), element("span", "", look.name));
}
