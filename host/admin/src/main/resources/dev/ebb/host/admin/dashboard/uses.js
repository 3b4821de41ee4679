"use strict";

const SVG = "http://www.w3.org/2000/svg";

/**
 * What a block may be used for, from the bottom of a cell to its top: in words, its colour, a
 * texture that tells it apart where the colour does not, and how much of a cell it takes at least if
 * it has any of its blocks.
 */
const USES = {
  pinned: { words: "pinned by an operator", colour: "--line-1", texture: "plain", least: 3 },
  reading: { words: "being read", colour: "--line-6", texture: "rows" },
  passing: { words: "arriving, or still read though it has left", colour: "--line-5", texture: "slant" },
  small: { words: "small values share it", colour: "--line-2", texture: "dots" },
  value: { words: "a value, may be evicted", colour: "--line-0", texture: "plain" },
  owned: { words: "one sequence’s own", colour: "--line-1", texture: "rows" },
  shared: { words: "a prefix that open sequences use", colour: "--line-6", texture: "plain" },
  migrating: { words: "moving to another device", colour: "--line-5", texture: "slant" },
  reserved: { words: "taken ahead of its use", colour: "--line-2", texture: "dots" },
  cached: { words: "a cached prefix that nobody uses", colour: "--line-0", texture: "plain" },
};

/** Tenants have no words of their own, so that colours and textures differ all the more. */
const TENANT_TEXTURES = ["plain", "rows", "slant", "dots"];

/** The digit that stands for all blocks of a cell. */
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

/** A fill of this colour and texture, the same for whoever asks for it again. */
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

/** The layers of a picture by use: name, words, look, blocks, and a digit for each cell. */
function usesOf({ uses, shares }) {
  return Object.keys(USES)
    .filter((use) => use in uses)
    .map((use) => ({ name: use, ...USES[use], blocks: uses[use], shares: shares[use] }));
}

/** The same by tenant, and what is in use by nobody known, or by one of too many. */
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
  return [...layers, { name: "rest", words: "shared, others’, or not known whose", ...rest }];
}
