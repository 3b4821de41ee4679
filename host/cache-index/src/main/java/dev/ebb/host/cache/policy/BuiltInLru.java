package dev.ebb.host.cache.policy;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.NodeList;
import dev.ebb.spi.RemovalCause;
import org.jspecify.annotations.Nullable;

/**
 * The host's own least-recently-used order: it takes over when a policy fails, and is the baseline
 * of replays. Needs no plugin.
 */
public final class BuiltInLru implements BlockPolicy<BuiltInLru.Node> {

  public static final String NAME = "builtin-lru";

  private final NodeList<Node> order = new NodeList<>();
  private long held;

  public BuiltInLru() {}

  public static final class Node extends NodeList.Node<Node> {
    private final Entry entry;
    private boolean aside;

    private Node(Entry entry) {
      this.entry = entry;
    }
  }

  @Override
  public Node inserted(Entry entry) {
    Node node = new Node(entry);
    held++;
    order.addHot(node);
    return node;
  }

  @Override
  public void accessed(Node node) {
    if (node.list() == null) {
      order.addHot(node);
    } else {
      order.moveToHot(node);
    }
  }

  @Override
  public @Nullable Entry victim(Demand demand) {
    Node node = order.cold();
    // A node used while it was set aside is in the order again; each costs one step, once.
    while (node != null && node.aside) {
      order.remove(node);
      node = order.cold();
    }
    return node == null ? null : node.entry;
  }

  @Override
  public void removed(Node node, RemovalCause cause) {
    held--;
    if (node.list() != null) {
      order.remove(node);
    }
  }

  @Override
  public void refused(Node node) {
    node.aside = true;
    order.remove(node);
  }

  @Override
  public void released(Node node) {
    node.aside = false;
    if (node.list() == null) {
      order.addCold(node);
    }
  }

  @Override
  public boolean isLeastRecentlyUsed() {
    return true;
  }

  @Override
  public long size() {
    return held;
  }
}
