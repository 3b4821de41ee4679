package dev.ebb.host.policy;

import dev.ebb.spi.PolicyClock;

/**
 * The part of a cache that one instance manages.
 *
 * @param name for messages and metrics, such as {@code "default"}
 * @param capacityBlocks its capacity in blocks, at least 1
 * @param clock the time that entries record
 * @param seed of the instance's random generator
 */
public record PolicyPartition(String name, long capacityBlocks, PolicyClock clock, long seed) {

  public PolicyPartition {
    if (capacityBlocks < 1) {
      throw new IllegalArgumentException("capacityBlocks is " + capacityBlocks);
    }
  }
}
