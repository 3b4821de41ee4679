package dev.ebb.spi;

import java.util.List;

/**
 * Selects which running sequence loses its memory when memory is short. The host offers only
 * sequences that may be preempted: none is more important than the one that needs the memory. A
 * preempted sequence goes on later, and computes again what the host could not keep.
 *
 * <p>Most policies are an order, and implement {@link #compare} alone. One that weighs the
 * candidates together overrides {@link #select}. A policy makes no garbage and reads no clock but
 * its context's.
 *
 * @since 1.2.0
 */
public interface PreemptionPolicy extends AutoCloseable {

  /**
   * Compares two running sequences. The order is the same in both directions: if {@code first} is
   * preempted rather than {@code second}, the opposite call says so too.
   *
   * @param first a candidate
   * @param second another candidate
   * @return negative to preempt {@code first}, positive to preempt {@code second}; 0 for the one
   *     admitted last
   */
  int compare(RunningSequence first, RunningSequence second);

  /**
   * Selects the sequence to preempt. If that frees too little, the host asks again, with the
   * others.
   *
   * <p>By default it is the first in the order of {@link #compare}, which the host calls nowhere
   * else.
   *
   * @param candidates at least one; valid during the call only
   * @param neededTokens the tokens that memory is missing for, at least 1
   * @return the index of a candidate
   * @since 1.7.0
   */
  default int select(List<? extends RunningSequence> candidates, long neededTokens) {
    int best = 0;
    for (int i = 1; i < candidates.size(); i++) {
      RunningSequence candidate = candidates.get(i);
      RunningSequence chosen = candidates.get(best);
      int order = compare(candidate, chosen);
      if (order < 0 || (order == 0 && candidate.admission() > chosen.admission())) {
        best = i;
      }
    }
    return best;
  }

  /** Releases what it holds. Called once, after all other calls; a second call has no effect. */
  @Override
  default void close() {}
}
