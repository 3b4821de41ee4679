"use strict";

/** The columns of the ranking: label, text of a policy, and whether it is prose. */
const RANKING_COLUMNS = [
  ["rank", (rank) => count(rank.rank)],
  ["mean rank", (rank) => decimal(rank.meanRank, 2)],
  ["best in", (rank) => `${count(rank.wins)} of ${count(rank.cases)}`],
  ["hit", (rank) => percent(rank.hitRatio) + mark(rank)],
  ["points over LRU", (rank) => signedPoints(rank.gain) + mark(rank)],
  ["gap closed", (rank) => gapShare(rank.gapClosed) + mark(rank)],
  ["worst case against LRU", (rank) => worstCase(rank), true],
];

/** Marks means without the cases in which the policy failed. */
function mark(rank) {
  return rank.failures > 0 ? "*" : "";
}

/** Shows the ranking of a suite. Returns a function that redraws what depends on the legend. */
function drawRanking(section, looks) {
  const script = document.querySelector("script.ranking");
  if (!script) {
    section.remove();
    return () => {};
  }
  const { suite, ranking } = JSON.parse(script.text);
  section.querySelector("h2").textContent = suite;
  section.querySelector(".lead").textContent = rankingInWords(ranking);
  rankingTable(section.querySelector(".ranking"), ranking, looks);
  shareTable(section.querySelector(".shares"), ranking, looks);
  section.hidden = false;
  const known = ranking.filter((rank) => rank.gapClosed !== null);
  const bars = () =>
    drawBars(
      section.querySelector(".bars"),
      known
        .filter((rank) => !hidden.has(rank.policy))
        .map((rank) => ({ look: looks.get(rank.policy), value: rank.gapClosed, text: gapShare(rank.gapClosed, 1) })),
      {
        low: Math.max(-1, Math.min(-0.05, ...known.map((rank) => rank.gapClosed))),
        high: 1,
        zeroText: "LRU",
        highText: "optimum",
      },
    );
  if (known.length === 0) {
    section.querySelector("figure").remove();
    return () => {};
  }
  return bars;
}

function rankingInWords(ranking) {
  const best = ranking.filter((rank) => rank.rank === 1 && rank.failures === 0).map((rank) => rank.policy);
  const [first] = ranking;
  if (best.length === 0) {
    return "Every policy failed in at least one case.";
  }
  const closed = first.gapClosed === null ? "" : ` It closes ${gapShare(first.gapClosed, 1)} of the gap between LRU and the optimum.`;
  return best.length === 1
    ? `${best[0]} is best: its mean rank in ${count(first.cases)} cases is ${decimal(first.meanRank, 2)}.${closed}`
    : `${listed(best)} are equally good: their mean rank in ${count(first.cases)} cases is ${decimal(first.meanRank, 2)}.`;
}

function rankingTable(table, ranking, looks) {
  table.tHead.rows[0].append(
    headOf("policy"),
    ...RANKING_COLUMNS.map(([label, , prose]) => headOf(label, prose)),
  );
  for (const rank of ranking) {
    const cells = RANKING_COLUMNS.map(([, text, prose]) => element("td", prose ? "words" : "", text(rank)));
    table.tBodies[0].append(element("tr", rank.failures > 0 ? "failed" : "", policyHead(rank, looks), ...cells));
  }
}

function shareTable(table, ranking, looks) {
  const traces = [...new Set(ranking.flatMap((rank) => rank.traces.map((share) => share.trace)))];
  table.tHead.rows[0].append(headOf("policy"), ...traces.map((trace) => headOf(trace)));
  for (const rank of ranking) {
    const cells = traces.map((trace) => {
      const share = rank.traces.find((each) => each.trace === trace);
      if (!share) {
        return element("td", "", UNKNOWN);
      }
      const text = share.gapClosed === null ? signedPoints(share.gain) : gapShare(share.gapClosed, 1);
      const cell = element("td", share.gain !== null && share.gain < 0 ? "lost" : "", text);
      cell.title = `mean rank ${decimal(share.meanRank, 2)}, ${signedPoints(share.gain)} points over LRU`;
      return cell;
    });
    table.tBodies[0].append(element("tr", "", policyHead(rank, looks), ...cells));
  }
}

function headOf(label, prose) {
  return headCell("col", prose ? "words" : "", label);
}

function policyHead(rank, looks) {
  return headCell("row", "", named(looks.get(rank.policy)));
}

function signedPoints(gain) {
  return gain === null ? UNKNOWN : `${gain > 0 ? "+" : ""}${decimal(gain * 100, 2)}`;
}

function worstCase(rank) {
  if (rank.failures > 0) {
    return `failed in ${count(rank.failures)} of ${count(rank.cases)} cases`;
  }
  const { worst } = rank;
  return worst === null ? UNKNOWN : `${signedPoints(worst.gain)} at ${blocks(worst.capacityBlocks)} of ${worst.trace}`;
}
