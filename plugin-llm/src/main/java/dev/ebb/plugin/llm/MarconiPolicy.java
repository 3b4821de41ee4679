package dev.ebb.plugin.llm;

import dev.ebb.spi.Demand;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.PolicyContext;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The eviction score of Marconi, of Pan et al., <a href="https://arxiv.org/abs/2411.19379">Marconi:
 * Prefix Caching for the Era of Hybrid LLMs</a> (MLSys '25).
 *
 * <p>The score of an entry is {@code recency + alpha * efficiency}, each scaled to 0 to 1 over the
 * candidates. The efficiency is the number of operations that a hit saves per byte. A token attends
 * to all tokens before it, so a block of a pure transformer saves more the deeper it is, in
 * proportion to its depth. The lowest score is evicted. With {@code alpha = 0} the order is LRU.
 *
 * <p>Depths are divided into classes, four for each power of two, and count as the least depth of
 * their class. Each class is a queue in the order of use, of which only the coldest entry is
 * compared: a victim costs O(classes), about 40 for prompts of 10,000 blocks, and a use O(1). The
 * score is that of the last comparison.
 *
 * <p>The paper chooses alpha by replays of recent requests; here it is a setting. Its admission
 * policy is for recurrent layers, which keep one state for a whole prefix, and is left out.
 *
 * <p><b>Prefix streams.</b> Only leaves can be evicted, so the depth of a candidate is the length
 * of its prompt: long prompts stay longer than short ones.
 */
final class MarconiPolicy extends ClassedPolicy {

  private static final int CLASSES = 120;

  private final DepthClass[] classes = new DepthClass[CLASSES];
  private final double alpha;
  private int occupied;
  private long oldestNanos;
  private long shallowest;
  private long deepest;

  /** The entries of similar depth. */
  private static final class DepthClass extends EntryQueue<TimedNode> {
    private final long depth;

    DepthClass(long depth) {
      super("depth " + depth);
      this.depth = depth;
    }
  }

  MarconiPolicy(PolicyContext context) {
    super(context);
    alpha = context.settings().number("alpha", 0.3, 0, 1_000);
    for (int i = 0; i < CLASSES; i++) {
      classes[i] = new DepthClass(i < 4 ? i : (4L | (i & 3)) << (i / 4 - 1));
    }
  }

  private static int classOf(int depth) {
    if (depth < 4) {
      return depth;
    }
    int power = 31 - Integer.numberOfLeadingZeros(depth);
    return 4 * (power - 1) + (depth >> (power - 2) & 3);
  }

  @Override
  public void accessed(TimedNode node) {
    int index = classOf(node.entry().depth());
    occupied = Math.max(occupied, index + 1);
    use(node, classes[index]);
  }

  @Override
  protected @Nullable TimedNode choose(Demand demand) {
    measure();
    TimedNode least = null;
    for (int i = 0; i < occupied; i++) {
      least = lower(least, classes[i].coldest());
    }
    return least;
  }

  /** Finds the ranges to which recency and efficiency are scaled. */
  private void measure() {
    oldestNanos = Long.MAX_VALUE;
    shallowest = Long.MAX_VALUE;
    deepest = 0;
    for (int i = 0; i < occupied; i++) {
      TimedNode node = classes[i].coldest();
      if (node != null) {
        oldestNanos = Math.min(oldestNanos, node.lastNanos);
        shallowest = Math.min(shallowest, classes[i].depth);
        deepest = classes[i].depth;
      }
    }
  }

  @Override
  public double score(TimedNode node) {
    long depth = ((DepthClass) node.queue()).depth; // it has no other queues
    return scaled(node.lastNanos, oldestNanos, nowNanos)
        + alpha * scaled(depth, shallowest, deepest);
  }

  private static double scaled(long value, long least, long most) {
    return most <= least ? 0 : (double) (value - least) / (double) (most - least);
  }

  @Override
  protected String describe(TimedNode node) {
    return "score %.3f at %s".formatted(score(node), node.queue().name());
  }

  @Override
  public Map<String, Double> gauges() {
    long deep = 0;
    for (DepthClass each : classes) {
      deep = each.size() > 0 ? each.depth : deep;
    }
    return Map.of("deepest", (double) deep);
  }
}
