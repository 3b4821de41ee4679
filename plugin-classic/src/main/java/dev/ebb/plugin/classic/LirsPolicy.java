package dev.ebb.plugin.classic;

import dev.ebb.spi.Demand;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.NodeList;
import dev.ebb.spi.PolicyContext;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * LIRS, of Jiang and Zhang, <a href="https://dl.acm.org/doi/10.1145/511334.511340">LIRS: An
 * Efficient Low Inter-reference Recency Set Replacement Policy to Improve Buffer Cache
 * Performance</a> (SIGMETRICS '02): the LIRS algorithm based on the LRU stack.
 *
 * <p>An entry whose last two uses are close is <em>LIR</em> and stays. The others are <em>HIR</em>:
 * they share a small queue Q ({@code hirs}), whose front is evicted. The paper's stack S holds LIR
 * entries, and those HIR entries, resident or not, that were used later than its bottom. A HIR
 * entry that is used while S holds it becomes LIR. The LIR entry at the bottom then becomes HIR.
 *
 * <p>S is not stored. It orders by last use and its bottom is always a LIR entry, the one used
 * longest ago. So an entry is in S if its last use is later than that of the bottom. The queue
 * {@code lirs} orders LIR entries by last use. Ghosts remember the last use of evicted HIR entries.
 * Stack pruning needs no step.
 *
 * <p>HIR entries get 1% of the capacity, as in the paper. The paper does not limit the entries of S
 * that are not resident; {@code ghostRatio} does. A use costs O(1), a victim O(1) amortised. The
 * score is 1 for a HIR entry and 2 for a LIR entry.
 *
 * <p>A request asks for room for all its new blocks together. If they are more than Q holds, LIR
 * entries from the bottom follow. The new entries stay HIR, and Q is larger than its share until
 * enough of them are used again. The paper's rule that entries become LIR while there are too few
 * holds only until the first victim is needed, and after the capacity has changed.
 *
 * <p><b>Prefix streams.</b> If new entries became LIR immediately, a long prompt would replace LIR
 * blocks by blocks used once, and LIRS would evict as LRU does. In a large cache LIRS is far behind
 * LRU: the blocks of a turn leave Q within a few requests, long before the next turn, which must
 * compute them again. Blocks that are LIR stay for as long, although their conversation has ended.
 */
final class LirsPolicy extends GhostPolicy<LirsPolicy.Node> {

  private final EntryQueue<Node> lirs = new EntryQueue<>("lir");
  private final EntryQueue<Node> hirs = new EntryQueue<>("hir");
  private final double hirRatio;
  private long now;
  // Nothing that was used at this time or before is in S.
  private long pruned;
  private boolean filling = true;

  LirsPolicy(PolicyContext context) {
    hirRatio = context.settings().number("hir-ratio", 0.01, 0.001, 0.999);
    super(context, Node::new, "ghost-ratio", 1);
  }

  static final class Node extends EntryQueue.Node<Node> {
    /** When it was used last, on the policy's own clock. */
    private long lastUse;
  }

  @Override
  protected void insert(Node node) {
    long fingerprint = node.entry().fingerprint();
    boolean inStack = ghosts.value(fingerprint, 0) > pruned;
    ghosts.remove(fingerprint);
    boolean first = lirs.size() == 0 || (filling && lirs.size() < lirTarget());
    boolean low = first || inStack || usesBefore(node.entry()) > 0;
    node.lastUse = ++now;
    (low ? lirs : hirs).moveToHot(node);
    balance();
  }

  @Override
  public void accessed(Node node) {
    boolean inStack = node.lastUse > pruned;
    node.lastUse = ++now;
    if (node.queue() == hirs && inStack) {
      lirs.moveToHot(node);
    } else {
      node.queue().moveToHot(node);
    }
    balance();
  }

  /** Makes LIR entries beyond their share HIR, from the bottom, and prunes S. */
  private void balance() {
    while (lirs.size() > lirTarget() && lirs.order().cold() != null) {
      demote();
    }
    prune();
  }

  private void demote() {
    Node bottom = lirs.order().cold();
    if (bottom != null) {
      hirs.moveToHot(bottom);
    }
  }

  private void prune() {
    Node bottom = lirs.order().cold();
    pruned = bottom == null ? now : bottom.lastUse;
  }

  private long lirTarget() {
    long capacity = capacity();
    return capacity - Math.max(1, (long) (hirRatio * (double) capacity));
  }

  @Override
  protected @Nullable Node choose(Demand demand) {
    filling = false;
    Node node = hirs.coldest();
    while (node == null && lirs.order().cold() != null) {
      demote();
      node = hirs.coldest();
    }
    prune();
    return node;
  }

  @Override
  protected void evicted(Node node) {
    if (node.queue() == hirs && node.lastUse > pruned) {
      ghosts.add(node.entry().fingerprint(), node.lastUse);
    }
  }

  @Override
  protected void remove(Node node) {
    NodeList<Node> order = node.list();
    if (order != null) {
      order.remove(node);
    }
    prune();
  }

  @Override
  public void resized(long capacityBlocks) {
    super.resized(capacityBlocks);
    filling = true;
    balance();
  }

  @Override
  public double score(Node node) {
    return node.queue() == hirs ? 1 : 2;
  }

  @Override
  protected String describe(Node node) {
    if (node.queue() == lirs) {
      return "LIR: its last two uses are close";
    }
    return node.lastUse > pruned
        ? "HIR: the next use makes it LIR"
        : "HIR: not used for longer than any LIR entry";
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of(
        "lir", (double) lirs.size(),
        "hir", (double) hirs.size(),
        "ghosts", (double) ghosts.size());
  }
}
