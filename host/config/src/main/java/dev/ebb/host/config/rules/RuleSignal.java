package dev.ebb.host.config.rules;

import dev.ebb.host.config.key.Setting;
import dev.ebb.host.units.ByteSize;
import dev.ebb.host.units.TimeSpan;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** The signal that a rule watches. */
public enum RuleSignal {
  /** The occupied share of the pool, or of one of its parts. */
  OCCUPANCY(Unit.SHARE, false),
  /** The time to evict as much as the pool holds, at the current rate. */
  TURNOVER(Unit.TIME, false),
  /** The share of requested blocks that had been evicted before. */
  PREMATURE_EVICTIONS(Unit.SHARE, false),
  /** The share of requested chunks of prompts that were resident with all before them. */
  PREFIX_HITS(Unit.SHARE, false),
  /** The memory that the machine has left for this process: a size. */
  AVAILABLE_MEMORY(Unit.SIZE, false),
  /** The requests that wait: for memory, or in the scheduler of an engine. */
  QUEUE_DEPTH(Unit.COUNT, false),
  /** The share of one model in the requested blocks. */
  MODEL_SHARE(Unit.SHARE, true),
  /** The share of one tenant in the requested blocks. */
  TENANT_SHARE(Unit.SHARE, true);

  private enum Unit {
    COUNT,
    SHARE,
    SIZE,
    TIME
  }

  private final Unit unit;
  private final boolean labelled;

  RuleSignal(Unit unit, boolean labelled) {
    this.unit = unit;
    this.labelled = labelled;
  }

  /**
   * Finds a signal by its name.
   *
   * @param word as {@link #word} returns it
   * @return empty if there is no such signal
   */
  public static Optional<RuleSignal> of(String word) {
    return Arrays.stream(values()).filter(signal -> signal.word().equals(word)).findFirst();
  }

  /** Returns whether a rule must name the label that it watches. */
  public boolean isLabelled() {
    return labelled;
  }

  /** Returns its name in the configuration: lower case with dashes. */
  public String word() {
    return Setting.name(this);
  }

  /**
   * Formats a value of it.
   *
   * @param value a count, ratio, bytes or seconds; infinite for never
   */
  public String text(double value) {
    return switch (unit) {
      case COUNT -> String.format(Locale.ROOT, "%,.0f", value);
      case SHARE -> String.format(Locale.ROOT, "%.1f %%", 100 * value);
      case SIZE -> ByteSize.format((long) value);
      case TIME -> Double.isInfinite(value) ? "never" : TimeSpan.format(value);
    };
  }

  /** Parses a bound: a count, ratio, bytes or seconds. */
  double bound(Setting setting) {
    return switch (unit) {
      case COUNT -> setting.integer(0, Integer.MAX_VALUE);
      case SHARE -> setting.share();
      case SIZE -> setting.bytes();
      case TIME -> setting.interval().toNanos() / 1e9;
    };
  }
}
