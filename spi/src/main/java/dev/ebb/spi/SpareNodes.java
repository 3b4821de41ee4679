package dev.ebb.spi;

import org.jspecify.annotations.Nullable;

/**
 * A stack of nodes of removed entries, kept for new ones. In a full cache each new entry replaces a
 * removed one, so a policy that reuses its nodes makes no garbage.
 *
 * <p>Bounded; linked through the nodes themselves. The newest spare, which is still in the
 * processor's caches, is used first.
 *
 * @param <N> the policy's node type
 * @since 1.0.0
 */
public final class SpareNodes<N extends NodeList.Node<N>> {

  /** The maximum number of spares. */
  public static final int CAPACITY = 1_024;

  private @Nullable N top;
  private int size;

  /** Creates an empty stack. */
  public SpareNodes() {}

  /**
   * Takes a spare node. It still holds the data of its last entry.
   *
   * @return a node in no list, or null if there is no spare
   */
  public @Nullable N take() {
    N node = top;
    if (node != null) {
      NodeList.Node<N> links = node;
      top = links.nextSpare(null);
      size--;
    }
    return node;
  }

  /**
   * Keeps an unused node, or drops it if there are enough.
   *
   * @param node a node in no list, which nothing else refers to
   * @throws IllegalStateException if it is in a list
   */
  public void give(N node) {
    if (node.list() != null) {
      throw new IllegalStateException("the node is still in a list");
    }
    if (size < CAPACITY) {
      NodeList.Node<N> links = node;
      links.nextSpare(top);
      top = node;
      size++;
    }
  }

  /**
   * Returns the number of spares.
   *
   * @return 0 to {@link #CAPACITY}
   */
  public int size() {
    return size;
  }
}
