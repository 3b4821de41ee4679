"use strict";

/** Number formats of the browser's language. */
const WHOLE = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const SHORT = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });
const COMPACT = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
const PERCENT = new Intl.NumberFormat(undefined, {
  style: "percent",
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const ROUND_PERCENT = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const HOUR = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const DAY = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric", hour: "2-digit", minute: "2-digit" });
const MOMENT = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

const SIZES = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];

/** Formats a value, or shows that it is unknown. */
function known(value, text) {
  return value === null || value === undefined || Number.isNaN(value) ? UNKNOWN : text(value);
}

function whole(value) {
  return known(value, (number) => WHOLE.format(number));
}

/** Formats a number with few digits: 0.123, 12.3, 12,345, 1.2M. */
function few(value) {
  return known(value, (number) =>
    Math.abs(number) < 100
      ? SHORT.format(number)
      : Math.abs(number) < 100000
        ? WHOLE.format(number)
        : COMPACT.format(number),
  );
}

function perSecond(value) {
  return known(value, (number) => `${few(number)}/s`);
}

function ratio(value) {
  return known(value, (number) => PERCENT.format(number));
}

function bytes(value) {
  return known(value, (number) => {
    const size = number < 1 ? 0 : Math.min(SIZES.length - 1, Math.floor(Math.log2(number) / 10));
    return `${SHORT.format(number / 1024 ** size)} ${SIZES[size]}`;
  });
}

/** Formats seconds in a suitable unit: 85 µs, 1.2 ms, 3.4 s, 5 min 6 s, 2 h 3 min, 4 d 5 h. */
function lasting(value) {
  return known(value, (seconds) => {
    if (seconds < 60) {
      const [factor, unit] = seconds === 0 || seconds >= 1 ? [1, "s"] : seconds >= 1e-3 ? [1e3, "ms"] : [1e6, "µs"];
      return `${SHORT.format(seconds * factor)} ${unit}`;
    }
    const [large, small, largeUnit, smallUnit] =
      seconds < 3600 ? [60, 1, "min", "s"] : seconds < 86400 ? [3600, 60, "h", "min"] : [86400, 3600, "d", "h"];
    const rest = Math.floor((seconds % large) / small);
    return `${WHOLE.format(Math.floor(seconds / large))} ${largeUnit}${rest > 0 ? ` ${rest} ${smallUnit}` : ""}`;
  });
}

function counted(number, one, many) {
  return `${whole(number)} ${number === 1 ? one : many}`;
}
