package dev.ebb.host.tokens.signals;

import dev.ebb.spi.Rotation;
import dev.ebb.spi.TokenPolicy.Signal;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What an inference engine hands over while it computes, from which signals are made. Norms and
 * means of keys, and norms of values, need nothing: keys and values are in the pool.
 *
 * @param queryHeads query heads of a layer; 0: as many as KV heads
 * @param queries whether it hands over the last queries of each layer
 * @param attention whether it hands over the attention of every query of each layer
 * @param rotation how the model rotates, of an engine that hands over every query of each layer as
 *     it is before that; null: it does not
 */
public record Observations(
    int queryHeads, boolean queries, boolean attention, @Nullable Rotation rotation) {

  /** An engine that hands over nothing. */
  public static final Observations NONE = new Observations(0, false, false);

  /**
   * An engine that hands over no queries as they are before their rotation.
   *
   * @param queryHeads query heads of a layer; 0: as many as KV heads
   * @param queries whether it hands over the last queries of each layer
   * @param attention whether it hands over the attention of every query of each layer
   */
  public Observations(int queryHeads, boolean queries, boolean attention) {
    this(queryHeads, queries, attention, null);
  }

  /** Checks the number. */
  public Observations {
    if (queryHeads < 0) {
      throw new IllegalArgumentException(
          "query heads '%d' must be at least 0".formatted(queryHeads));
    }
  }

  /**
   * The same of an engine that also hands over every query of each layer as it is before its
   * rotation.
   *
   * @param turned how the model rotates; {@link Rotation#NONE} if it does not
   * @return a copy
   */
  public Observations withUnrotatedQueries(Rotation turned) {
    return new Observations(queryHeads, queries, attention, turned);
  }

  /**
   * Signals that cannot be made.
   *
   * @param needed what a policy needs
   * @return those of them that want more than is handed over
   */
  public Set<Signal> lacking(Collection<Signal> needed) {
    EnumSet<Signal> lacking = EnumSet.noneOf(Signal.class);
    for (Signal signal : needed) {
      boolean there =
          switch (signal) {
            case WINDOW_ATTENTION -> queries || attention;
            case ACCUMULATED_ATTENTION -> attention;
            case KEY_NORM, KEYS, KEY_MEAN, VALUE_NORM -> true;
            case QUERY_MEAN, QUERY_COVARIANCE -> rotation != null;
          };
      if (!there) {
        lacking.add(signal);
      }
    }
    return lacking;
  }
}
