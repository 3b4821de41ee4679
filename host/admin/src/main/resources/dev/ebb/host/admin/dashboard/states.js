"use strict";

/** The meaning of each state, in the order of an entry's life. */
const STATES = {
  creating: "announced",
  storing: "bytes arriving",
  active: "visible, not in use",
  reused: "being read",
  migrating: "moving",
  evicting: "being evicted",
  evicted: "since the start",
  expired: "time to live ended, since the start",
  removed: "replaced or deleted, since the start",
};

const STATE_COLUMNS = [
  { label: "State", words: true, text: ([state]) => state },
  { label: "", words: true, text: ([state]) => element("span", "soft", STATES[state] ?? "") },
  { label: "Entries", text: ([, count]) => whole(count) },
];

function drawStates({ keys }) {
  const inOrder = Object.entries(keys.states).sort((a, b) => lifeOrder(a) - lifeOrder(b));
  fillTable(document.getElementById("states-body"), STATE_COLUMNS, inOrder, "No entry yet.");
}

function lifeOrder([state]) {
  return Object.keys(STATES).indexOf(state);
}
