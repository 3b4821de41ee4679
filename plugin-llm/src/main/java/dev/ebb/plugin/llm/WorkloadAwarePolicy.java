package dev.ebb.plugin.llm;

import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.QueuedBlockPolicy;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The workload-aware policy of Wang et al., <a href="https://arxiv.org/abs/2506.02634">KVCache
 * Cache in the Wild</a> (ATC '25).
 *
 * <p>Requests are divided into classes: by workload label, by first or later turn, and by hint. The
 * paper found that the time until a block is used again is nearly exponential within a class. For
 * each class this policy learns the share p of uses that were followed by another one, and the mean
 * time m until then. A block that was idle for t is used within the next T with probability
 *
 * <pre>  p * (exp(-t / m) - exp(-(t + T) / m))</pre>
 *
 * <p>where T is the mean time for which evicted blocks had been idle. The block of the lowest
 * probability is evicted; among equals, the one used longest ago, which of one prompt is the last.
 *
 * <p>Within a class the probability falls with the idle time, so each class is a queue in the order
 * of use, and only its coldest entry is compared: a victim costs O(classes), at most 64, and a use
 * O(1). Time is that of the latest event. The score is the probability.
 *
 * <p>The paper recomputes its parameters offline; here they are learned from the first use on, with
 * one imagined reuse of each class.
 *
 * <p><b>Prefix streams.</b> Without labels, turns and hints there is one class, and the order is
 * that of LRU.
 */
final class WorkloadAwarePolicy extends QueuedBlockPolicy<TimedNode> {

  private static final int MOST_CLASSES = 64;
  private static final double FIRST_LIFE_NANOS = 60e9;
  private static final int LIFE_SAMPLES = 1_000;

  private final Map<ReuseClass.Key, ReuseClass> classes = new HashMap<>();
  private final ReuseClass others = new ReuseClass(FIRST_LIFE_NANOS);
  private double lifeNanos = FIRST_LIFE_NANOS;
  private long lives;
  private long nowNanos;

  WorkloadAwarePolicy(PolicyContext context) {
    super(context.capacityBlocks(), TimedNode::new);
  }

  private ReuseClass classOf(Entry entry) {
    ReuseClass.Key key =
        new ReuseClass.Key(entry.workload(), Math.min(entry.turn(), 2), entry.hint());
    ReuseClass known = classes.get(key);
    if (known != null || classes.size() == MOST_CLASSES) {
      return known == null ? others : known;
    }
    ReuseClass made = new ReuseClass(FIRST_LIFE_NANOS);
    classes.put(key, made);
    return made;
  }

  @Override
  protected void insert(TimedNode node) {
    node.lastNanos = node.entry().lastAccessNanos();
    queueFor(node).moveToHot(node);
  }

  @Override
  public void accessed(TimedNode node) {
    used(node);
    queueFor(node).moveToHot(node);
    node.lastNanos = node.entry().lastAccessNanos();
  }

  private EntryQueue<TimedNode> queueFor(TimedNode node) {
    nowNanos = Math.max(nowNanos, node.entry().lastAccessNanos());
    ReuseClass next = classOf(node.entry());
    next.uses++;
    return next;
  }

  private static void used(TimedNode node) {
    ReuseClass before = owner(node);
    before.reuses++;
    before.waitNanos += Math.max(0, node.entry().lastAccessNanos() - node.lastNanos);
  }

  @Override
  protected void evicted(TimedNode node) {
    lives = Math.min(LIFE_SAMPLES, lives + 1);
    lifeNanos += (nowNanos - node.lastNanos - lifeNanos) / lives;
  }

  @Override
  protected @Nullable TimedNode choose(Demand demand) {
    TimedNode least = others.coldest();
    for (ReuseClass each : classes.values()) {
      TimedNode node = each.coldest();
      if (node != null && (least == null || leavesBefore(node, least))) {
        least = node;
      }
    }
    return least;
  }

  private boolean leavesBefore(TimedNode a, TimedNode b) {
    int byScore = Double.compare(score(a), score(b));
    return byScore != 0 ? byScore < 0 : a.entry().lastAccessTick() < b.entry().lastAccessTick();
  }

  private static ReuseClass owner(TimedNode node) {
    return (ReuseClass) node.queue(); // it has no other queues
  }

  @Override
  public double score(TimedNode node) {
    return owner(node).probability((double) (nowNanos - node.lastNanos), lifeNanos);
  }

  @Override
  protected String describe(TimedNode node) {
    ReuseClass its = owner(node);
    return "used again with probability %.3f: %d of %d uses of its class were, after %.1f s on average"
        .formatted(score(node), its.reuses, its.uses, its.meanNanos() / 1e9);
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of("classes", (double) classes.size(), "life-seconds", lifeNanos / 1e9);
  }
}
