package dev.ebb.plugin.llm;

import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.QueuedBlockPolicy;
import org.jspecify.annotations.Nullable;

/**
 * A policy that divides entries into classes, each a queue in the order of use. Only the coldest
 * entry of each class is compared: the lowest score is evicted, among equals the one used longest
 * ago.
 */
abstract class ClassedPolicy extends QueuedBlockPolicy<TimedNode> {

  /** The time of the latest use. */
  long nowNanos;

  ClassedPolicy(PolicyContext context) {
    super(context.capacityBlocks(), TimedNode::new);
  }

  @Override
  protected void insert(TimedNode node) {
    accessed(node);
  }

  /** Records a use of an entry, and moves it to the hot end of a class. */
  final void use(TimedNode node, EntryQueue<TimedNode> its) {
    node.lastNanos = node.entry().lastAccessNanos();
    nowNanos = Math.max(nowNanos, node.lastNanos);
    its.moveToHot(node);
  }

  /** Returns which of two entries is evicted first; the other one if one is null. */
  final @Nullable TimedNode lower(@Nullable TimedNode least, @Nullable TimedNode node) {
    if (least == null || node == null) {
      return least == null ? node : least;
    }
    int byScore = Double.compare(score(node), score(least));
    boolean first =
        byScore == 0 ? node.entry().lastAccessTick() < least.entry().lastAccessTick() : byScore < 0;
    return first ? node : least;
  }
}
