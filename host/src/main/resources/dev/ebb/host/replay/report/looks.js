"use strict";

/** One look for each policy on the whole page, by order of appearance. */
function makeLooks(reports) {
  const policies = [...new Set(reports.flatMap((report) => report.policies))];
  const looks = new Map(
    policies.map((policy, i) => [
      policy,
      {
        key: policy,
        name: policy,
        colour: `--line-${i % COLOURS}`,
        shape: SHAPES[i % SHAPES.length],
        dash: DASHES[Math.floor(i / COLOURS) % DASHES.length],
        width: 1.75,
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
