package dev.ebb.host.shadow;

import dev.ebb.host.cache.PolicyCandidate;
import dev.ebb.spi.PolicyClock;

/** Makes candidates. */
@FunctionalInterface
public interface PolicySource {

  /**
   * Makes one. Called on the thread on which it lives.
   *
   * @param policy which, as the operator has written it
   * @param partition the part of the cache it is for
   * @param capacityBlocks the capacity it is responsible for, at least 1
   * @param clock the time that entries record
   * @return a policy that holds nothing; closed by the cache it is given to
   */
  PolicyCandidate create(String policy, String partition, long capacityBlocks, PolicyClock clock);

  /**
   * Which code one would be made from now.
   *
   * @param policy which, as the operator has written it
   * @return changes when the code does; empty if there is none, or nobody keeps account
   */
  default String code(String policy) {
    return "";
  }
}
