package dev.ebb.host.replay.comparison;

import dev.ebb.host.errors.UserError;
import dev.ebb.host.replay.comparison.SavedReport.Range;
import dev.ebb.host.replay.comparison.SavedReport.Run;
import dev.ebb.host.replay.comparison.SavedReport.Trace;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The comparison of two saved reports.
 *
 * @param rows one for each policy and capacity of either report, by trace and capacity
 */
public record ReportComparison(SavedReport base, SavedReport current, List<RowChange> rows) {

  private record Key(String trace, String model, String policy, long capacityBlocks) {
    static Key of(Run run) {
      return new Key(run.trace(), run.model(), run.policy(), run.capacityBlocks());
    }
  }

  public ReportComparison {
    rows = List.copyOf(rows);
  }

  /**
   * Compares two reports.
   *
   * @throws UserError if they are of different traces
   */
  public static ReportComparison of(SavedReport base, SavedReport current) {
    checkTraces(base, current);
    Map<Key, Run> before = byKey(base);
    Map<Key, Run> after = byKey(current);
    List<Key> keys = new ArrayList<>(before.keySet());
    after.keySet().stream().filter(key -> !before.containsKey(key)).forEach(keys::add);
    List<String> traces = keys.stream().map(Key::trace).distinct().toList();
    return new ReportComparison(
        base,
        current,
        keys.stream()
            .sorted(
                Comparator.comparingInt((Key key) -> traces.indexOf(key.trace()))
                    .thenComparing(Key::model)
                    .thenComparingLong(Key::capacityBlocks))
            .map(key -> change(key, before.get(key), after.get(key)))
            .toList());
  }

  private static RowChange change(Key key, @Nullable Run before, @Nullable Run after) {
    return new RowChange(
        key.trace(), key.model(), key.policy(), key.capacityBlocks(), before, after);
  }

  private static Map<Key, Run> byKey(SavedReport report) {
    return report.runs().stream()
        .collect(
            Collectors.toMap(Key::of, run -> run, (first, again) -> first, LinkedHashMap::new));
  }

  private static void checkTraces(SavedReport base, SavedReport current) {
    boolean common = false;
    for (Trace before : base.traces()) {
      for (Trace after : current.traces()) {
        if (Objects.equals(before.trace(), after.trace())) {
          common = true;
          same(base, current, before, after, "requests", before.requests(), after.requests());
          same(base, current, before, after, "references", before.references(), after.references());
          same(
              base,
              current,
              before,
              after,
              "distinctBlocks",
              before.distinctBlocks(),
              after.distinctBlocks());
        }
      }
    }
    if (!common) {
      throw new UserError(
          "reports '%s' and '%s' have no trace in common: %s, and %s; replay the same trace for both"
              .formatted(base.name(), current.name(), names(base), names(current)));
    }
  }

  private static void same(
      SavedReport base,
      SavedReport current,
      Trace before,
      Trace after,
      String field,
      @Nullable Long first,
      @Nullable Long second) {
    boolean replayed = before.failure() == null && after.failure() == null;
    if (replayed && !Objects.equals(first, second)) {
      throw new UserError(
          "reports '%s' and '%s' are of different traces: '%s' has %s of '%s' in one and '%s' in the other; replay the same trace with the same --limit, --seed and --model"
              .formatted(base.name(), current.name(), before.trace(), field, first, second));
    }
  }

  private static String names(SavedReport report) {
    return report.traces().stream()
        .map(trace -> "'%s'".formatted(trace.trace()))
        .collect(Collectors.joining(", ", "[", "]"));
  }

  /**
   * Returns the rows that are worse than allowed.
   *
   * @param points the lowest change of a hit ratio allowed, in percentage points
   */
  public List<RowChange> below(double points) {
    return rows.stream().filter(row -> row.below(points)).toList();
  }

  /** Returns how many rows are in such a state. */
  public long count(RowChange.State state) {
    return rows.stream().filter(row -> row.state() == state).count();
  }

  /**
   * The change of one policy at one capacity from a base report to another.
   *
   * @param base its run in the base report, null if it is missing there
   * @param current its run in the other report, null if it is missing there
   */
  public record RowChange(
      String trace,
      String model,
      String policy,
      long capacityBlocks,
      @Nullable Run base,
      @Nullable Run current) {

    /** The reports that have the row. */
    public enum State {
      /** Both, so that it can be compared, unless a run failed. */
      BOTH,
      /** Only the current report. */
      NEW,
      /** Only the base report. */
      MISSING
    }

    /** Returns which reports have the row. */
    public State state() {
      if (base == null) {
        return State.NEW;
      }
      return current == null ? State.MISSING : State.BOTH;
    }

    /**
     * Returns the change of the hit ratio: percentage points; NaN if one of the runs is missing or
     * failed.
     */
    public double hitPoints() {
      Double before = base == null ? null : base.hitRatio();
      Double after = current == null ? null : current.hitRatio();
      return before == null || after == null ? Double.NaN : (after - before) * 100;
    }

    /**
     * Returns whether both runs have several seeds, and their ranges of hit ratios overlap: then
     * the change may be chance.
     */
    public boolean withinSpread() {
      if (base == null || current == null || base.spread() == null || current.spread() == null) {
        return false;
      }
      Range before = base.spread().hitRatio();
      Range after = current.spread().hitRatio();
      return before.min() != null
          && before.max() != null
          && after.min() != null
          && after.max() != null
          && before.min() <= after.max()
          && after.min() <= before.max();
    }

    /**
     * Returns whether the row is worse than allowed.
     *
     * @param points the lowest change allowed, in percentage points
     * @return true too if the run is missing from the current report, or failed only there
     */
    public boolean below(double points) {
      return switch (state()) {
        case NEW -> false;
        case MISSING -> true;
        case BOTH -> hitPoints() < points || (hasNumbers(base) && !hasNumbers(current));
      };
    }

    private static boolean hasNumbers(@Nullable Run run) {
      return run != null && run.hitRatio() != null;
    }
  }
}
