package dev.ebb.host.signals;

import dev.ebb.spi.TokenPolicy.Signal;
import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;

/**
 * What an inference engine hands over while it computes, from which signals are made. Norms and
 * means of keys need nothing: the keys are in the pool.
 *
 * @param queryHeads query heads of a layer; 0: as many as KV heads
 * @param queries whether it hands over the last queries of each layer
 * @param attention whether it hands over the attention of every query of each layer
 */
public record Observations(int queryHeads, boolean queries, boolean attention) {

  /** An engine that hands over nothing. */
  public static final Observations NONE = new Observations(0, false, false);

  /** Checks the number. */
  public Observations {
    if (queryHeads < 0) {
      throw new IllegalArgumentException(
          "query heads '%d' must be at least 0".formatted(queryHeads));
    }
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
            case KEY_NORM, KEYS, KEY_MEAN -> true;
          };
      if (!there) {
        lacking.add(signal);
      }
    }
    return lacking;
  }
}
