package dev.ebb.host.store;

import dev.ebb.spi.BlockPolicy;

/** Makes an eviction policy for each part of the pool. */
@FunctionalInterface
public interface PolicyMaker {

  /**
   * Makes one.
   *
   * @param partition the part's name
   * @param capacityBlocks what the policy's capacity is counted in: units of 1 KiB
   * @return a policy that holds nothing
   */
  BlockPolicy<?> create(String partition, long capacityBlocks);
}
