package dev.ebb.spi;

/**
 * Selects which running sequence loses its memory when memory is short. The host offers only
 * sequences that may be preempted: none is more important than the one that needs the memory. A
 * preempted sequence goes on later, and computes again what the host could not keep.
 *
 * <p>The host compares each candidate with the best one so far, and so asks once for each running
 * sequence. A policy makes no garbage and reads no clock but its context's.
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

  /** Releases what it holds. Called once, after all other calls; a second call has no effect. */
  @Override
  default void close() {}
}
