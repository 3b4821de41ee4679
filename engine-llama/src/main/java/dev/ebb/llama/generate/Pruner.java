package dev.ebb.llama.generate;

import dev.ebb.host.tokens.pruning.TokenPolicyException;

/** Drops tokens of the sequence while it is generated. What is told here drops none. */
interface Pruner {

  /** Nothing ever leaves. */
  Pruner NONE = new Pruner() {};

  /** Whether a prompt can be longer than the cells. */
  default boolean shortensPrompts() {
    return false;
  }

  /**
   * A batch has been computed.
   *
   * @param position the logical position of its first token
   * @param tokens how many
   */
  default void computed(int position, int tokens) {}

  /**
   * There must be room for more.
   *
   * @param length tokens in the cells
   * @return how many were dropped
   * @throws TokenPolicyException if the policy fails; nothing is dropped
   */
  default int makeRoom(int length) {
    return 0;
  }

  /**
   * A part of the prompt has been computed, and more is to come.
   *
   * @param length tokens in the cells
   * @return how many were dropped
   * @throws TokenPolicyException if the policy fails; nothing is dropped
   */
  default int afterPart(int length) {
    return 0;
  }

  /**
   * The prompt, or a token of the answer, has been computed.
   *
   * @param length tokens in the cells
   * @return how many were dropped
   * @throws TokenPolicyException if the policy fails; nothing is dropped
   */
  default int afterStep(int length) {
    return 0;
  }

  /**
   * How often tokens were dropped.
   *
   * @return evictions
   */
  default long evictions() {
    return 0;
  }

  /**
   * How many tokens were dropped.
   *
   * @return tokens
   */
  default long evicted() {
    return 0;
  }
}
