package dev.ebb.host.replay;

import static dev.ebb.host.replay.ReplayTable.format;
import static dev.ebb.host.replay.ReplayTable.number;
import static dev.ebb.host.replay.ReplayTable.percent;

import dev.ebb.host.replay.tiers.TierUse;
import java.util.ArrayList;
import java.util.List;

/** What the memory and the disk of each run did, as rows of a table. */
final class TierTable {

  private static final List<String> HEADINGS =
      List.of(
          "tiers",
          "hit memory",
          "hit disk",
          "of one memory",
          "written",
          "of all",
          "hits/write",
          "evicted",
          "writes/day");

  private TierTable() {}

  static List<List<String>> rows(ReplayReport report, long capacity) {
    List<List<String>> rows = new ArrayList<>(List.of(HEADINGS));
    List<ReplayResult> runs = report.at(capacity);
    for (ReplayResult run : runs) {
      TierUse use = run.tiers();
      if (use != null && run.failure() == null) {
        rows.add(row(runs, run, use));
      }
    }
    return rows;
  }

  private static List<String> row(List<ReplayResult> runs, ReplayResult run, TierUse use) {
    double references = run.references();
    return List.of(
        run.policy(),
        percent(use.memoryHits() / references),
        percent(use.diskHits() / references),
        percent(run.hits() / hitsOfOneMemory(runs, use)),
        format("%,d", use.writtenBlocks()),
        percent(use.writtenBlocks() / writtenByAll(runs, use)),
        number("%.2f", use.hitsPerWrite()),
        format("%,d", use.diskEvictions()),
        number("%.2f", use.fullWritesPerDay()));
  }

  /** Returns the hits of the same policy in one memory of the size of both tiers. */
  private static double hitsOfOneMemory(List<ReplayResult> runs, TierUse use) {
    return runs.stream()
        .filter(run -> run.tiers() == null && run.policy().equals(use.policy()))
        .mapToDouble(ReplayResult::hits)
        .findFirst()
        .orElse(Double.NaN);
  }

  /** Returns what the same policies wrote without a choice. */
  private static double writtenByAll(List<ReplayResult> runs, TierUse use) {
    return runs.stream()
        .map(ReplayResult::tiers)
        .filter(other -> other != null && other.isBaselineOf(use))
        .mapToDouble(TierUse::writtenBlocks)
        .findFirst()
        .orElse(Double.NaN);
  }
}
