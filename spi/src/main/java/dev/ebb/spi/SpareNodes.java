package dev.ebb.spi;

import org.jspecify.annotations.Nullable;

/**
 * Nodes of entries that left, kept for those that come: in a full cache each newcomer takes the
 * place of one that left, so a policy that reuses its nodes makes no garbage.
 *
 * <p>Bounded; linked through the nodes themselves. The newest spare, which is still in the
 * processor's caches, is used first.
 *
 * @param <N> the policy's node type
 * @since 1.0.0
 */
public final class SpareNodes<N extends NodeList.Node<N>> {

  /** How many are kept at most. */
  public static final int CAPACITY = 1_024;

  private @Nullable N top;
  private int size;

  /** No spares. */
  public SpareNodes() {}

  /**
   * Takes a spare node. It still holds what its last entry left in it.
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
   * Keeps a node that is needed no more, or drops it if there are enough.
   *
   * @param node a node in no list, which nothing else refers to
   * @throws IllegalStateException if it is in a list
   */
  public void give(N node) {
    if (node.list() != null) {
      throw new IllegalStateException("the node is in a list still");
    }
    if (size < CAPACITY) {
      NodeList.Node<N> links = node;
      links.nextSpare(top);
      top = node;
      size++;
    }
  }

  /**
   * How many spares there are.
   *
   * @return 0 to {@link #CAPACITY}
   */
  public int size() {
    return size;
  }
}
