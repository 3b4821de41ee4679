"use strict";

const SVG = "http://www.w3.org/2000/svg";

/**
 * The uses of a block, from the bottom of a cell to its top: a description, a colour, a texture for
 * readers who cannot distinguish the colours, and the least height in a cell.
 */
const USES = {
  pinned: { words: "pinned by an operator", colour: "--line-1", texture: "plain", least: 3 },
  reading: { words: "being read", colour: "--line-6", texture: "rows" },
  passing: { words: "arriving, or removed and still being read", colour: "--line-5", texture: "slant" },
  small: { words: "shared by small values", colour: "--line-2", texture: "dots" },
  value: { words: "evictable value", colour: "--line-0", texture: "plain" },
  owned: { words: "owned by one sequence", colour: "--line-1", texture: "rows" },
  shared: { words: "prefix in use by open sequences", colour: "--line-6", texture: "plain" },
  migrating: { words: "moving to another device", colour: "--line-5", texture: "slant" },
  reserved: { words: "reserved", colour: "--line-2", texture: "dots" },
  cached: { words: "cached prefix, evictable", colour: "--line-0", texture: "plain" },
};

/** Tenants differ in colour and texture. */
const TENANT_TEXTURES = ["plain", "rows", "slant", "dots"];

/** The digit for all blocks of a cell. */
const ALL = 9;

const TEXTURES = {
  plain: "",
  rows: "M0 2H4",
  slant: "M-1 1L1 -1M0 4L4 0M3 5L5 3",
  dots: "M1.2 2H2.8",
};

function svg(name, attributes, ...children) {
  const made = document.createElementNS(SVG, name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
  made.append(...children);
  return made;
}

const fills = new Map();

/** Returns a fill of this colour and texture; creates each only once. */
function fillOf({ colour, texture }) {
  if (!TEXTURES[texture]) {
    return `var(${colour})`;
  }
  const id = `fill${colour}-${texture}`;
  if (!fills.has(id)) {
    const ground = svg("rect", { width: 4, height: 4 });
    ground.style.fill = `var(${colour})`;
    const marks = svg("path", { d: TEXTURES[texture], class: "texture" });
    fills.set(id, svg("pattern", { id, width: 4, height: 4, patternUnits: "userSpaceOnUse" }, ground, marks));
    document.getElementById("fills").append(fills.get(id));
  }
  return `url(#${id})`;
}

/** Returns the layers by use: name, description, colour, blocks, and a digit for each cell. */
function usesOf({ uses, shares }) {
  return Object.keys(USES)
    .filter((use) => use in uses)
    .map((use) => ({ name: use, ...USES[use], blocks: uses[use], shares: shares[use] }));
}

/** Returns the layers by tenant, and one for all other used blocks. */
function tenantsOf(picture, names) {
  const layers = names.map((name, i) => {
    const held = picture.tenants.find((tenant) => tenant.name === name);
    return {
      name,
      words: "",
      colour: `--line-${i % COLOURS}`,
      texture: TENANT_TEXTURES[i % TENANT_TEXTURES.length],
      blocks: held?.blocks ?? 0,
      shares: held?.shares ?? "",
    };
  });
  const known = layers.reduce((sum, { blocks }) => sum + blocks, 0);
  const shares = [...picture.shares.free].map((free, i) =>
    Math.max(0, ALL - Number(free) - layers.reduce((sum, layer) => sum + Number(layer.shares[i] ?? 0), 0)),
  );
  const rest = { colour: "--edge", texture: "plain", blocks: picture.blocks - picture.uses.free - known, shares: shares.join("") };
  return [...layers, { name: "rest", words: "other tenants, shared or unknown", ...rest }];
}
