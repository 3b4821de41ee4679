package dev.ebb.llama.generate;

import dev.ebb.host.tokens.pruning.TokenPolicyException;

/** Drops tokens of the sequence while it is generated. */
interface Pruner {

  Pruner NONE = new Pruner() {};

  /** Returns whether a prompt can be longer than the cells. */
  default boolean shortensPrompts() {
    return false;
  }

  /**
   * Reports a computed batch.
   *
   * @param position the logical position of its first token
   */
  default void computed(int position, int tokens) {}

  /**
   * Makes room for more tokens.
   *
   * @throws TokenPolicyException if the policy fails; nothing is dropped
   */
  default int makeRoom(int length) {
    return 0;
  }

  /**
   * Prunes after a part of the prompt, with more to come.
   *
   * @throws TokenPolicyException if the policy fails; nothing is dropped
   */
  default int afterPart(int length) {
    return 0;
  }

  /**
   * Prunes after the prompt, or after a token of the answer.
   *
   * @throws TokenPolicyException if the policy fails; nothing is dropped
   */
  default int afterStep(int length) {
    return 0;
  }

  default long evictions() {
    return 0;
  }

  default long evicted() {
    return 0;
  }
}
