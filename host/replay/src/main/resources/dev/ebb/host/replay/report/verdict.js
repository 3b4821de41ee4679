"use strict";

/** Shows the result of each candidate policy. */
function drawResults(place, report) {
  const verdicts = report.verdicts ?? [];
  place.replaceChildren(...verdicts.map((verdict) => element("li", "", verdict.text)));
  place.hidden = verdicts.length === 0;
}

/** Describes which policy is best, and how much of the gap it closes. */
function summaryOf(report) {
  const decided = report.capacities.filter((capacity) => ranking(report, capacity).length > 0);
  if (report.runs.length === 0) {
    return "No policy was replayed.";
  }
  if (report.references === 0) {
    return "No request of this trace has a block.";
  }
  if (decided.length === 0) {
    return "Every run failed; the reasons are in the table below.";
  }
  return [bestPolicies(report, decided), gapClosedText(report, decided)].filter(Boolean).join(" ");
}

function bestPolicies(report, capacities) {
  if (report.policies.length === 1) {
    return `Only ${report.policies[0]} was replayed.`;
  }
  const best = capacities.map((capacity) => leaders(report, capacity).map((run) => run.policy));
  const everywhere = report.policies.filter((policy) => best.every((names) => names.includes(policy)));
  const where = capacitiesText(capacities);
  if (everywhere.length > 0) {
    return everywhere.length === 1
      ? `${everywhere[0]} is best ${where}.`
      : `${some(everywhere)} are equally good and best ${where}.`;
  }
  const alone = best.filter((names) => names.length === 1).map(([name]) => name);
  const wins = report.policies
    .map((policy) => [policy, alone.filter((name) => name === policy).length])
    .filter(([, times]) => times > 0)
    .sort((a, b) => b[1] - a[1])
    .map(([policy, times], i) =>
      i === 0 ? `${policy} leads at ${times} of ${best.length} capacities` : `${policy} at ${times}`,
    );
  const ties = best.length - alone.length;
  if (ties > 0) {
    wins.push(`${ties} ${ties === 1 ? "capacity is" : "capacities are"} tied`);
  }
  return `No policy is best everywhere: ${listed(wins)}.`;
}

function capacitiesText(capacities) {
  if (capacities.length === 1) {
    return `at ${blocks(capacities[0])}`;
  }
  return capacities.length === 2 ? "at both capacities" : `at all ${capacities.length} capacities`;
}

function gapClosedText(report, capacities) {
  const closed = capacities.map((capacity) => leaders(report, capacity)[0].gapClosed).filter((gap) => gap !== null);
  if (closed.length === 0) {
    return capacities.some((capacity) => optimumAt(report, capacity) !== null)
      ? "LRU is as good as the optimum here."
      : "The optimum is unknown.";
  }
  const won = closed.filter((gap) => gap > 0);
  if (won.length === 0) {
    return "No policy is better than LRU.";
  }
  const least = percent(Math.min(...won), 1);
  const most = percent(Math.max(...won), 1);
  const range = least === most ? most : `${least} to ${most}`;
  const lost = closed.length - won.length;
  const rest = lost > 0 ? ` At ${lost} of ${closed.length} capacities no policy is better than LRU.` : "";
  return `The best policy closes ${range} of the gap between LRU and the optimum, which knows the future.${rest}`;
}

/** Returns the first names, and the number of the others. */
function some(names) {
  return names.length <= 3 ? listed(names) : `${names.slice(0, 2).join(", ")} and ${names.length - 2} more`;
}

/** Fills a row for each capacity: the best policy and the optimum. */
function verdictTable(body, report, looks) {
  for (const capacity of report.capacities) {
    const best = leaders(report, capacity);
    const head = headCell("row", "", count(capacity));
    if (report.distinctBlocks) {
      head.append(element("small", "", share(capacity, report.distinctBlocks)));
    }
    const names = element("td", "words");
    if (best.length === 0) {
      names.textContent = report.references === 0 ? UNKNOWN : "all failed";
    } else {
      names.append(named(looks.get(best[0].policy)));
      if (best.length > 1) {
        const more = element("small", "", `and ${best.length - 1} more`);
        more.title = listed(best.map((run) => run.policy));
        names.append(more);
      }
    }
    const numbers = [
      percent(best[0]?.hitRatio ?? null),
      percent(optimumAt(report, capacity)),
      gapShare(best[0]?.gapClosed ?? null, 1),
    ];
    body.append(element("tr", "", head, names, ...numbers.map((text) => element("td", "", text))));
  }
}
