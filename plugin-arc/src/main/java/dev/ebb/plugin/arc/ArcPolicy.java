package dev.ebb.plugin.arc;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.GhostList;
import dev.ebb.spi.NodeList;
import dev.ebb.spi.Origin;
import dev.ebb.spi.RemovalCause;
import dev.ebb.spi.Request;
import dev.ebb.spi.SpareNodes;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * ARC, of Megiddo and Modha, <a
 * href="https://www.usenix.org/conference/fast-03/arc-self-tuning-low-overhead-replacement-cache">ARC:
 * A Self-Tuning, Low Overhead Replacement Cache</a> (FAST '03), figure 4.
 *
 * <p>As in the paper, {@code t1} holds entries used once and {@code t2} entries used again. {@code
 * b1} and {@code b2} remember what was evicted from either. {@code p} is the target size of {@code
 * t1}, learned from misses that a ghost list remembers.
 *
 * <p>The parts of the paper's single procedure run at different times here. A miss adapts p when
 * the request begins (cases II and III). The host asks for victims (REPLACE). An insertion trims
 * the ghosts (case IV). The lists are the same, because REPLACE only moves entries within t1 and
 * b1, or t2 and b2.
 *
 * <p>Sizes count entries. A node that is set aside still counts. A use puts it back into the order
 * while it is aside, and it is dropped when it reaches the cold end. The score is 1 for an entry of
 * t1 and 2 for one of t2.
 */
final class ArcPolicy implements BlockPolicy<ArcPolicy.Node> {

  private final Segment t1 = new Segment("t1", "used once");
  private final Segment t2 = new Segment("t2", "used again");
  private final SpareNodes<Node> spares = new SpareNodes<>();
  private final GhostList b1;
  private final GhostList b2;
  private double p;
  private boolean missedFromB2;
  private long capacityBlocks;
  private long heldBlocks;

  ArcPolicy(long capacityBlocks) {
    this.capacityBlocks = capacityBlocks;
    b1 = new GhostList(capacityBlocks);
    b2 = new GhostList(2 * capacityBlocks);
  }

  static final class Node extends NodeList.Node<Node> {
    private Entry entry;
    private int blocks;
    private Segment segment;
    private boolean aside;

    private Node(Entry entry, Segment segment) {
      this.entry = entry;
      this.segment = segment;
    }

    @SuppressWarnings("NullAway") // not read until the node serves another entry
    private void forget() {
      entry = null;
    }
  }

  /**
   * T1 or T2: the entries that may be offered in order of use, and the number of all its entries.
   */
  private static final class Segment {
    private final String name;
    private final String meaning;
    private final NodeList<Node> order = new NodeList<>();
    private long size;

    private Segment(String name, String meaning) {
      this.name = name;
      this.meaning = meaning;
    }

    private @Nullable Node coldest() {
      Node node = order.cold();
      while (node != null && node.aside) {
        order.remove(node);
        node = order.cold();
      }
      return node;
    }
  }

  @Override
  public void began(Request request) {
    missedFromB2 = false;
    for (int i = request.matched(); i < request.blocks(); i++) {
      onMiss(request.fingerprint(i));
    }
  }

  private void onMiss(long fingerprint) {
    if (b1.contains(fingerprint)) {
      p = Math.min(p + Math.max((double) b2.size() / b1.size(), 1), (double) capacity());
      missedFromB2 = false;
    } else if (b2.contains(fingerprint)) {
      p = Math.max(p - Math.max((double) b1.size() / b2.size(), 1), 0);
      missedFromB2 = true;
    }
  }

  @Override
  public void ended(Request request) {
    missedFromB2 = false;
  }

  @Override
  public Node inserted(Entry entry) {
    boolean usedBefore =
        b1.remove(entry.fingerprint())
            || b2.remove(entry.fingerprint())
            || (entry.origin() == Origin.HANDED_OVER && entry.accesses() > 1);
    if (!usedBefore) {
      trimGhosts();
    }
    Node node = node(entry, usedBefore ? t2 : t1);
    node.segment.order.addHot(node);
    node.segment.size++;
    heldBlocks += node.blocks;
    return node;
  }

  private Node node(Entry entry, Segment segment) {
    Node node = spares.take();
    if (node == null) {
      node = new Node(entry, segment);
    } else {
      node.entry = entry;
      node.segment = segment;
      node.aside = false;
    }
    node.blocks = entry.blocks();
    return node;
  }

  /** Makes room in the directory for one more entry that was used once. */
  private void trimGhosts() {
    long c = capacity();
    while (b1.size() > 0 && t1.size + b1.size() >= c) {
      b1.removeOldest();
    }
    while (b2.size() > 0 && size() + b1.size() + b2.size() >= 2 * c) {
      b2.removeOldest();
    }
  }

  @Override
  public void accessed(Node node) {
    unlink(node);
    node.segment.size--;
    node.segment = t2;
    t2.size++;
    t2.order.addHot(node);
  }

  @Override
  public @Nullable Entry victim(Demand demand) {
    boolean fromT1 = t1.size > p || (missedFromB2 && t1.size == p);
    Node node = fromT1 ? t1.coldest() : t2.coldest();
    if (node == null) {
      node = fromT1 ? t2.coldest() : t1.coldest();
    }
    return node == null ? null : node.entry;
  }

  @Override
  public void removed(Node node, RemovalCause cause) {
    unlink(node);
    node.segment.size--;
    heldBlocks -= node.blocks;
    if (cause.forCapacity()) {
      (node.segment == t1 ? b1 : b2).add(node.entry.fingerprint());
    }
    node.forget();
    spares.give(node);
  }

  @Override
  public void refused(Node node) {
    node.aside = true;
    unlink(node);
  }

  @Override
  public void released(Node node) {
    node.aside = false;
    if (node.list() == null) {
      node.segment.order.addCold(node);
    }
  }

  @Override
  public long size() {
    return t1.size + t2.size;
  }

  @Override
  public void resized(long capacityBlocks) {
    this.capacityBlocks = capacityBlocks;
    b1.resize(capacityBlocks);
    b2.resize(2 * capacityBlocks);
    p = Math.min(p, (double) capacity());
  }

  @Override
  public double score(Node node) {
    return node.segment == t1 ? 1 : 2;
  }

  @Override
  public String explain(Node node) {
    return "%s since it was inserted (%s); t1 holds %d entries of a target of %.0f%s"
        .formatted(
            node.segment.meaning,
            node.segment.name,
            t1.size,
            p,
            node.aside ? "; set aside, because it cannot leave now" : "");
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of(
        "p", p,
        "t1", (double) t1.size,
        "t2", (double) t2.size,
        "b1", (double) b1.size(),
        "b2", (double) b2.size());
  }

  /** Returns the paper's c: how many entries of the current mean size fit. */
  private long capacity() {
    long held = size();
    return held == 0 ? capacityBlocks : Math.round(capacityBlocks / ((double) heldBlocks / held));
  }

  private static void unlink(Node node) {
    if (node.list() != null) {
      node.segment.order.remove(node);
    }
  }
}
