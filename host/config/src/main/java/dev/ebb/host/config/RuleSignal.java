package dev.ebb.host.config;

import dev.ebb.host.units.ByteSize;
import dev.ebb.host.units.TimeSpan;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What a rule watches. */
public enum RuleSignal {
  /** Memory in use of the pool, or of one of its parts, of all of it: a share. */
  OCCUPANCY(Unit.SHARE, false),
  /** How long it takes, as it goes now, to evict as much as the pool holds: a length of time. */
  TURNOVER(Unit.TIME, false),
  /** What was asked for and had been evicted, of all that was asked for: a share. */
  PREMATURE_EVICTIONS(Unit.SHARE, false),
  /** Memory that the machine has left for this process: a size. */
  AVAILABLE_MEMORY(Unit.SIZE, false),
  /** What was asked for of one model, of all that was asked for: a share. */
  MODEL_SHARE(Unit.SHARE, true),
  /** The same of one tenant. */
  TENANT_SHARE(Unit.SHARE, true);

  private enum Unit {
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
   * Finds one by its word.
   *
   * @param word as {@link #word} gives it
   * @return what it stands for; empty if this release knows none of that word
   */
  public static Optional<RuleSignal> of(String word) {
    return Arrays.stream(values()).filter(signal -> signal.word().equals(word)).findFirst();
  }

  /**
   * Whether a rule has to say whose it watches.
   *
   * @return true if it goes by a label
   */
  public boolean isLabelled() {
    return labelled;
  }

  /**
   * The word for it in the configuration.
   *
   * @return lower case with dashes
   */
  public String word() {
    return Setting.name(this);
  }

  /**
   * Writes a value of it.
   *
   * @param value a ratio, bytes or seconds; infinite for what does not happen
   * @return with its unit
   */
  public String text(double value) {
    return switch (unit) {
      case SHARE -> String.format(Locale.ROOT, "%.1f %%", 100 * value);
      case SIZE -> ByteSize.format((long) value);
      case TIME -> Double.isInfinite(value) ? "never" : TimeSpan.format(value);
    };
  }

  /** Reads a bound: a ratio, bytes or seconds. */
  double bound(Setting setting) {
    return switch (unit) {
      case SHARE -> setting.share();
      case SIZE -> setting.bytes();
      case TIME -> setting.interval().toNanos() / 1e9;
    };
  }
}
