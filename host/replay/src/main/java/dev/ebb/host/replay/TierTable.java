package dev.ebb.host.replay;

import static dev.ebb.host.replay.ReplayTable.format;
import static dev.ebb.host.replay.ReplayTable.number;
import static dev.ebb.host.replay.ReplayTable.percent;
import static java.util.Objects.requireNonNull;

import dev.ebb.host.replay.tiers.TierUse;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;

/** What the memory and the disk of each run did, as rows of a table. */
final class TierTable {

  private static final List<String> HEADINGS =
      List.of(
          "tiers",
          "hit memory",
          "hit disk",
          "of one memory",
          "by block",
          "written",
          "of all",
          "amplification",
          "hits/write",
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
    double oneMemory =
        first(
            runs,
            other -> other.tiers() == null && other.policy().equals(use.policy()),
            ReplayResult::hits);
    double byBlock = first(runs, tiers(other -> other.isByBlockOf(use)), ReplayResult::hits);
    double all =
        first(
            runs,
            tiers(other -> other.isBaselineOf(use)),
            other -> requireNonNull(other.tiers()).allWrites());
    return List.of(
        run.policy(),
        percent(use.memoryHits() / references),
        percent(use.diskHits() / references),
        percent(run.hits() / oneMemory),
        use.regionBlocks() == 0 ? "-" : percent(run.hits() / byBlock),
        format("%,d", use.allWrites()),
        percent(use.allWrites() / all),
        number("%.3f", use.writeAmplification()),
        number("%.2f", use.hitsPerWrite()),
        number("%.2f", use.fullWritesPerDay()));
  }

  private static Predicate<ReplayResult> tiers(Predicate<TierUse> matches) {
    return run -> run.tiers() != null && matches.test(run.tiers());
  }

  private static double first(
      List<ReplayResult> runs,
      Predicate<ReplayResult> matches,
      ToDoubleFunction<ReplayResult> value) {
    return runs.stream().filter(matches).mapToDouble(value).findFirst().orElse(Double.NaN);
  }
}
