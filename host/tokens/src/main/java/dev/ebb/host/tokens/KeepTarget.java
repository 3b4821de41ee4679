package dev.ebb.host.tokens;

import dev.ebb.host.errors.UserError;
import dev.ebb.spi.TokenBudget;

/**
 * The number of tokens of a sequence to keep: a size, which is safer, or a share of the current
 * ones.
 */
public final class KeepTarget {

  private final double share;
  private final int size;

  private KeepTarget(double share, int size) {
    this.share = share;
    this.size = size;
  }

  /**
   * Returns a number of tokens, which also applies if more are protected.
   *
   * @throws UserError if it is less
   */
  public static KeepTarget ofSize(int tokens) {
    if (tokens < 1) {
      throw new UserError("'%d' tokens to keep must be at least 1".formatted(tokens));
    }
    return new KeepTarget(Double.NaN, tokens);
  }

  /**
   * Returns a share of the tokens, and at least the protected ones.
   *
   * @param share 0 to 1
   * @throws UserError if it is out of range
   */
  public static KeepTarget ofShare(double share) {
    if (!(share >= 0 && share <= 1)) {
      throw new UserError(
          "the share of tokens to keep, '%s', must be from 0 to 1".formatted(share));
    }
    return new KeepTarget(share, 0);
  }

  /** Returns the requested number before it is rounded, 0 to the length. */
  double tokens(int length) {
    return Double.isNaN(share) ? Math.min(size, length) : length * share;
  }

  /** Limits a number of tokens to the target, 0 to the length. */
  int within(int count, int length, int guarded) {
    int least = Double.isNaN(share) ? 0 : Math.min(guarded, length);
    return Math.clamp(count, least, length);
  }

  /**
   * Returns the number of kept tokens in each set of a layer.
   *
   * @param layer 0 to {@code preferences.length - 1}
   * @return 0 to the length, on average over the layer's sets
   */
  public int keep(TokenBudget budget, int length, int guarded, int layer, double[] preferences) {
    return within(
        budget.share(tokens(length), length, guarded, layer, preferences), length, guarded);
  }

  /** Returns whether it is a number of tokens. */
  public boolean isSize(int tokens) {
    return Double.isNaN(share) && size == tokens;
  }

  @Override
  public String toString() {
    return Double.isNaN(share) ? size + " tokens" : share + " of the tokens";
  }
}
