package dev.ebb.host.cache.policy;

import dev.ebb.spi.Demand;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.QueuedBlockPolicy;
import org.jspecify.annotations.Nullable;

/**
 * The host's own least-recently-used order: it takes over when a policy fails, and is the baseline
 * of replays. Needs no plugin.
 */
public final class BuiltInLru extends QueuedBlockPolicy<BuiltInLru.Node> {

  public static final String NAME = "builtin-lru";

  private final EntryQueue<Node> order = new EntryQueue<>(NAME);

  /** Creates one of an unknown capacity, which does not matter to it. */
  public BuiltInLru() {
    super(1, Node::new);
  }

  public static final class Node extends EntryQueue.Node<Node> {}

  @Override
  protected void insert(Node node) {
    order.moveToHot(node);
  }

  @Override
  public void accessed(Node node) {
    order.moveToHot(node);
  }

  @Override
  protected @Nullable Node choose(Demand demand) {
    return order.coldest();
  }

  @Override
  public boolean isLeastRecentlyUsed() {
    return true;
  }
}
