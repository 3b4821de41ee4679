package acme;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.GhostList;
import dev.ebb.spi.NodeList;
import dev.ebb.spi.RemovalCause;
import java.util.Map;

/**
 * 2Q, of Johnson and Shasha, <a href="https://www.vldb.org/conf/1994/P439.PDF">2Q: A Low Overhead
 * High Performance Buffer Management Replacement Algorithm</a> (VLDB 1994), the full version of
 * section 3.2.
 *
 * <p>What is new waits in a queue, {@code in} (the paper's A1in). What leaves it is remembered by
 * name, {@code out} (A1out). Only what comes back while it is remembered has shown that it is
 * wanted again, and joins {@code main} (Am), which is least recently used.
 */
final class TwoQPolicy implements BlockPolicy<TwoQPolicy.Node> {

  /** One entry's place. */
  static final class Node extends NodeList.Node<Node> {
    final Entry entry;
    final boolean wanted;
    boolean usedWhileAside;

    Node(Entry entry, boolean wanted) {
      this.entry = entry;
      this.wanted = wanted;
    }
  }

  private final double inRatio;
  private final double outRatio;
  private final NodeList<Node> in = new NodeList<>();
  private final NodeList<Node> main = new NodeList<>();
  private final GhostList out;
  private long inLimit;
  private long size;

  TwoQPolicy(long capacityBlocks, double inRatio, double outRatio) {
    this.inRatio = inRatio;
    this.outRatio = outRatio;
    out = new GhostList(ghosts(capacityBlocks));
    inLimit = inLimit(capacityBlocks);
  }

  @Override
  public Node inserted(Entry entry) {
    // Handed-over entries have no ghost here; their use counts replace it.
    boolean wanted = out.remove(entry.fingerprint()) || entry.accesses() > 1;
    Node node = new Node(entry, wanted);
    queueOf(node).addHot(node);
    size++;
    return node;
  }

  /** A use while in {@code in} says little: uses of one thing come in bursts. */
  @Override
  public void accessed(Node node) {
    if (node.list() == null) {
      node.usedWhileAside = true;
    } else if (node.wanted) {
      main.moveToHot(node);
    }
  }

  @Override
  public Entry victim(Demand demand) {
    Node first = in.cold();
    Node second = main.cold();
    Node chosen = first != null && (in.size() > inLimit || second == null) ? first : second;
    return chosen == null ? null : chosen.entry;
  }

  @Override
  public void removed(Node node, RemovalCause cause) {
    if (node.list() != null) {
      queueOf(node).remove(node);
    }
    if (!node.wanted && cause.forCapacity()) {
      out.add(node.entry.fingerprint());
    }
    size--;
  }

  @Override
  public void refused(Node node) {
    queueOf(node).remove(node);
  }

  @Override
  public void released(Node node) {
    if (node.wanted && node.usedWhileAside) {
      main.addHot(node);
    } else {
      queueOf(node).addCold(node);
    }
    node.usedWhileAside = false;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public void resized(long capacityBlocks) {
    inLimit = inLimit(capacityBlocks);
    out.resize(ghosts(capacityBlocks));
  }

  @Override
  public String explain(Node node) {
    return node.wanted
        ? "came back after it had left, so it is kept as long as it is used"
        : "new: leaves in the order of arrival, used or not";
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of(
        "in", (double) in.size(), "main", (double) main.size(), "out", (double) out.size());
  }

  private NodeList<Node> queueOf(Node node) {
    return node.wanted ? main : in;
  }

  private long inLimit(long capacityBlocks) {
    return (long) (capacityBlocks * inRatio);
  }

  private long ghosts(long capacityBlocks) {
    return Math.min(GhostList.MAX_CAPACITY, (long) (capacityBlocks * outRatio));
  }
}
