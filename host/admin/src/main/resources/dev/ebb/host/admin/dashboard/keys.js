"use strict";

/** The number of characters at the end of a long key that are always shown, if it has no hash. */
const KEY_TAIL = 16;

/** A hash in a key: between @, as in keys of LMCache, or of many digits. */
const HASH = /(?<=@)[0-9a-f]{8,}(?=@)|(?<![0-9a-z])[0-9a-f]{16,}(?![0-9a-z])/i;

/** The longest hash that is shown whole, and the number of its first characters that are always shown. */
const WHOLE_HASH = 16;
const HASH_START = 12;

/**
 * Shows a key. A long key is cut where many keys are alike: around its hash, or before its end. The
 * title has the whole key.
 */
function keyText(text) {
  const shown = element("span", "key", ...(text.length > 2 * KEY_TAIL ? keyParts(text) : [text]));
  shown.title = text;
  return shown;
}

function keyParts(text) {
  const hash = HASH.exec(text);
  if (!hash) {
    return [element("span", "key-start", text.slice(0, -KEY_TAIL)), text.slice(-KEY_TAIL)];
  }
  const start = hash.index;
  const end = start + hash[0].length;
  const split = hash[0].length > WHOLE_HASH ? start + HASH_START : end;
  return [
    element("span", "key-start", text.slice(0, start)),
    text.slice(start, split),
    element("span", "key-rest", text.slice(split, end)),
    element("span", "key-end", text.slice(end)),
  ];
}

/** Shows a moment briefly: only the time if it is today. The title has the date. */
function soonText(moment) {
  const today = moment.toDateString() === new Date().toDateString();
  const shown = element("span", "", (today ? HOUR : DAY).format(moment));
  shown.title = MOMENT.format(moment);
  return shown;
}
