"use strict";

/** The number of lines of cells of all pools together. */
const MAP_LINES = 14;
const LEAST_LINES = 2;
const MOST_CELLS = 1024;

/** The shortest time between two reads of the map, in milliseconds, and the largest share of time for reading it. */
const MAP_PAUSE = 2000;
const MAP_SHARE = 0.05;

let poolSeen = false;
let nextPool = 0;

/** The maps on the page, one per pool. */
const poolParts = [];

/** Reads the map if it is visible and due. The first read always happens, so that the page gets its full length. */
async function followPool() {
  if ((!poolSeen && poolParts.length > 0) || document.hidden || performance.now() < nextPool) {
    return;
  }
  nextPool = Infinity;
  const started = performance.now();
  try {
    await drawPool();
  } finally {
    const now = performance.now();
    nextPool = now + Math.max(MAP_PAUSE, (now - started) / MAP_SHARE);
  }
}

async function drawPool() {
  const place = document.getElementById("pool-parts");
  const lines = Math.max(LEAST_LINES, Math.floor(MAP_LINES / Math.max(1, poolParts.length)));
  const cells = Math.min(MOST_CELLS, cellsInLine(place) * lines);
  const [{ pools }, { maps }] = await Promise.all([read("/api/v1/pool"), read(`/api/v1/pool/map?cells=${cells}`)]);
  const names = tenantNames(maps);
  const choice = document.getElementById("pool-by");
  choice.closest("label").hidden = names.length < 2;
  const byTenant = choice.value === "tenant" && names.length > 1;
  const layers = maps.map((map) => (byTenant ? tenantsOf(map, names) : usesOf(map)));
  while (poolParts.length < pools.length) {
    poolParts.push(poolPart(place));
  }
  poolParts.splice(pools.length).forEach((part) => part.remove());
  pools.forEach((pool, i) => poolParts[i].draw(pool, maps[i], layers[i]));
  const cell = Math.max(...maps.map((map) => map.cellBlocks));
  document.getElementById("pool-caption").textContent =
    `A cell is ${cellSize(cell, pools)}. Point at a cell, or use the arrow keys, to see its content.`;
  drawPoolLegend(pools, maps, layers);
}

function cellSize(cell, pools) {
  const size = [...new Set(pools.map(({ blockBytes }) => bytes(blockBytes)))].join(" or ");
  return cell === 1 ? `a block of ${size}` : `up to ${whole(cell)} blocks of ${size}; its filled part is in use`;
}

/** Returns the tenants with most memory, sorted by name so that their order is stable. */
function tenantNames(maps) {
  const blocks = new Map();
  maps.forEach(({ tenants }) => tenants.forEach((tenant) => blocks.set(tenant.name, (blocks.get(tenant.name) ?? 0) + tenant.blocks)));
  return [...blocks]
    .sort((a, b) => b[1] - a[1])
    .slice(0, COLOURS)
    .map(([name]) => name)
    .sort();
}

function poolPart(place) {
  const words = element("p", "");
  const map = poolMap();
  const part = element("div", "part", words, map.place);
  place.append(part);
  return {
    remove: () => part.remove(),
    draw: (pool, picture, layers) => {
      const name = element("b", "", pool.partition ?? pool.device);
      words.replaceChildren(name, ` ${poolWords(pool)}`);
      map.place.setAttribute("aria-label", `Map of the memory of ${name.textContent}: ${poolWords(pool)}`);
      map.draw(picture, layers);
    },
  };
}

function poolWords(pool) {
  const { blocks, freeBlocks, blockBytes, utilisation, largestFreeRun, fragmentation } = pool;
  const evictable = pool.evictableBytes ?? pool.evictableBlocks * blockBytes;
  return [
    `${bytes((blocks - freeBlocks) * blockBytes)} of ${bytes(blocks * blockBytes)} in use, ${ratio(utilisation)}`,
    `${bytes(evictable)} evictable`,
    `${counted(freeBlocks, "block", "blocks")} free, longest run ${whole(largestFreeRun)}`,
    `fragmentation ${ratio(fragmentation)} (free blocks in short runs)`,
  ].join("; ");
}

/** Draws the legend: each use with its memory. */
function drawPoolLegend(pools, maps, layers) {
  const sizes = new Map();
  const add = (layer, size) => sizes.set(layer.name, { layer, size: (sizes.get(layer.name)?.size ?? 0) + size });
  layers.forEach((of, i) => of.forEach((layer) => add(layer, layer.blocks * pools[i].blockBytes)));
  pools.forEach((pool) => add({ name: "free", words: "free" }, pool.freeBlocks * pool.blockBytes));
  document.getElementById("pool-legend").replaceChildren(
    ...[...sizes.values()].map(({ layer, size }) =>
      element("li", "", patchOf(layer), element("span", "", layer.words || keyText(layer.name)), element("b", "", bytes(size))),
    ),
  );
}

function startPool() {
  new IntersectionObserver((entries) => {
    poolSeen = entries.at(-1).isIntersecting;
  }).observe(document.getElementById("pool"));
  document.getElementById("pool-by").addEventListener("change", () => drawPool().catch(() => {}));
}
