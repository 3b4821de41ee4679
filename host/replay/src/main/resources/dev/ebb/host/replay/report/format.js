"use strict";

const wholeNumber = new Intl.NumberFormat("en");
const shortNumber = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

function count(value) {
  return value === null ? UNKNOWN : wholeNumber.format(value);
}

function blocks(value) {
  return `${count(value)} ${value === 1 ? "block" : "blocks"}`;
}

/** Formats a number for an axis. */
function shortCount(value) {
  return value < 1000000 ? wholeNumber.format(value) : shortNumber.format(value);
}

function decimal(value, digits) {
  if (value === null) {
    return UNKNOWN;
  }
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "\u2212");
}

function percent(ratio, digits = 2) {
  return ratio === null ? UNKNOWN : `${decimal(ratio * 100, digits)}%`;
}

/** A share of the gap; far below LRU the gap is small beside the loss, and the share says nothing. */
function gapShare(ratio, digits) {
  return ratio !== null && ratio < -1 ? "< \u2212100%" : percent(ratio, digits);
}

/** A share to two significant digits at most, without trailing zeros: 5%, 0.25%. */
function share(part, whole) {
  return `${Number(((part * 100) / whole).toPrecision(2))}%`;
}

/** "a", "a and b", "a, b and c". */
function listed(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
