"use strict";

const inCluster = document.body.dataset.holds.split(" ").includes("cluster");

const copies = (name) => () => along((i, point) => point.cluster?.[name] ?? null);

/** Returns the share of reads without a local value that another node or a replica answered. */
function remoteHitRatioAt(index) {
  const hits = rateAt(index, (point) => point.cluster?.remoteHits);
  const misses = rateAt(index, (point) => point.cluster?.remoteMisses);
  return hits === null || misses === null || hits + misses === 0 ? null : hits / (hits + misses);
}

/** The charts of a node of a cluster. */
const CLUSTER_CHARTS = [
  {
    title: "Remote hit ratio",
    caption: "Values that were not resident here, but in the cluster",
    text: share,
    top: () => 1,
    lines: [{ name: "remote hits", colour: "--line-0", fill: true, values: () => along((i) => remoteHitRatioAt(i)) }],
  },
  {
    title: "Replication lag",
    caption: "Age of the oldest value without a replica for which a node has room",
    text: lasting,
    top: (largest) => roundTop(largest, 1),
    lines: [{ name: "lag", colour: "--line-2", fill: true, values: copies("replicationLagSeconds") }],
  },
  {
    title: "Missing copies",
    caption: "Values that the loss of a node or rack could remove",
    text: few,
    top: (largest) => roundTop(largest, 1),
    lines: [
      { name: "under-replicated", colour: "--warn", values: copies("underReplicated") },
      { name: "on one rack", colour: "--line-4", dash: [6, 3], values: copies("rackUnsafe") },
      { name: "being copied", colour: "--soft", dash: [2, 3], values: copies("pendingReplications") },
    ],
  },
];

/** Converts the statistics of a cluster to those of a point; null without a cluster. */
function clusterPointOf(stats) {
  return (
    stats && {
      remoteHits: stats.remoteHits,
      remoteMisses: stats.remoteMisses,
      replicationLagSeconds: stats.replicationLagMillis / 1000,
      pendingReplications: stats.pendingReplications,
      underReplicated: stats.underReplicated,
      rackUnsafe: stats.rackUnsafe,
    }
  );
}

/** The nodes on the page by name, each with a function that fills it in. */
const nodeParts = new Map();
let topology = "";

/** Reads the cluster and draws its nodes by zone and rack. */
async function drawCluster() {
  if (!inCluster) {
    return;
  }
  const [cluster, { nodes }] = await Promise.all([read("/api/v1/cluster"), read("/api/v1/cluster/nodes")]);
  const { stats } = cluster;
  document.getElementById("cluster-name").textContent = cluster.name;
  document.getElementById("cluster-caption").textContent = [
    `${counted(cluster.values, "value", "values")} on ${counted(nodes.length, "node", "nodes")}.`,
    `${cluster.self.name}, this node: replication lag ${lasting(stats.replicationLagMillis / 1000)},`,
    `${counted(stats.underReplicated, "value", "values")} under-replicated,`,
    `${whole(stats.rackUnsafe)} with all copies on one rack,`,
    `${counted(stats.fetches, "value", "values")} fetched from other nodes in ${lasting(stats.fetchMicrosMean / 1e6)} on average.`,
  ].join(" ");
  const now = JSON.stringify(nodes.map(({ name, zone, rack }) => [name, zone, rack]));
  if (now !== topology) {
    topology = now;
    nodeParts.clear();
    document.getElementById("cluster-zones").replaceChildren(...groups(nodes, "zone").map(zonePart));
  }
  const busiest = Math.max(...nodes.map((node) => node.commandsPerSecond));
  nodes.forEach((node) => nodeParts.get(node.name)(node, busiest));
}

/** Groups nodes by zone or rack: [[name, nodes]], sorted by name. */
function groups(nodes, by) {
  const names = [...new Set(nodes.map((node) => node[by]))].sort();
  return names.map((name) => [name, nodes.filter((node) => node[by] === name)]);
}

function zonePart([zone, nodes]) {
  const racks = element("div", "racks", ...groups(nodes, "rack").map(rackPart));
  return element("section", "zone", element("h3", "", "Zone ", element("b", "", zone)), racks);
}

function rackPart([rack, nodes]) {
  return element("section", "rack", element("h4", "", "Rack ", element("b", "", rack)), ...nodes.map(nodePart));
}

function nodePart({ name, self, resp }) {
  const state = element("span", "state");
  const change = element("button", "button");
  change.type = "button";
  const pool = meter("Main store", "--line-2");
  const replicas = meter("Replicas", "--line-1");
  const load = meter("Load", "--line-3");
  const title = element("b", "name", name);
  title.title = name;
  const head = element("header", "", title, state, change);
  const place = element("p", "soft", self ? `${resp}, this node` : resp);
  const part = element("article", "node", head, place, pool.part, replicas.part, load.part);
  nodeParts.set(name, (node, busiest) => {
    part.dataset.state = node.state;
    state.textContent = node.state;
    change.textContent = node.state === "active" ? "Drain…" : "Activate";
    change.setAttribute("aria-label", `${node.state === "active" ? "Drain" : "Activate"} ${name}`);
    change.onclick = () => (node.state === "active" ? drainNode(name, change) : activateNode(name, change));
    pool.draw(node.usedBytes / node.capacityBytes, `${bytes(node.usedBytes)} of ${bytes(node.capacityBytes)}`);
    replicas.draw(
      node.replicaUsedBytes / node.replicaCapacityBytes,
      `${bytes(node.replicaUsedBytes)} of ${bytes(node.replicaCapacityBytes)}`,
    );
    load.draw(node.commandsPerSecond / busiest, perSecond(node.commandsPerSecond));
  });
  return part;
}

/** A labelled bar that shows a fill level from 0 to 1, with words. */
function meter(label, colour) {
  const fill = element("span", "fill");
  fill.style.background = `var(${colour})`;
  const bar = element("span", "bar", fill);
  bar.setAttribute("role", "meter");
  bar.setAttribute("aria-label", label);
  bar.setAttribute("aria-valuemin", "0");
  bar.setAttribute("aria-valuemax", "100");
  const words = element("span", "words", "");
  return {
    part: element("div", "meter", element("span", "", label), bar, words),
    draw: (level, text) => {
      const percent = Number.isFinite(level) ? Math.min(100, Math.max(0, 100 * level)) : 0;
      fill.style.width = `${percent}%`;
      bar.setAttribute("aria-valuenow", Math.round(percent));
      bar.setAttribute("aria-valuetext", text);
      words.textContent = text;
    },
  };
}

async function drainNode(name, button) {
  const words = "It continues to serve, and hands its values over to the other nodes. Then it can be stopped without a loss.";
  if (await openDialog({ title: `Drain ${name}?`, content: [element("p", "", words)], yes: "Drain" })) {
    await changeNode(name, "drain", button, `${name} hands its values over.`);
  }
}

function activateNode(name, button) {
  return changeNode(name, "activate", button, `${name} is active.`);
}

function changeNode(name, action, button, done) {
  return doAndSay("cluster-answer", button, async () => {
    await call("POST", `/api/v1/cluster/nodes/${encodeURIComponent(name)}/${action}`, {});
    await drawCluster();
    return done;
  });
}
