package dev.ebb.plugin.arc;

import dev.ebb.spi.Demand;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.GhostList;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.QueuedBlockPolicy;
import dev.ebb.spi.Request;
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
final class ArcPolicy extends QueuedBlockPolicy<ArcPolicy.Node> {

  private final EntryQueue<Node> t1 = new EntryQueue<>("t1");
  private final EntryQueue<Node> t2 = new EntryQueue<>("t2");
  private final GhostList b1;
  private final GhostList b2;
  private double p;
  private boolean missedFromB2;

  /** The last missed block that neither ghost list remembers, if its insertion is awaited. */
  private long unknown;

  private boolean awaitsUnknown;

  ArcPolicy(PolicyContext context) {
    super(context.capacityBlocks(), Node::new);
    b1 = new GhostList(context.capacityBlocks());
    b2 = new GhostList(2 * context.capacityBlocks());
  }

  static final class Node extends EntryQueue.Node<Node> {}

  @Override
  public void began(Request request) {
    missedFromB2 = false;
    for (int i = request.matched(); i < request.blocks(); i++) {
      onMiss(request.fingerprint(i));
    }
  }

  private void onMiss(long fingerprint) {
    if (b1.contains(fingerprint)) {
      p = Math.min(p + Math.max((double) b2.size() / b1.size(), 1), (double) c());
      missedFromB2 = false;
    } else if (b2.contains(fingerprint)) {
      p = Math.max(p - Math.max((double) b1.size() / b2.size(), 1), 0);
      missedFromB2 = true;
    } else {
      unknown = fingerprint;
      awaitsUnknown = true;
    }
  }

  @Override
  public void ended(Request request) {
    missedFromB2 = false;
  }

  @Override
  protected void insert(Node node) {
    long fingerprint = node.entry().fingerprint();
    boolean isUnknown = awaitsUnknown && fingerprint == unknown;
    awaitsUnknown &= !isUnknown;
    boolean usedBefore =
        (!isUnknown && (b1.remove(fingerprint) || b2.remove(fingerprint)))
            || usesBefore(node.entry()) > 0;
    if (!usedBefore) {
      trimGhosts(c(size() - 1, heldBlocks() - node.blocks()));
    }
    (usedBefore ? t2 : t1).moveToHot(node);
  }

  /** Makes room in the directory for one more entry that was used once. */
  private void trimGhosts(long c) {
    while (b1.size() > 0 && t1.size() + b1.size() >= c) {
      b1.removeOldest();
    }
    while (b2.size() > 0 && t1.size() + t2.size() + b1.size() + b2.size() >= 2 * c) {
      b2.removeOldest();
    }
  }

  @Override
  public void accessed(Node node) {
    t2.moveToHot(node);
  }

  @Override
  protected @Nullable Node choose(Demand demand) {
    boolean fromT1 = t1.size() > p || (missedFromB2 && t1.size() == p);
    Node node = (fromT1 ? t1 : t2).coldest();
    return node == null ? (fromT1 ? t2 : t1).coldest() : node;
  }

  @Override
  protected void evicted(Node node) {
    long fingerprint = node.entry().fingerprint();
    awaitsUnknown &= fingerprint != unknown;
    (node.queue() == t1 ? b1 : b2).add(fingerprint);
  }

  @Override
  public void resized(long capacityBlocks) {
    super.resized(capacityBlocks);
    b1.resize(capacityBlocks);
    b2.resize(2 * capacityBlocks);
    p = Math.min(p, (double) c());
  }

  @Override
  public double score(Node node) {
    return node.queue() == t1 ? 1 : 2;
  }

  @Override
  protected String describe(Node node) {
    return "%s since it was inserted (%s); t1 holds %d entries of a target of %.0f"
        .formatted(
            node.queue() == t1 ? "used once" : "used again", node.queue().name(), t1.size(), p);
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of(
        "p", p,
        "t1", (double) t1.size(),
        "t2", (double) t2.size(),
        "b1", (double) b1.size(),
        "b2", (double) b2.size());
  }

  /** Returns the paper's c: how many entries of the current mean size fit. */
  private long c() {
    return c(size(), heldBlocks());
  }

  private long c(long entries, long blocks) {
    return entries == 0
        ? capacityBlocks()
        : Math.round(capacityBlocks() / ((double) blocks / entries));
  }
}
