package dev.ebb.plugin.classic;

import dev.ebb.spi.sim.NaiveListPolicy;
import java.util.List;

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

  /**
   * Forgets the oldest ghosts for which a list has no memory: between two requests it may exceed
   * its share of the capacity by a quarter.
   */
  final void bound(List<Long> ghosts, double ratio) {
    int most = (int) Math.ceil(ratio * (capacity * blocksEach) * 1.25) + 1;
    while (ghosts.size() > most) {
      ghosts.removeFirst();
    }
  }
}
