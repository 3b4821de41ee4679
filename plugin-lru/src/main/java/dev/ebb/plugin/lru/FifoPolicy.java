package dev.ebb.plugin.lru;

import dev.ebb.spi.PolicyClock;

/**
 * First in, first out, the baseline of L. A. Belady, <a href="https://doi.org/10.1147/sj.52.0078">A
 * study of replacement algorithms for a virtual-storage computer</a> (IBM Systems Journal 1966):
 * evicts the entry inserted first, used or not.
 *
 * <p>Residents handed over by another policy keep the order in which they are handed over. The
 * score is the tick of insertion.
 */
final class FifoPolicy extends QueuePolicy {

  FifoPolicy(PolicyClock clock) {
    super(clock);
  }

  @Override
  public void accessed(Node node) {}

  @Override
  public double score(Node node) {
    return node.entry.createdTick();
  }
}
