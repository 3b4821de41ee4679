"use strict";

const hasDisk = document.body.dataset.holds.split(" ").includes("disk");

const ofDisk = (name) => () => along((i, point) => point.disk?.[name] ?? null);

const REQUESTED = (point) => point.hits + point.misses;
const LOOKED_UP = (point) => point.prefixLookups;

/** Returns the share of requests of the last step that a count of the disk is, such as its hits. */
function diskShareAt(index, part, all) {
  const some = rateAt(index, (point) => point.disk?.[part]);
  const whole = rateAt(index, all);
  return some === null || whole === null || whole === 0 ? null : some / whole;
}

/** The charts of a server with a disk tier. */
const DISK_CHARTS = [
  {
    title: "Hits from the disk",
    caption: "Share of all requested values, and of all prefix lookups, that needed the disk",
    text: share,
    top: () => 1,
    lines: [
      {
        name: "hits",
        colour: "--line-0",
        fill: true,
        values: () => along((i) => diskShareAt(i, "hits", REQUESTED)),
      },
      {
        name: "prefix hits",
        colour: "--line-1",
        dash: [6, 3],
        values: () => along((i) => diskShareAt(i, "prefixHits", LOOKED_UP)),
      },
    ],
  },
  {
    title: "Disk reads",
    caption: "Time of a read, with the wait for a thread",
    text: lasting,
    logarithmic: true,
    lines: [
      { name: "p50", colour: "--line-0", values: ofDisk("readP50") },
      { name: "p99", colour: "--line-0", dash: [6, 3], values: ofDisk("readP99") },
    ],
  },
  {
    title: "Disk writes",
    caption: "Bytes written per second, with those of values that are kept",
    text: bytes,
    top: (largest) => roundTop(largest, 1024),
    lines: [
      {
        name: "written",
        colour: "--line-2",
        fill: true,
        values: () => along((i) => rateAt(i, (point) => point.disk?.writtenBytes)),
      },
    ],
  },
];

/** Converts the disk of a stats document to that of a point, with other counts of hits; null without one. */
function diskPointOf({ tiers }, hits) {
  const tier = tiers.find(({ disk }) => disk !== null);
  return (
    (tier ?? null) && {
      hits: tier.hits,
      ...hits,
      occupancy: tier.usedBytes / tier.capacityBytes,
      writtenBytes: tier.disk.writtenBytes,
      readP50: tier.disk.recentReadP50,
      readP99: tier.disk.recentReadP99,
    }
  );
}

const TIER_COLUMNS = [
  { label: "Tier", words: true, text: ({ name }) => name },
  { label: "State", words: true, text: ({ inUse, reason }) => (inUse ? "in use" : element("b", "failed", `out of use: ${reason}`)) },
  { label: "Used", text: ({ usedBytes, capacityBytes }) => `${bytes(usedBytes)} of ${bytes(capacityBytes)}` },
  { label: "Full", text: ({ usedBytes, capacityBytes }) => ratio(usedBytes / capacityBytes) },
  { label: "Values", text: ({ values }) => few(values) },
  { label: "Hits", text: ({ hits }) => few(hits) },
  { label: "Hit bytes", text: ({ hitBytes }) => bytes(hitBytes) },
  { label: "Misses", text: ({ misses }) => few(misses) },
];

/** What only the disk has: a name, a value and words below it. */
const DISK_FIGURES = [
  ["Written", ({ writtenBytes }) => bytes(writtenBytes), (disk) => `${bytes(disk.writtenBytesPerSecond)}/s now`],
  ["For each hit", ({ writtenBytesPerHit }) => bytes(writtenBytesPerHit), () => "bytes written"],
  ["Amplification", ({ writeAmplification }) => few(writeAmplification), () => "bytes written for a new byte"],
  ["Reads p50", ({ readP50 }) => lasting(readP50), ({ reads }) => `${few(reads)} since the start`],
  ["Reads p99", ({ readP99 }) => lasting(readP99), ({ lateReads }) => `${few(lateReads)} too late`],
  [
    "Regions reused",
    ({ reusedRegions }) => few(reusedRegions),
    ({ keptValues, droppedValues }) => `${few(keptValues)} kept, ${few(droppedValues)} dropped`,
  ],
  [
    "Not written",
    ({ rejectedValues, shedValues }) => few(rejectedValues + shedValues),
    ({ rejectedValues, shedValues }) => `${few(rejectedValues)} rejected, ${few(shedValues)} too slow`,
  ],
  ["Faults", ({ damagedValues, errors }) => few(damagedValues + errors), (disk) => faultsOf(disk)],
];

function faultsOf({ damagedValues, errors }) {
  return `${few(damagedValues)} damaged, ${counted(errors, "error", "errors")}`;
}

/** Returns words about the share of the disk now, or others without a disk. */
function diskShare(part, all, otherwise) {
  return hasDisk ? `of which disk ${ratio(diskShareAt(course.length - 1, part, all))}` : otherwise;
}

let fillDisk = null;

/** Draws the tiers of a server with a disk. */
function drawDisk({ tiers }) {
  if (!hasDisk) {
    return;
  }
  const { disk } = tiers.at(-1);
  document.getElementById("disk-file").textContent = disk.file;
  fillTable(document.getElementById("disk-body"), TIER_COLUMNS, tiers, "");
  fillDisk ??= drawTiles(document.getElementById("disk-tiles"), DISK_FIGURES);
  fillDisk(disk);
}
