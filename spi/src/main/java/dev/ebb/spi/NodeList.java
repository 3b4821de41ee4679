package dev.ebb.spi;

import org.jspecify.annotations.Nullable;

/**
 * A doubly linked list whose links live in the nodes: every operation is O(1) and allocates
 * nothing. One end is called hot (newest), the other cold (evicted next).
 *
 * <p>A node is in at most one list, and knows which ({@link Node#list()}).
 *
 * @param <N> the policy's node type
 * @since 1.0.0
 */
public final class NodeList<N extends NodeList.Node<N>> {

  private @Nullable N hot;
  private @Nullable N cold;
  private int size;

  /** Creates an empty list. */
  public NodeList() {}

  /**
   * The links of one node. Extend it with what the policy keeps for an entry.
   *
   * @param <N> the policy's node type
   * @since 1.0.0
   */
  public abstract static class Node<N extends Node<N>> {
    private @Nullable N hotter;
    private @Nullable N colder;
    private @Nullable NodeList<N> list;

    /** Creates a node in no list. */
    protected Node() {}

    /**
     * Returns the list that holds the node.
     *
     * @return that list, or null
     */
    public final @Nullable NodeList<N> list() {
      return list;
    }

    /** Sets what follows among the spare nodes, and returns what followed. */
    final @Nullable N nextSpare(@Nullable N next) {
      N before = colder;
      colder = next;
      return before;
    }
  }

  /**
   * Adds a node at the hot end.
   *
   * @param node a node in no list
   * @throws IllegalStateException if it is in a list
   */
  public void addHot(N node) {
    attach(node);
    N neighbour = hot;
    link(node).colder = neighbour;
    if (neighbour == null) {
      cold = node;
    } else {
      link(neighbour).hotter = node;
    }
    hot = node;
  }

  /**
   * Adds a node at the cold end.
   *
   * @param node a node in no list
   * @throws IllegalStateException if it is in a list
   */
  public void addCold(N node) {
    attach(node);
    N neighbour = cold;
    link(node).hotter = neighbour;
    if (neighbour == null) {
      hot = node;
    } else {
      link(neighbour).colder = node;
    }
    cold = node;
  }

  /**
   * Adds a node next to another, on its cold side.
   *
   * @param node a node in no list
   * @param neighbour a node of this list
   * @throws IllegalStateException if the node is in a list, or the neighbour is not in this one
   */
  public void addColderThan(N node, N neighbour) {
    if (link(neighbour).list != this) {
      throw new IllegalStateException("the neighbour is not in this list");
    }
    if (neighbour == cold) {
      addCold(node);
      return;
    }
    attach(node);
    N beyond = link(neighbour).colder;
    link(node).hotter = neighbour;
    link(node).colder = beyond;
    link(neighbour).colder = node;
    if (beyond != null) {
      link(beyond).hotter = node;
    }
  }

  /**
   * Takes a node out.
   *
   * @param node a node of this list
   * @throws IllegalStateException if it is not in this list
   */
  public void remove(N node) {
    Node<N> links = node;
    if (links.list != this) {
      throw new IllegalStateException("the node is not in this list");
    }
    unlink(links);
    links.hotter = null;
    links.colder = null;
    links.list = null;
    size--;
  }

  /**
   * Moves a node to the hot end.
   *
   * @param node a node of this list
   * @throws IllegalStateException if it is not in this list
   */
  public void moveToHot(N node) {
    Node<N> links = node;
    if (links.list != this) {
      throw new IllegalStateException("the node is not in this list");
    }
    N first = hot;
    if (node == first || first == null) {
      return;
    }
    unlink(links);
    links.hotter = null;
    links.colder = first;
    link(first).hotter = node;
    hot = node;
  }

  /**
   * Returns the node at the hot end.
   *
   * @return the newest node, or null if the list is empty
   */
  public @Nullable N hot() {
    return hot;
  }

  /**
   * Returns the node at the cold end.
   *
   * @return the node to evict first, or null if the list is empty
   */
  public @Nullable N cold() {
    return cold;
  }

  /**
   * Returns the neighbour on the hot side.
   *
   * @param node a node of this list
   * @return the neighbour, or null at the hot end
   */
  public @Nullable N hotter(N node) {
    return link(node).hotter;
  }

  /**
   * Returns the neighbour on the cold side.
   *
   * @param node a node of this list
   * @return the neighbour, or null at the cold end
   */
  public @Nullable N colder(N node) {
    return link(node).colder;
  }

  /**
   * Returns how many nodes are in the list.
   *
   * @return 0 or more
   */
  public int size() {
    return size;
  }

  /**
   * Returns whether the list has no node.
   *
   * @return true if it is empty
   */
  public boolean isEmpty() {
    return size == 0;
  }

  private void attach(N node) {
    if (link(node).list != null) {
      throw new IllegalStateException("the node is in a list already");
    }
    link(node).list = this;
    size++;
  }

  private void unlink(Node<N> links) {
    N hotter = links.hotter;
    N colder = links.colder;
    if (hotter == null) {
      hot = colder;
    } else {
      link(hotter).colder = colder;
    }
    if (colder == null) {
      cold = hotter;
    } else {
      link(colder).hotter = hotter;
    }
  }

  // Private members of Node are reachable through Node<N> only, not through N.
  private Node<N> link(N node) {
    return node;
  }
}
