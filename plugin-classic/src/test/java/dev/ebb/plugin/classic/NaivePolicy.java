package dev.ebb.plugin.classic;

import dev.ebb.spi.sim.NaiveListPolicy;

/** A policy that knows its capacity, in entries of one size. */
abstract class NaivePolicy extends NaiveListPolicy {

  private final int blocksEach;
  int capacity;

  NaivePolicy(long capacityBlocks, int blocksEach) {
    this.blocksEach = blocksEach;
    capacity = (int) (capacityBlocks / blocksEach);
  }

  @Override
  public void resized(long capacityBlocks) {
    capacity = (int) (capacityBlocks / blocksEach);
  }
}
