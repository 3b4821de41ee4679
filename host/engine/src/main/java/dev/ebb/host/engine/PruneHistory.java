package dev.ebb.host.engine;

/** What {@link PruneRule} remembers of one sequence. Not safe for use by many threads. */
public final class PruneHistory {

  /** Whether a policy has run that runs after the prompt. */
  private boolean prefilled;

  /** The size that a policy holds the sequence at which runs at every step; 0 before. */
  private int steadySize;

  /** The length from which on it is pruned for want of memory, so that it is not time and again. */
  private int next;

  /** Nothing was pruned yet. */
  public PruneHistory() {}

  /**
   * The same for a fork.
   *
   * @return a copy
   */
  public PruneHistory copy() {
    PruneHistory copy = new PruneHistory();
    copy.prefilled = prefilled;
    copy.steadySize = steadySize;
    copy.next = next;
    return copy;
  }

  /**
   * A policy has chosen, whether or not anything left.
   *
   * @param length tokens before
   */
  public void pruned(int length) {
    prefilled = true;
    next = length;
  }

  boolean prefilled() {
    return prefilled;
  }

  int next() {
    return next;
  }

  /** The size to hold from now on, unless one is held already. */
  int steady(int size) {
    if (steadySize == 0) {
      steadySize = size;
    }
    return steadySize;
  }
}
