package dev.ebb.host.tokens.signals;

import dev.ebb.spi.Rotation;
import dev.ebb.spi.TokenPolicy.Signal;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The data that an inference engine provides while it computes; signals are made from it. Norms and
 * means of keys, values and their norms, need nothing: keys and values are in the pool. Nor does
 * the state that a policy writes.
 *
 * @param queries whether it provides the last queries of each layer
 * @param attention whether it provides the attention of every query of each layer
 * @param rotation the model's rotation, if the engine provides every unrotated query of each layer;
 *     otherwise null
 */
public record Observations(
    int queryHeads, boolean queries, boolean attention, @Nullable Rotation rotation) {

  public static final Observations NONE = new Observations(0, false, false);

  /**
   * Creates observations without unrotated queries.
   *
   * @param queries whether it provides the last queries of each layer
   * @param attention whether it provides the attention of every query of each layer
   */
  public Observations(int queryHeads, boolean queries, boolean attention) {
    this(queryHeads, queries, attention, null);
  }

  public Observations {
    if (queryHeads < 0) {
      throw new IllegalArgumentException(
          "query heads '%d' must be at least 0".formatted(queryHeads));
    }
  }

  /**
   * Returns the same with unrotated queries; {@link Rotation#NONE} if the model has no rotation.
   */
  public Observations withUnrotatedQueries(Rotation turned) {
    return new Observations(queryHeads, queries, attention, turned);
  }

  /** Returns the signals that cannot be made. */
  public Set<Signal> lacking(Collection<Signal> needed) {
    EnumSet<Signal> lacking = EnumSet.noneOf(Signal.class);
    for (Signal signal : needed) {
      boolean there =
          switch (signal) {
            case WINDOW_ATTENTION -> queries || attention;
            case ACCUMULATED_ATTENTION -> attention;
            case KEY_NORM, KEYS, KEY_MEAN, VALUE_NORM, VALUES, STATE -> true;
            case QUERY_MEAN, QUERY_COVARIANCE -> rotation != null;
          };
      if (!there) {
        lacking.add(signal);
      }
    }
    return lacking;
  }
}
