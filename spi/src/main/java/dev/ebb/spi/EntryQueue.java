package dev.ebb.spi;

import org.jspecify.annotations.Nullable;

/**
 * A queue of a {@link QueuedBlockPolicy}: entries in order from cold to hot. Every operation is
 * O(1), without a look-up and without allocation.
 *
 * <p>An entry that is set aside leaves the order, but still counts in {@link #size}. A use may put
 * it back into the order meanwhile, so that its position is right when it is released. {@link
 * #coldest} drops such a node if it reaches the cold end.
 *
 * @param <N> the policy's node type
 * @since 1.6.0
 */
public class EntryQueue<N extends EntryQueue.Node<N>> {

  private final NodeList<N> order = new NodeList<>();
  private final String name;
  private long size;

  /**
   * Creates an empty queue.
   *
   * @param name its name in explanations
   */
  public EntryQueue(String name) {
    this.name = name;
  }

  /**
   * The bookkeeping for one entry. Extend it with what the policy keeps for an entry.
   *
   * @param <N> the policy's node type
   * @since 1.6.0
   */
  @SuppressWarnings("NullAway.Init")
  public abstract static class Node<N extends Node<N>> extends NodeList.Node<N> {
    // Set before a policy receives the node.
    Entry entry;
    EntryQueue<N> queue;
    int blocks;
    boolean aside;

    /** Creates a node without an entry. */
    protected Node() {}

    /**
     * Returns the entry.
     *
     * @return the entry, until the node is removed
     */
    public final Entry entry() {
      return entry;
    }

    /**
     * Returns the entry's queue, although the entry may be set aside. Not to be called for a node
     * that has not been in a queue.
     *
     * @return the queue to which the node was moved last
     */
    public final EntryQueue<N> queue() {
      return queue;
    }

    /**
     * Returns the entry's size when it was inserted.
     *
     * @return blocks, at least 1
     */
    public final int blocks() {
      return blocks;
    }

    /**
     * Returns whether the entry was refused, and has not been released.
     *
     * @return true if it must not be offered
     */
    public final boolean isSetAside() {
      return aside;
    }
  }

  /**
   * Returns the name.
   *
   * @return the name given to the constructor
   */
  public final String name() {
    return name;
  }

  /**
   * Returns the number of entries, those set aside included.
   *
   * @return 0 or more
   */
  public final long size() {
    return size;
  }

  /**
   * Returns the nodes in order. Entries that are set aside are missing, unless they were moved
   * since. Move nodes within it only: {@link #size} does not see what is added or removed.
   *
   * @return the same list each time
   */
  public final NodeList<N> order() {
    return order;
  }

  /**
   * Moves a node to the hot end, from any queue or none.
   *
   * @param node any node of the policy
   */
  public final void moveToHot(N node) {
    if (node.list() == order) {
      order.moveToHot(node);
    } else {
      take(node);
      order.addHot(node);
    }
  }

  /**
   * Moves a node to the cold end, from any queue or none.
   *
   * @param node any node of the policy
   */
  public final void moveToCold(N node) {
    take(node);
    order.addCold(node);
  }

  /**
   * Returns the coldest entry that may be offered.
   *
   * @return the node, or null if there is none
   */
  public final @Nullable N coldest() {
    N node = order.cold();
    while (node != null && isAside(node)) {
      order.remove(node);
      node = order.cold();
    }
    return node;
  }

  private void take(N node) {
    Node<N> own = node;
    EntryQueue<N> from = own.queue;
    unlink(node);
    if (from != this) {
      if (from != null) {
        from.size--;
      }
      own.queue = this;
      size++;
    }
  }

  /** Takes a node out of the order of its queue; it still counts. */
  static <N extends Node<N>> void unlink(N node) {
    NodeList<N> list = node.list();
    if (list != null) {
      list.remove(node);
    }
  }

  /** Takes a node out of its queue, if it has one. */
  static <N extends Node<N>> void remove(N node) {
    unlink(node);
    Node<N> own = node;
    EntryQueue<N> from = own.queue;
    if (from != null) {
      from.size--;
    }
  }

  // Package-private members of Node are reachable through Node<N> only, not through N.
  private boolean isAside(Node<N> node) {
    return node.aside;
  }
}
