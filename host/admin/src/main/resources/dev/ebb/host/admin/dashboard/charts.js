"use strict";

const share = (value) => known(value, (number) => ROUND_PERCENT.format(number));
const level = (name) => () => along((i, point) => point[name]);
const speed = (name) => () => along((i) => rateAt(i, (point) => point[name]));

/** The axis of a rate reaches at least 1/s, so that a low rate does not look high. */
const upToSpeed = (largest) => roundTop(largest, 1);

const CHARTS = {
  hits: {
    title: "Hit ratio",
    caption: "Requested values that existed, also with their prefix",
    text: share,
    top: () => 1,
    lines: [
      { name: "hits", colour: "--line-0", fill: true, values: () => along((i) => hitRatioAt(i)) },
      { name: "prefix hits", colour: "--line-1", dash: [6, 3], values: () => along((i) => prefixHitRatioAt(i)) },
    ],
  },
  occupancy: {
    title: "Occupancy",
    caption: "Eviction starts at the threshold and stops at the target",
    text: share,
    top: () => 1,
    lines: [
      { name: "in use", colour: "--line-2", fill: true, values: level("occupancy") },
      { name: "threshold", colour: "--warn", dash: [6, 4], values: level("threshold") },
      { name: "target", colour: "--soft", dash: [2, 3], values: level("target") },
    ],
  },
  left: {
    title: "Evictions by cause",
    caption: "Evicted and expired entries per second",
    text: perSecond,
    top: upToSpeed,
    lines: [
      { name: "background", colour: "--line-0", values: speed("background") },
      { name: "demand", colour: "--line-1", values: speed("demand") },
      { name: "fallback", colour: "--line-5", dash: [9, 3], values: speed("fallback") },
      { name: "expired", colour: "--line-4", dash: [2, 3], values: speed("expired") },
    ],
  },
  early: {
    title: "Premature evictions",
    caption: "Evicted entries that were requested again, per second",
    text: perSecond,
    top: upToSpeed,
    lines: [{ name: "requested again", colour: "--line-1", values: speed("prematureEvictions") }],
  },
  queue: {
    title: "Requests",
    caption: "Requests that run and wait, and how many may run",
    text: whole,
    top: (largest) => roundTop(largest, 1),
    lines: [
      { name: "running", colour: "--line-0", fill: true, values: level("running") },
      { name: "waiting", colour: "--line-1", values: level("waiting") },
      { name: "limit", colour: "--soft", dash: [2, 3], values: level("limit") },
    ],
  },
  tokenTimes: {
    title: "Token latency",
    caption: "Time to the first token, and between two tokens, in the last minute",
    text: lasting,
    logarithmic: true,
    lines: [
      { name: "first p50", colour: "--line-0", values: level("firstP50") },
      { name: "first p99", colour: "--line-0", dash: [6, 3], values: level("firstP99") },
      { name: "next p50", colour: "--line-3", values: level("interP50") },
      { name: "next p99", colour: "--line-3", dash: [6, 3], values: level("interP99") },
    ],
  },
  latency: {
    title: "Latency",
    caption: "Time to read or store a value, and of an eviction pass",
    text: lasting,
    logarithmic: true,
    lines: [
      { name: "reading p50", colour: "--line-0", values: level("readingP50") },
      { name: "reading p99", colour: "--line-0", dash: [6, 3], values: level("readingP99") },
      { name: "storing p50", colour: "--line-3", values: level("storingP50") },
      { name: "storing p99", colour: "--line-3", dash: [6, 3], values: level("storingP99") },
      { name: "evicting p99", colour: "--line-4", dash: [2, 3], values: level("evictingP99") },
    ],
  },
  commands: {
    title: "Commands",
    caption: "Client commands per second",
    text: perSecond,
    top: upToSpeed,
    lines: [{ name: "commands", colour: "--line-3", values: speed("commands") }],
  },
};

/** Creates the charts. Returns a function that redraws them. */
function drawCharts(place, charts) {
  const draws = charts.map((spec) => timeline(place, spec));
  return () => draws.forEach((draw) => draw());
}
