"use strict";

const GROUP_COLUMNS = [
  { label: "Group", words: true, text: ({ group, kind }) => `${group}: ${kind}` },
  { label: "Model", words: true, text: ({ model }) => keyText(model) },
  { label: "Used", text: ({ usedBytes }) => bytes(usedBytes) },
  { label: "Objects", text: ({ objects }) => few(objects) },
  { label: "Evicted", text: ({ evicted }) => few(evicted) },
];

/** Draws the object groups of hybrid models; hidden if there are none. */
function drawGroups({ hybrid }) {
  document.getElementById("groups").hidden = hybrid === null;
  if (hybrid === null) {
    return;
  }
  document.getElementById("groups-caption").textContent = [
    `No prompt can use ${bytes(hybrid.uselessBytes)} of ${bytes(hybrid.usedBytes)}.`,
    `Evicted alone: ${counted(hybrid.thinned, "object", "objects")}; as unusable: ${counted(hybrid.useless, "chunk", "chunks")}.`,
    `Hits lost because an object of another group was missing: ${few(hybrid.lostHits)}.`,
  ].join(" ");
  fillTable(document.getElementById("groups-body"), GROUP_COLUMNS, hybrid.groups, "");
}
