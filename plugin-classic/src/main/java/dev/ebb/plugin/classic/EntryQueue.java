package dev.ebb.plugin.classic;

import dev.ebb.spi.NodeList;
import org.jspecify.annotations.Nullable;

/**
 * A queue of entries from cold to hot, and the number of all its entries.
 *
 * <p>A node that is set aside leaves the order, but still counts. A use may put it back into the
 * order while it is aside, so that its position is right when it is released. Such a node is
 * dropped when it reaches the cold end; the use that put it there pays for that.
 */
final class EntryQueue {

  private final NodeList<CachedNode> order = new NodeList<>();
  private final String name;
  private long size;

  EntryQueue(String name) {
    this.name = name;
  }

  String name() {
    return name;
  }

  /** Returns the number of entries, set aside ones included. */
  long size() {
    return size;
  }

  /** Adds a node of no queue at the hot end. */
  void add(CachedNode node) {
    node.queue = this;
    order.addHot(node);
    size++;
  }

  /** Moves a node of another queue to the hot end of this one. */
  void takeOver(CachedNode node) {
    node.queue.remove(node);
    add(node);
  }

  /** Moves a node of this queue to the hot end. */
  void touch(CachedNode node) {
    if (node.list() == null) {
      order.addHot(node);
    } else {
      order.moveToHot(node);
    }
  }

  /** Removes a node of this queue. */
  void remove(CachedNode node) {
    hide(node);
    size--;
  }

  /** Takes a node out of the order; it still counts. */
  void hide(CachedNode node) {
    if (node.list() != null) {
      order.remove(node);
    }
  }

  /** Puts a hidden node at the cold end, unless a use has put it back into the order. */
  void show(CachedNode node) {
    if (node.list() == null) {
      order.addCold(node);
    }
  }

  /** Returns the coldest node that may be offered. */
  @Nullable CachedNode coldest() {
    CachedNode node = order.cold();
    while (node != null && node.aside) {
      order.remove(node);
      node = order.cold();
    }
    return node;
  }

  /** Returns the coldest node in the order, although it may be set aside. */
  @Nullable CachedNode bottom() {
    return order.cold();
  }
}
