"use strict";

/** The time span of the charts, in seconds. */
const COURSE_SECONDS = 15 * 60;

/** The time between two points, and the span of a rate or ratio, in seconds. */
const STEP_SECONDS = 2;
const SPAN_SECONDS = 6;

/** The points of the last minutes, oldest first. */
const course = [];

/** Replaces the points by those of the server's history. */
function setCourse(points) {
  course.length = 0;
  points.forEach(addToCourse);
}

/** Adds a point. Returns whether the points have changed. */
function addToCourse(sample) {
  const point = { ...sample, time: Date.parse(sample.time) };
  const last = course.at(-1);
  if (last && point.uptimeSeconds < last.uptimeSeconds) {
    // The server was restarted, and its counters began at zero.
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

/** Converts what all stats documents have to a point of /api/v1/history: levels, and counters since the start. */
function commonPointOf({ server, policy, pool, evictions }) {
  return {
    time: server.time,
    uptimeSeconds: server.uptimeSeconds,
    policy: policy.name,
    occupancy: pool.occupancy,
    threshold: pool.threshold,
    target: pool.target,
    evicted: evictions.entries,
    background: evictions.background,
    demand: evictions.demand,
    prematureEvictions: evictions.prematureEvictions,
  };
}

/** Returns the index of the point at which the span of a rate starts. */
function before(index, spanSeconds) {
  let from = Math.max(0, index - 1);
  while (from > 0 && course[index].time - course[from].time < spanSeconds * 1000) {
    from--;
  }
  return from;
}

/** Returns the growth of a counter per second at a point; null at the first point. */
function rateAt(index, counter, spanSeconds = SPAN_SECONDS) {
  const from = before(index, spanSeconds);
  const seconds = (course[index].time - course[from].time) / 1000;
  const grown = counter(course[index]) - counter(course[from]);
  return seconds > 0 && Number.isFinite(grown) ? grown / seconds : null;
}

/** Returns the hit ratio at a point; null if there were no requests. */
function hitRatioAt(index, spanSeconds = SPAN_SECONDS) {
  const hits = rateAt(index, (point) => point.hits, spanSeconds);
  const misses = rateAt(index, (point) => point.misses, spanSeconds);
  return hits === null || hits + misses === 0 ? null : hits / (hits + misses);
}

/** Returns the share of looked-up chunks that were resident with all before them; null if there were none. */
function prefixHitRatioAt(index, spanSeconds = SPAN_SECONDS) {
  const lookups = rateAt(index, (point) => point.prefixLookups, spanSeconds);
  return lookups > 0 ? rateAt(index, (point) => point.prefixHits, spanSeconds) / lookups : null;
}

/** Returns a value for each point. */
function along(valueAt) {
  return course.map((point, index) => valueAt(index, point));
}

/** Returns the policy switches in the charts; those not reported yet are found in the points. */
function policyChanges() {
  const known = (switches.at(-1)?.time ?? 0) + SPAN_SECONDS * 1000;
  const latest = course
    .filter((point, i) => i > 0 && point.policy !== course[i - 1].policy && point.time > known)
    .map((point) => ({ time: point.time, name: point.policy }));
  return [...switches.filter(({ time }) => time >= (course[0]?.time ?? 0)), ...latest];
}
