package dev.ebb.plugin.sieve;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.NodeList;
import dev.ebb.spi.Origin;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.SpareNodes;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * SIEVE, of Zhang, Yang, Yue, Vigfusson and Rashmi, <a
 * href="https://www.usenix.org/conference/nsdi24/presentation/zhang-yazhuo">SIEVE is Simpler than
 * LRU</a> (NSDI '24), algorithm 1. One queue keeps its order. A hand walks from its tail to its
 * head, spares entries visited since it last passed, and evicts the first one that was not.
 *
 * <p>The paper's head is the list's hot end, its tail the cold end, and {@code hand} and {@code
 * visited} have the paper's names. An access only sets a bit. A victim is found in O(1) amortised,
 * because each step of the hand clears a bit that an access set. A node that is set aside leaves
 * the queue, keeps its bit, and comes back right under the hand. The score is the bit.
 */
final class SievePolicy implements BlockPolicy<SievePolicy.Node> {

  private final NodeList<Node> queue = new NodeList<>();
  private final SpareNodes<Node> spares = new SpareNodes<>();
  private @Nullable Node hand;
  private long size;

  static final class Node extends NodeList.Node<Node> {
    private Entry entry;
    private boolean visited;

    private Node(Entry entry) {
      this.entry = entry;
    }

    @SuppressWarnings("NullAway") // not read until the node serves another entry
    private void forget() {
      entry = null;
    }
  }

  @Override
  public Node inserted(Entry entry) {
    Node node = spares.take();
    if (node == null) {
      node = new Node(entry);
    } else {
      node.entry = entry;
    }
    node.visited = entry.origin() == Origin.HANDED_OVER && entry.accesses() > 1;
    queue.addHot(node);
    size++;
    return node;
  }

  @Override
  public void accessed(Node node) {
    node.visited = true;
  }

  @Override
  public @Nullable Entry victim(Demand demand) {
    Node node = examined();
    while (node != null && node.visited) {
      node.visited = false;
      hand = queue.hotter(node);
      node = examined();
    }
    hand = node;
    return node == null ? null : node.entry;
  }

  @Override
  public void removed(Node node, RemovalCause cause) {
    if (node.list() != null) {
      unlink(node);
    }
    size--;
    node.forget();
    spares.give(node);
  }

  @Override
  public void refused(Node node) {
    unlink(node);
  }

  @Override
  public void released(Node node) {
    Node next = examined();
    if (next == null) {
      queue.addCold(node);
    } else {
      queue.addColderThan(node, next);
    }
    hand = node;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public double score(Node node) {
    return node.visited ? 1 : 0;
  }

  @Override
  public String explain(Node node) {
    return (node.visited ? "used" : "not used")
        + " since the hand last passed it"
        + (node.list() == null ? "; set aside, because it cannot leave now" : "");
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of("set-aside", (double) (size - queue.size()));
  }

  /** Returns the node under the hand; past the head the hand starts again at the tail. */
  private @Nullable Node examined() {
    return hand == null ? queue.cold() : hand;
  }

  private void unlink(Node node) {
    if (node == hand) {
      hand = queue.hotter(node);
    }
    queue.remove(node);
  }
}
