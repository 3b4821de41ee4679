"use strict";

/** The number of switches in the panel. */
const SWITCHES_SHOWN = 5;

const SWITCH_COLUMNS = [
  { label: "Switch", words: true, text: ({ name }) => element("span", "name", name) },
  { label: "Cause", words: true, text: ({ cause }) => element("span", "cause", cause) },
  { label: "Time", text: ({ time }) => soonText(new Date(time)) },
];

/** The policy switches that the server has reported, oldest first. */
let switches = [];

/** Reads the policy switches: to other policies, to other JARs of a policy, and rollbacks. */
async function readSwitches() {
  const { history } = await read("/api/v1/plugins/history");
  switches = history
    .filter(({ published, cause }) => published && cause !== "start")
    .map(({ time, cause, from, to }) => ({ time: Date.parse(time), name: switchName(cause, from, to), cause }));
  // The charts have no space for all names.
  const latest = switches.slice(-SWITCHES_SHOWN).reverse();
  fillTable(document.getElementById("switches"), SWITCH_COLUMNS, latest, "The policy has not been switched since the start.");
}

function switchName(cause, from, to) {
  const name = from.policy === to.policy && to.version ? `${to.policy} ${to.version}` : to.policy;
  return cause === "rollback" ? `${name} (rollback)` : name;
}
