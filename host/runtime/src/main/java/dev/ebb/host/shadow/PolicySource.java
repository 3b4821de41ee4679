package dev.ebb.host.shadow;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.spi.PolicyClock;

/** Creates shadow policies. */
@FunctionalInterface
public interface PolicySource {

  /**
   * Creates a policy on the thread that will run it.
   *
   * @param policy the policy as the operator wrote it
   * @param capacityBlocks the capacity of its cache, at least 1
   * @return an empty policy; its cache closes it
   */
  PolicyCandidate create(String policy, String partition, long capacityBlocks, PolicyClock clock);

  /**
   * Returns an identifier of the code that would run a policy now.
   *
   * @return changes when the code changes; empty if the code is unknown
   */
  default String code(String policy) {
    return "";
  }
}
