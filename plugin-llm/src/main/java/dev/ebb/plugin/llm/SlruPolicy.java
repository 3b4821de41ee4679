package dev.ebb.plugin.llm;

import dev.ebb.spi.Demand;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.QueuedBlockPolicy;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Segmented LRU as SGLang has it ({@code --radix-eviction-policy slru}).
 *
 * <p>An entry used fewer times than the threshold is in {@code probation}, others are in {@code
 * protected}. The least recently used entry of probation is evicted; of protected, only if
 * probation gives none. The protected segment has no limit, and nothing moves back from it: that is
 * how it differs from the SLRU of Karedy, Love and Wherry (1994).
 *
 * <p>A use and a victim cost O(1). The score is the number of uses up to the threshold.
 *
 * <p><b>Prefix streams.</b> A second turn protects the blocks of the first for good. If such
 * conversations fill the cache, new ones are evicted before their second turn.
 */
final class SlruPolicy extends QueuedBlockPolicy<SlruPolicy.Node> {

  private final EntryQueue<Node> probation = new EntryQueue<>("probation");
  private final EntryQueue<Node> shelter = new EntryQueue<>("protected");
  private final long protectedUses;

  SlruPolicy(PolicyContext context) {
    super(context.capacityBlocks(), Node::new);
    protectedUses = context.settings().integer("protected-uses", 2, 2, 1_000_000);
  }

  static final class Node extends EntryQueue.Node<Node> {}

  @Override
  protected void insert(Node node) {
    queueFor(node).moveToHot(node);
  }

  @Override
  public void accessed(Node node) {
    queueFor(node).moveToHot(node);
  }

  private EntryQueue<Node> queueFor(Node node) {
    return node.entry().accesses() < protectedUses ? probation : shelter;
  }

  @Override
  protected @Nullable Node choose(Demand demand) {
    Node node = probation.coldest();
    return node == null ? shelter.coldest() : node;
  }

  @Override
  public double score(Node node) {
    return Math.min(protectedUses, node.entry().accesses());
  }

  @Override
  protected String describe(Node node) {
    int uses = node.entry().accesses();
    return "%d %s, in %s".formatted(uses, uses == 1 ? "use" : "uses", node.queue().name());
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of("probation", (double) probation.size(), "protected", (double) shelter.size());
  }
}
