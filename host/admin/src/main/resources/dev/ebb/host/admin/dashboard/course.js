"use strict";

/** What the charts show, in seconds. */
const COURSE_SECONDS = 15 * 60;

/** Time between two points, and what a rate or a ratio at a point is taken over, in seconds. */
const STEP_SECONDS = 2;
const SPAN_SECONDS = 6;

/** The last minutes, as points in the order of time. */
const course = [];

/** Starts anew with what the process remembers. */
function setCourse(points) {
  course.length = 0;
  points.forEach(addToCourse);
}

/** Returns whether the course has changed. */
function addToCourse(told) {
  const point = { ...told, time: Date.parse(told.time) };
  const last = course.at(-1);
  if (last && point.uptimeSeconds < last.uptimeSeconds) {
    // Another process: its counters have begun at zero.
    course.length = 0;
  } else if (last && point.time - last.time < STEP_SECONDS * 900) {
    return false;
  }
  course.push(point);
  while (course[0].time < point.time - COURSE_SECONDS * 1000) {
    course.shift();
  }
  return true;
}

/** The point that a rate at another one is counted from. */
function before(index, spanSeconds) {
  let from = Math.max(0, index - 1);
  while (from > 0 && course[index].time - course[from].time < spanSeconds * 1000) {
    from--;
  }
  return from;
}

/** How fast a counter grows at a point; null at the first one. */
function rateAt(index, counter, spanSeconds = SPAN_SECONDS) {
  const from = before(index, spanSeconds);
  const seconds = (course[index].time - course[from].time) / 1000;
  const grown = counter(course[index]) - counter(course[from]);
  return seconds > 0 && Number.isFinite(grown) ? grown / seconds : null;
}

/** The share of hits at a point; null where nothing was asked for. */
function hitRatioAt(index, spanSeconds = SPAN_SECONDS) {
  const hits = rateAt(index, (point) => point.hits, spanSeconds);
  const misses = rateAt(index, (point) => point.misses, spanSeconds);
  return hits === null || hits + misses === 0 ? null : hits / (hits + misses);
}

/** A value for each point. */
function along(valueAt) {
  return course.map((point, index) => valueAt(index, point));
}

/** Where another policy became active. */
function policyChanges() {
  return course
    .filter((point, i) => i > 0 && point.policy !== course[i - 1].policy)
    .map((point) => ({ time: point.time, policy: point.policy }));
}
