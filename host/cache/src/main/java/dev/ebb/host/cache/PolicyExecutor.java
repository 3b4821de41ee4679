package dev.ebb.host.cache;

import dev.ebb.spi.Demand;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs the policy, and queries it. */
interface PolicyExecutor {

  PendingSwitch begin(PolicyCandidate candidate);

  /**
   * Evicts until so many blocks are free. Returns false if that is impossible.
   *
   * @param newcomer what the space is for, if the policy may decide against it
   */
  boolean makeRoom(long blocks, RequestFacts asker, @Nullable AdmissionCandidate newcomer);

  /**
   * Frees so many blocks, if so many can be evicted. Returns the blocks freed.
   *
   * @param newcomer what the space is for, if the policy may decide against it
   */
  long evict(
      long blocks, Demand.Reason reason, RequestFacts asker, @Nullable AdmissionCandidate newcomer);

  void resized(long capacityBlocks);

  /**
   * Queries the active policy, after all events so far.
   *
   * @return the answer; null if there is none
   */
  <T> @Nullable T ask(Function<PolicyConsumer<?>, @Nullable T> query);

  /** Returns the fault of the last policy that failed. */
  @Nullable PolicyFault lastFault();

  /** Returns the statistics of the policy's own thread; all zero without one. */
  PolicyThreadStats thread();

  /**
   * Returns how often the policy decided; null if it admits all, or runs on its caller's thread.
   */
  @Nullable AdmissionUse admission();

  /** Returns the policy's gauges; empty if it runs on the caller's thread. */
  Map<String, Double> gauges();

  void close();
}
