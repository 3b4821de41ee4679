"use strict";

/** Policies by how often they are compared: each has the look of its place, so the first eight have a colour each. */
const PLACES = [
  "lru", "predictive", "sieve", "arc", "s3-fifo", "lfu", "fifo", "lirs",
  "w-tinylfu", "2q", "qdlp", "lecar", "gdsf", "clock", "slru", "t-lru",
  "marconi", "workload-aware", "lifetime", "priority", "ttl-lru", "retention",
];

/** Pairs of a colour and a shape. */
const LOOKS = COLOURS * SHAPES.length;

/** Maps each policy to its look, which is the same on every page, unless another one here has the same colour. */
function looksOf(policies) {
  const looks = new Map();
  const colours = new Set();
  for (const policy of policies.toSorted((a, b) => preferred(a) - preferred(b))) {
    let look = preferred(policy) % LOOKS;
    while (
      [...looks.values()].includes(look) || (colours.size < COLOURS && colours.has(look % COLOURS))
    ) {
      look = (look + 1) % LOOKS;
    }
    looks.set(policy, look);
    colours.add(look % COLOURS);
  }
  return looks;
}

/** Returns the look that a policy prefers. Those with a place come first. */
function preferred(policy) {
  const name = policy.replace(/\(.*/s, "");
  const place = PLACES.indexOf(name);
  return place >= 0 ? place : LOOKS + [...name].reduce((hash, c) => (31 * hash + c.codePointAt(0)) % 9973, 7);
}

/** Returns the colour, marker and dash of each policy. */
function makeLooks(reports) {
  const policies = [...new Set(reports.flatMap((report) => report.policies))];
  const candidates = new Set(reports.flatMap((report) => report.candidates ?? []));
  const twins = twinsOf(reports, policies);
  const places = looksOf(policies);
  const looks = new Map(
    policies.map((policy) => [
      policy,
      {
        key: policy,
        name: policy + (candidates.has(policy) ? " (candidate)" : "") + (twins.has(policy) ? ` = ${twins.get(policy)}` : ""),
        colour: `--line-${places.get(policy) % COLOURS}`,
        shape: SHAPES[places.get(policy) % SHAPES.length],
        dash: DASHES[Math.floor(places.get(policy) / COLOURS) % DASHES.length],
        width: candidates.has(policy) ? 3.5 : 1.75,
        isCandidate: candidates.has(policy),
      },
    ]),
  );
  if (reports.some((report) => report.runs.some((run) => run.optimumHitRatio !== null))) {
    looks.set(OPTIMUM, {
      key: OPTIMUM,
      name: "optimum",
      colour: "--ink",
      shape: null,
      dash: [7, 5],
      width: 1.75,
    });
  }
  return looks;
}

/** Maps each policy to lru if it has the same line everywhere, otherwise to the first such policy. */
function twinsOf(reports, policies) {
  const firsts = new Map();
  const twins = new Map();
  for (const policy of policies.toSorted((a, b) => (b === "lru") - (a === "lru"))) {
    const line = JSON.stringify(
      reports.map((report) =>
        report.capacities.map(
          (capacity) =>
            report.runs.find((run) => run.policy === policy && run.capacityBlocks === capacity)?.hits ?? null,
        ),
      ),
    );
    if (firsts.has(line)) {
      twins.set(policy, firsts.get(line));
    } else if (/\d/.test(line)) {
      firsts.set(line, policy);
    }
  }
  return twins;
}
