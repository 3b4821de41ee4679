package dev.ebb.plugin.lru;

import dev.ebb.spi.NodeList;
import org.jspecify.annotations.Nullable;

/**
 * Nodes from hot to cold, some of which are set aside.
 *
 * <p>A node leaves the order when it is set aside. A use puts it back in while it is still aside,
 * so that its position is already right when it is taken back. Such nodes are dropped when they
 * reach the cold end. The use that put a node there pays for its drop.
 */
final class CandidateQueue<N extends Candidate<N>> {

  private final NodeList<N> order = new NodeList<>();

  /** Puts a node of this queue, or of none, at the hot end. */
  void touch(N node) {
    if (node.list() == null) {
      order.addHot(node);
    } else {
      order.moveToHot(node);
    }
  }

  @Nullable N coldest() {
    N node = order.cold();
    while (node != null && node.aside) {
      order.remove(node);
      node = order.cold();
    }
    return node;
  }

  void setAside(N node) {
    node.aside = true;
    remove(node);
  }

  void takeBack(N node) {
    node.aside = false;
    if (node.list() == null) {
      order.addCold(node);
    }
  }

  void remove(N node) {
    if (node.list() != null) {
      order.remove(node);
    }
  }

  /** Returns whether no node is in the order; some may be set aside. */
  boolean isEmpty() {
    return order.isEmpty();
  }
}
