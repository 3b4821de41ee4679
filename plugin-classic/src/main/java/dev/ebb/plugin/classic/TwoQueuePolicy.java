package dev.ebb.plugin.classic;

import dev.ebb.spi.Demand;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.PolicyContext;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * 2Q, of Johnson and Shasha, <a href="https://www.vldb.org/conf/1994/P439.PDF">2Q: A Low Overhead
 * High Performance Buffer Management Replacement Algorithm</a> (VLDB '94), the full version of
 * section 3.2.
 *
 * <p>{@code a1in}, {@code ghosts} and {@code am} are the paper's A1in, A1out and Am. New entries
 * enter A1in, a FIFO queue. A1out remembers entries evicted from it. An entry that returns while
 * A1out remembers it enters Am, an LRU queue. If A1in has more than {@code kin} entries, its oldest
 * is evicted, otherwise the coldest of Am. A use of an entry in A1in changes nothing: uses that
 * follow each other closely are one ("correlated references").
 *
 * <p>The paper recommends 25% of the capacity for Kin and 50% for Kout. A use and a victim cost
 * O(1). Ghosts are trimmed when a request ends, so that no block of a request is forgotten because
 * room was made for that very request. The score is 1 for an entry of A1in and 2 for one of Am.
 *
 * <p><b>Prefix streams.</b> The next turn of a conversation is not a correlated reference, but
 * often comes while the previous turn is in A1in, where it does not count. The previous turn is
 * evicted in the order of its arrival, and only a third turn finds its blocks in Am. In a cache
 * that holds many minutes of traffic, 2Q is therefore behind LRU.
 */
final class TwoQueuePolicy extends GhostPolicy<TwoQueuePolicy.Node> {

  private final EntryQueue<Node> a1in = new EntryQueue<>("a1in");
  private final EntryQueue<Node> am = new EntryQueue<>("am");
  private final double kin;

  TwoQueuePolicy(PolicyContext context) {
    kin = context.settings().number("kin", 0.25, 0, 1);
    super(context, Node::new, "kout", 0.5);
  }

  static final class Node extends EntryQueue.Node<Node> {}

  @Override
  protected void insert(Node node) {
    boolean returned = ghosts.remove(node.entry().fingerprint()) || usesBefore(node.entry()) > 0;
    (returned ? am : a1in).moveToHot(node);
  }

  @Override
  public void accessed(Node node) {
    if (node.queue() == am) {
      am.moveToHot(node);
    }
  }

  @Override
  protected @Nullable Node choose(Demand demand) {
    boolean full = a1in.size() > (long) (kin * (double) capacity());
    Node node = (full ? a1in : am).coldest();
    return node == null ? (full ? am : a1in).coldest() : node;
  }

  @Override
  protected void evicted(Node node) {
    if (node.queue() == a1in) {
      ghosts.add(node.entry().fingerprint());
    }
  }

  @Override
  public double score(Node node) {
    return node.queue() == a1in ? 1 : 2;
  }

  @Override
  protected String describe(Node node) {
    return node.queue() == a1in
        ? "in a1in, which evicts in the order of arrival"
        : "in am, because it returned after an eviction";
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of(
        "a1in", (double) a1in.size(),
        "a1out", (double) ghosts.size(),
        "am", (double) am.size());
  }
}
