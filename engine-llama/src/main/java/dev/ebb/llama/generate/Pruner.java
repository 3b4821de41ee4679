package dev.ebb.llama.generate;

/** Drops tokens of the sequence while it is generated. */
interface Pruner {

  Pruner NONE = new Pruner() {};

  /** Returns whether a prompt can be longer than the cells. */
  default boolean shortensPrompts() {
    return false;
  }

  /** Reports a computed batch, and the logical position of its first token. */
  default void computed(int position, int tokens) {}

  /** Makes room for more tokens; returns how many were dropped. */
  default int makeRoom(int length) {
    return 0;
  }

  /** Prunes after a part of the prompt, with more to come. */
  default int afterPart(int length) {
    return 0;
  }

  /** Prunes after the prompt, or after a token of the answer. */
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
