"use strict";

/** Returns the colour, marker and dash of each policy, by order of appearance. */
function makeLooks(reports) {
  const policies = [...new Set(reports.flatMap((report) => report.policies))];
  const candidates = new Set(reports.flatMap((report) => report.candidates ?? []));
  const twins = twinsOf(reports, policies);
  const looks = new Map(
    policies.map((policy, i) => [
      policy,
      {
        key: policy,
        name: policy + (candidates.has(policy) ? " (candidate)" : "") + (twins.has(policy) ? ` = ${twins.get(policy)}` : ""),
        colour: `--line-${i % COLOURS}`,
        shape: SHAPES[i % SHAPES.length],
        dash: DASHES[Math.floor(i / COLOURS) % DASHES.length],
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
