package dev.ebb.plugin.llm;

import dev.ebb.spi.Demand;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.QueuedBlockPolicy;
import dev.ebb.spi.Settings;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Segmented LRU as SGLang has it ({@code --radix-eviction-policy slru}), with the debounce and the
 * decay of <a href="https://github.com/sgl-project/sglang/pull/24075">pull request 24075</a>
 * (2026).
 *
 * <p>An entry used fewer times than the threshold is in {@code probation}, others are in {@code
 * protected}. The least recently used entry of probation is evicted; of protected, only if
 * probation gives none. The protected segment has no limit: that is how it differs from the SLRU of
 * Karedy, Love and Wherry (1994).
 *
 * <p>A use that follows another within {@code debounce} does not count, as when many requests of
 * one prefix arrive together. A protected entry that was idle for {@code decay} is evicted as one
 * of probation. Both are off by default, as in SGLang.
 *
 * <p>A use and a victim cost O(1). Time is that of the latest event. The score is the number of
 * counted uses up to the threshold.
 *
 * <p><b>Prefix streams.</b> A second turn protects the blocks of the first, without decay for good.
 * If such conversations fill the cache, new ones are evicted before their second turn.
 */
final class SlruPolicy extends QueuedBlockPolicy<SlruPolicy.Node> {

  private final EntryQueue<Node> probation = new EntryQueue<>("probation");
  private final EntryQueue<Node> shelter = new EntryQueue<>("protected");
  private final int protectedUses;
  private final long debounceNanos;
  private final long decayNanos;
  private long nowNanos;

  SlruPolicy(PolicyContext context) {
    super(context.capacityBlocks(), Node::new);
    Settings settings = context.settings();
    protectedUses = (int) settings.integer("protected-uses", 2, 2, 1_000_000);
    Duration most = Duration.ofDays(1);
    debounceNanos = settings.duration("debounce", Duration.ZERO, Duration.ZERO, most).toNanos();
    decayNanos = settings.duration("decay", Duration.ZERO, Duration.ZERO, most).toNanos();
  }

  static final class Node extends EntryQueue.Node<Node> {

    /** Uses that count, up to the threshold. */
    private int uses;

    private long lastNanos;
  }

  @Override
  protected void insert(Node node) {
    node.uses = Math.min(protectedUses, 1 + usesBefore(node.entry()));
    node.lastNanos = node.entry().lastAccessNanos();
    move(node);
  }

  @Override
  public void accessed(Node node) {
    long nanos = node.entry().lastAccessNanos();
    if (node.uses < protectedUses && nanos - node.lastNanos >= debounceNanos) {
      node.uses++;
    }
    node.lastNanos = nanos;
    move(node);
  }

  private void move(Node node) {
    nowNanos = Math.max(nowNanos, node.lastNanos);
    (node.uses < protectedUses ? probation : shelter).moveToHot(node);
  }

  @Override
  protected @Nullable Node choose(Demand demand) {
    Node node = probation.coldest();
    Node used = node == null || decayNanos > 0 ? shelter.coldest() : null;
    if (node == null || used == null) {
      return node == null ? used : node;
    }
    return isIdle(used) && isOlder(used, node) ? used : node;
  }

  private boolean isIdle(Node node) {
    return nowNanos - node.lastNanos >= decayNanos;
  }

  private static boolean isOlder(Node a, Node b) {
    return a.entry().lastAccessTick() < b.entry().lastAccessTick();
  }

  @Override
  public double score(Node node) {
    return node.uses;
  }

  @Override
  protected String describe(Node node) {
    return "%d counted %s, in %s"
        .formatted(node.uses, node.uses == 1 ? "use" : "uses", node.queue().name());
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of("probation", (double) probation.size(), "protected", (double) shelter.size());
  }
}
