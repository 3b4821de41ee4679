package dev.ebb.plugin.llm;

import dev.ebb.spi.NodeList;
import org.jspecify.annotations.Nullable;

/**
 * Entries in the order of their last use, and the number of all of them.
 *
 * <p>A node that is set aside leaves the order, but still counts. A use may put it back into the
 * order while it is aside, so that its position is right when it is released. Such a node is
 * dropped when it reaches the cold end; the use that put it there pays for that.
 */
class EntryQueue {

  private final NodeList<CachedNode> order = new NodeList<>();
  private final String name;
  private long size;

  EntryQueue(String name) {
    this.name = name;
  }

  final String name() {
    return name;
  }

  /** Returns the number of entries, set aside ones included. */
  final long size() {
    return size;
  }

  /** Puts a node of no queue at the hot end. */
  final void add(CachedNode node) {
    node.queue = this;
    order.addHot(node);
    size++;
  }

  /** Puts a node of any queue at the hot end of this one. */
  final void use(CachedNode node) {
    node.queue.remove(node);
    add(node);
  }

  /** Moves the nodes of a request, which are the hottest, to an empty queue. */
  final void moveHottest(long request, EntryQueue to) {
    CachedNode node = order.hot();
    while (node != null && node.request == request) {
      remove(node);
      node.queue = to;
      to.order.addCold(node);
      to.size++;
      node = order.hot();
    }
  }

  /** Removes a node of this queue. */
  final void remove(CachedNode node) {
    hide(node);
    size--;
  }

  /** Takes a node out of the order; it still counts. */
  final void hide(CachedNode node) {
    if (node.list() != null) {
      order.remove(node);
    }
  }

  /** Puts a hidden node at the cold end, unless a use has put it back into the order. */
  final void show(CachedNode node) {
    if (node.list() == null) {
      order.addCold(node);
    }
  }

  /** Returns the coldest node that may be offered. */
  final @Nullable CachedNode coldest() {
    CachedNode node = order.cold();
    while (node != null && node.aside) {
      order.remove(node);
      node = order.cold();
    }
    return node;
  }
}
