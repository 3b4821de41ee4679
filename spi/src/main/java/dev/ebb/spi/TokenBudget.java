package dev.ebb.spi;

import dev.ebb.spi.TokenPolicy.Granularity;
import dev.ebb.spi.TokenPolicy.Signal;
import java.util.Set;

/**
 * A strategy that divides the kept tokens of a sequence among its layers, and among the KV heads of
 * each. It works with any {@link TokenPolicy} whose kept sets are fine enough.
 *
 * <p>A budget that reads signals rates every layer first, with {@link #preference}. Then {@link
 * #share} says how many tokens of each layer stay. The heads of a layer keep equally many, unless
 * {@link #floor} lets them compete. Stateless, as a token policy.
 *
 * @since 1.7.0
 */
public interface TokenBudget extends AutoCloseable {

  /**
   * Returns the coarsest kept sets that the budget can divide tokens among.
   *
   * @return {@link Granularity#SEQUENCE} if all layers and heads keep equally many, {@link
   *     Granularity#LAYER} if layers differ, {@link Granularity#KV_HEAD} if heads do
   */
  Granularity granularity();

  /**
   * Returns the signals that {@link #preference} reads. It is called only if there are any.
   *
   * @return the signals, without {@link Signal#STATE}
   */
  default Set<Signal> signals() {
    return Set.of();
  }

  /**
   * Returns how many queries {@link Signal#WINDOW_ATTENTION} should cover; asked once.
   *
   * @return at least 1
   */
  default int window() {
    return 1;
  }

  /**
   * Rates how much a layer would gain from more tokens.
   *
   * @param view the sequence, or a part of it. A layer whose heads differ in length is shown head
   *     by head; the mean counts
   * @param layer 0 to {@code view.layers() - 1}
   * @return a finite number
   */
  default double preference(TokenView view, int layer) {
    return 1;
  }

  /**
   * Returns how many tokens a layer keeps. The host limits it to the layer's tokens.
   *
   * @param tokens how many tokens to keep, on average over the layers
   * @param length the layer's tokens now
   * @param guarded how many of them are protected
   * @param layer 0 to {@code preferences.length - 1}
   * @param preferences the preference of each layer of the model; all 1 without signals. Must not
   *     be changed
   * @return tokens of each head, on average over the layer's heads
   */
  int share(double tokens, int length, int guarded, int layer, double[] preferences);

  /**
   * Returns how many tokens every head of a layer keeps at least. The others stay in those heads in
   * which they score highest.
   *
   * @param keep tokens of each head, on average over the layer's heads
   * @return 0 to {@code keep}; {@code keep} if all heads keep equally many
   */
  default int floor(int keep) {
    return keep;
  }

  /** Frees what the budget holds. A second call does nothing, and no other call follows. */
  @Override
  default void close() {}
}
