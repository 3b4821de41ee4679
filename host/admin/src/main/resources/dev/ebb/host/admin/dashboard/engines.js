"use strict";

/** The most sequences in the table. */
const MOST_SEQUENCES = 100;

const SEQUENCE_COLUMNS = [
  { label: "Sequence", text: ({ id }) => String(id) },
  { label: "Device", words: true, text: ({ device }) => device },
  { label: "Tokens", text: ({ tokens }) => whole(tokens) },
  { label: "Own blocks", text: ({ ownBlocks }) => whole(ownBlocks) },
  { label: "Cached", text: ({ cachedBlocks }) => whole(cachedBlocks) },
  { label: "Reserved", text: ({ reservedBlocks }) => whole(reservedBlocks) },
  { label: "Priority", text: ({ priority }) => String(priority) },
  { label: "Tenant", words: true, text: ({ tenant }) => tenant ?? UNKNOWN },
  { label: "State", words: true, text: ({ inUse, migrating }) => (migrating ? "moving" : inUse ? "in use" : "open") },
];

async function drawSequences() {
  const { pools } = await read("/api/v1/pool");
  const open = pools.flatMap(({ device, sequences }) => (sequences ?? []).map((each) => ({ device, ...each })));
  fillTable(document.getElementById("sequences-body"), SEQUENCE_COLUMNS, open.slice(0, MOST_SEQUENCES), "No sequence is open.");
  document.getElementById("sequences-caption").textContent =
    open.length > MOST_SEQUENCES ? `The first ${MOST_SEQUENCES} of ${whole(open.length)} open sequences.` : "Open sequences.";
}
