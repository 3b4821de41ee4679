package dev.ebb.plugin.sieve;

import dev.ebb.spi.Demand;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.NodeList;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.QueuedBlockPolicy;
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
final class SievePolicy extends QueuedBlockPolicy<SievePolicy.Node> {

  private final EntryQueue<Node> queue = new EntryQueue<>("queue");
  private final NodeList<Node> order = queue.order();
  private @Nullable Node hand;

  SievePolicy(PolicyContext context) {
    super(context.capacityBlocks(), Node::new);
  }

  static final class Node extends EntryQueue.Node<Node> {
    private boolean visited;
  }

  @Override
  protected void insert(Node node) {
    node.visited = usesBefore(node.entry()) > 0;
    queue.moveToHot(node);
  }

  @Override
  public void accessed(Node node) {
    node.visited = true;
  }

  @Override
  protected @Nullable Node choose(Demand demand) {
    Node node = examined();
    while (node != null && node.visited) {
      node.visited = false;
      hand = order.hotter(node);
      node = examined();
    }
    hand = node;
    return node;
  }

  @Override
  protected void remove(Node node) {
    passOver(node);
  }

  @Override
  protected void setAside(Node node) {
    passOver(node);
  }

  @Override
  protected void takeBack(Node node) {
    Node next = examined();
    if (next == null) {
      order.addCold(node);
    } else {
      order.addColderThan(node, next);
    }
    hand = node;
  }

  @Override
  public double score(Node node) {
    return node.visited ? 1 : 0;
  }

  @Override
  protected String describe(Node node) {
    return (node.visited ? "used" : "not used") + " since the hand last passed it";
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of("set-aside", (double) setAsideCount());
  }

  /** Returns the node under the hand; past the head the hand starts again at the tail. */
  private @Nullable Node examined() {
    return hand == null ? order.cold() : hand;
  }

  private void passOver(Node node) {
    if (node == hand) {
      hand = order.hotter(node);
    }
  }
}
