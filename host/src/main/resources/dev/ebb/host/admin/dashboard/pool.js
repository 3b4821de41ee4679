"use strict";

/** What a part of the pool is used for, in the order in which it is drawn. */
const USES = [
  ["held", "in use: pinned, being read, or not to be evicted now", (part) => part.usedBytes - part.evictableBytes],
  ["evictable", "may be evicted", (part) => part.evictableBytes],
  ["free", "free", (part) => part.capacityBytes - part.usedBytes],
];

/** A bar for each part of the pool, as long as the part is large. */
function drawPool({ pool, partitions, keys }) {
  const largest = Math.max(...partitions.map((part) => part.capacityBytes));
  document.getElementById("pool-caption").textContent =
    `${bytes(pool.capacityBytes)} in all; pinned: ${counted(keys.pinned, "entry", "entries")}, ${bytes(keys.pinnedBytes)}`;
  document.getElementById("pool-parts").replaceChildren(
    ...partitions.map((part) => {
      const words = USES.map(([, name, size]) => `${name}: ${bytes(Math.max(0, size(part)))}`).join("; ");
      const bar = element("div", "part-bar", ...USES.map((use) => partUse(use, part)));
      bar.style.width = `${(part.capacityBytes / largest) * 100}%`;
      bar.title = words;
      bar.setAttribute("role", "img");
      bar.setAttribute("aria-label", words);
      const name = element("p", "", element("b", "", part.tenant ?? part.name));
      name.append(` ${bytes(part.usedBytes)} of ${bytes(part.capacityBytes)}`);
      return element("div", "part", name, bar);
    }),
  );
}

function partUse([use, , size], part) {
  const piece = element("span", use);
  piece.style.width = `${(Math.max(0, size(part)) / part.capacityBytes) * 100}%`;
  return piece;
}

function drawPoolLegend() {
  const items = USES.map(([use, name]) => element("li", "", element("span", `patch ${use}`), name));
  document.getElementById("pool-legend").append(...items);
}
