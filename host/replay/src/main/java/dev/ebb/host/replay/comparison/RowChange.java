package dev.ebb.host.replay.comparison;

import dev.ebb.host.replay.comparison.SavedReport.Range;
import dev.ebb.host.replay.comparison.SavedReport.Run;
import org.jspecify.annotations.Nullable;

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
   * Returns whether both runs have several seeds, and their ranges of hit ratios overlap: then the
   * change may be chance.
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
