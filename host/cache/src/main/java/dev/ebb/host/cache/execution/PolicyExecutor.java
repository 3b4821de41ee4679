package dev.ebb.host.cache.execution;

import dev.ebb.host.cache.index.AdmissionCandidate;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.index.RequestSteps;
import dev.ebb.host.cache.policy.AdmissionUse;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.policy.PendingSwitch;
import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.cache.stats.PolicyThreadStats;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs the policy, and queries it. */
public interface PolicyExecutor extends RequestSteps.Evictor {

  PendingSwitch begin(PolicyCandidate candidate);

  /**
   * Evicts until so many blocks are free, unless the policy decides against the newcomer. Returns
   * false if that is impossible.
   */
  boolean makeRoom(long blocks, RequestFacts asker, @Nullable AdmissionCandidate newcomer);

  void resized(long capacityBlocks);

  /** Changes when it evicts ahead of demand, and how long clients wait. */
  default void limits(EvictionLimits limits) {
    throw new IllegalStateException("the policy runs on its caller's thread");
  }

  /** Queries the active policy, after all events so far; null if it does not answer. */
  <T> @Nullable T ask(Function<PolicyConsumer<?>, @Nullable T> query);

  @Nullable PolicyFault lastFault();

  /** Returns the statistics of the policy's own thread; all zero without one. */
  PolicyThreadStats thread();

  /** Returns how often the policy decided; null if it admits all, or has no thread. */
  default @Nullable AdmissionUse admission() {
    return null;
  }

  /** Returns the policy's gauges; empty if it runs on the caller's thread. */
  default Map<String, Double> gauges() {
    return Map.of();
  }

  /** Handles freed blocks, or more evictable entries. */
  default void spaceFreed() {}

  /** Ends an operation: a policy that is too far behind is abandoned now, not in the middle. */
  default void operationEnded() {}

  void close();
}
