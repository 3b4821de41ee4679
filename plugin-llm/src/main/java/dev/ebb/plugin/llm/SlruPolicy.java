package dev.ebb.plugin.llm;

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
final class SlruPolicy extends QueuedPolicy {

  private final EntryQueue probation = new EntryQueue("probation");
  private final EntryQueue shelter = new EntryQueue("protected");
  private final long protectedUses;

  SlruPolicy(long protectedUses) {
    this.protectedUses = protectedUses;
  }

  @Override
  EntryQueue queueFor(CachedNode node) {
    return node.entry.accesses() < protectedUses ? probation : shelter;
  }

  @Override
  @Nullable CachedNode coldest() {
    CachedNode node = probation.coldest();
    return node == null ? shelter.coldest() : node;
  }

  @Override
  public double score(CachedNode node) {
    return Math.min(protectedUses, node.entry.accesses());
  }

  @Override
  String describe(CachedNode node) {
    int uses = node.entry.accesses();
    return "%d %s, in %s".formatted(uses, uses == 1 ? "use" : "uses", node.queue.name());
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of("probation", (double) probation.size(), "protected", (double) shelter.size());
  }
}
