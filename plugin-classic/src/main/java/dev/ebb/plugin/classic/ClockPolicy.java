package dev.ebb.plugin.classic;

import dev.ebb.spi.Demand;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.QueuedBlockPolicy;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * CLOCK, of Corbató, A Paging Experiment with the Multics System (MIT Project MAC, 1968), with a
 * counter of {@code k} bits in place of one bit.
 *
 * <p>Entries are in a queue by arrival. A use increments the entry's counter, up to {@code 2^k -
 * 1}. If the oldest entry has a counter above 0, the policy decrements it and moves the entry to
 * the other end; otherwise it evicts the entry. The moving end of the queue is the paper's hand.
 *
 * <p>A use costs one increment. A victim is found in O(1) amortised, because each step of the hand
 * takes back an increment. The score is the counter.
 *
 * <p><b>Prefix streams.</b> The hand meets a chain deepest block first, as it was inserted. Blocks
 * that many prompts share have full counters. Most of them have children too, so the host would
 * refuse them anyway. What remains is close to LRU. A second bit keeps the last blocks of a prompt
 * that was repeated a few times for as many rounds of the hand.
 */
final class ClockPolicy extends QueuedBlockPolicy<ClockPolicy.Node> {

  private final EntryQueue<Node> queue = new EntryQueue<>("clock");
  private final int maxUses;

  ClockPolicy(PolicyContext context) {
    super(context.capacityBlocks(), Node::new);
    maxUses = (1 << (int) context.settings().integer("bits", 1, 1, 8)) - 1;
  }

  static final class Node extends EntryQueue.Node<Node> {
    private int uses;
  }

  @Override
  protected void insert(Node node) {
    node.uses = Math.min(maxUses, usesBefore(node.entry()));
    queue.moveToHot(node);
  }

  @Override
  public void accessed(Node node) {
    if (node.uses < maxUses) {
      node.uses++;
    }
  }

  @Override
  protected @Nullable Node choose(Demand demand) {
    Node node = queue.coldest();
    while (node != null && node.uses > 0) {
      node.uses--;
      queue.moveToHot(node);
      node = queue.coldest();
    }
    return node;
  }

  @Override
  public double score(Node node) {
    return node.uses;
  }

  @Override
  protected String describe(Node node) {
    return node.uses == 0
        ? "not used since the hand last passed it"
        : "the hand will pass it %d more %s"
            .formatted(node.uses, node.uses == 1 ? "time" : "times");
  }

  @Override
  public Map<String, Double> gauges() {
    Node oldest = queue.order().cold();
    return Map.of("hand-uses", oldest == null ? 0.0 : oldest.uses);
  }
}
