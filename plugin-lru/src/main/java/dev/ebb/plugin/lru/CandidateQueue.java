package dev.ebb.plugin.lru;

import dev.ebb.spi.NodeList;
import org.jspecify.annotations.Nullable;

/**
 * Nodes from hot to cold, some of which are set aside.
 *
 * <p>A node leaves the order when it is set aside, and a use puts it back in while it is still
 * aside, so that it already stands where it belongs when it is taken back. Such nodes are dropped
 * where they turn up at the cold end; each drop is paid for by the use that put the node there.
 *
 * @param <N> the policy's node type
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

  /** The node that should leave first. */
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

  /** Whether no node stands in the order; some may be set aside. */
  boolean isEmpty() {
    return order.isEmpty();
  }
}
