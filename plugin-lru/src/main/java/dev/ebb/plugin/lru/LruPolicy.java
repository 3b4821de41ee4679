package dev.ebb.plugin.lru;

import dev.ebb.spi.PolicyContext;

/**
 * Least recently used, as in P. J. Denning, <a href="https://doi.org/10.1145/363095.363141">The
 * Working Set Model for Program Behavior</a> (CACM 1968), section 2: evicts the entry used longest
 * ago.
 *
 * <p>If only leaves may be evicted and requests touch their deepest block first, this is exactly
 * "the leaf that was used longest ago". The score is the tick of the last use.
 */
final class LruPolicy extends FifoPolicy {

  LruPolicy(PolicyContext context) {
    super(context);
  }

  @Override
  public void accessed(Node node) {
    queue.moveToHot(node);
  }

  @Override
  public boolean isLeastRecentlyUsed() {
    return true;
  }

  @Override
  public double score(Node node) {
    return node.entry().lastAccessTick();
  }
}
