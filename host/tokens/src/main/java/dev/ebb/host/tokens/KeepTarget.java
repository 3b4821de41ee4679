package dev.ebb.host.tokens;

import dev.ebb.host.errors.UserError;

/**
 * How many tokens of a sequence should stay: a size, which is the safer way to ask, or a share of
 * what is there.
 */
public final class KeepTarget {

  private final double share;
  private final int size;

  private KeepTarget(double share, int size) {
    this.share = share;
    this.size = size;
  }

  /**
   * A number of tokens, also if more are protected.
   *
   * @param tokens at least 1
   * @return the target
   * @throws UserError if it is less
   */
  public static KeepTarget ofSize(int tokens) {
    if (tokens < 1) {
      throw new UserError("'%d' tokens to keep must be at least 1".formatted(tokens));
    }
    return new KeepTarget(Double.NaN, tokens);
  }

  /**
   * A share of the tokens, and at least those protected.
   *
   * @param share 0 to 1
   * @return the target
   * @throws UserError if it is neither
   */
  public static KeepTarget ofShare(double share) {
    if (!(share >= 0 && share <= 1)) {
      throw new UserError(
          "the share of tokens to keep, '%s', must be from 0 to 1".formatted(share));
    }
    return new KeepTarget(share, 0);
  }

  /**
   * All but a share of the tokens. Papers speak of what they remove, and {@code 1 - ratio} in
   * floating point is part of what they do: of 10 tokens, 0.9 removed leaves none.
   *
   * @param ratio the share that leaves, 0 to 1
   * @return the target
   * @throws UserError if it is neither
   */
  public static KeepTarget ofRemoved(double ratio) {
    return ofShare(1.0 - ratio);
  }

  /**
   * What is asked for, before it is rounded.
   *
   * @param length tokens now
   * @return tokens, 0 to the length
   */
  double tokens(int length) {
    return Double.isNaN(share) ? Math.min(size, length) : length * share;
  }

  /**
   * A number of tokens that the target allows.
   *
   * @param count what a budget rule says
   * @param length tokens now
   * @param guarded how many of them are protected
   * @return 0 to the length
   */
  int within(int count, int length, int guarded) {
    int least = Double.isNaN(share) ? 0 : Math.min(guarded, length);
    return Math.clamp(count, least, length);
  }

  /**
   * Whether it is a number of tokens.
   *
   * @param tokens the number
   * @return whether it is this one
   */
  public boolean isSize(int tokens) {
    return Double.isNaN(share) && size == tokens;
  }

  @Override
  public String toString() {
    return Double.isNaN(share) ? size + " tokens" : share + " of the tokens";
  }
}
