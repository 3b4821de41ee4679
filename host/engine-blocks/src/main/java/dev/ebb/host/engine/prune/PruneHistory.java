package dev.ebb.host.engine.prune;

/** The state that {@link PruneRule} keeps for one sequence. Not thread-safe. */
public final class PruneHistory {

  /** Whether a policy that runs after the prompt has run. */
  private boolean prefilled;

  /** The size at which a policy that runs at every step holds the sequence; 0 before. */
  private int steadySize;

  /**
   * The length from which on it is pruned under memory pressure again, to avoid pruning at each
   * step.
   */
  private int next;

  /** Returns the same for a fork. */
  public PruneHistory copy() {
    PruneHistory copy = new PruneHistory();
    copy.prefilled = prefilled;
    copy.steadySize = steadySize;
    copy.next = next;
    return copy;
  }

  /** Records that a policy has chosen, whether or not tokens were dropped. */
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

  /** Returns the size to hold from now on, unless one is held already. */
  int steady(int size) {
    if (steadySize == 0) {
      steadySize = size;
    }
    return steadySize;
  }
}
