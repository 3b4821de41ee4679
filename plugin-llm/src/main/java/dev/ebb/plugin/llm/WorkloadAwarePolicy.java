package dev.ebb.plugin.llm;

import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.GhostList;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.Request;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The workload-aware policy of Wang et al., <a href="https://arxiv.org/abs/2506.02634">KVCache
 * Cache in the Wild</a> (ATC '25).
 *
 * <p>Requests are divided into classes: by workload label, turn, hint and finish reason. Turns that
 * are not stated are found by {@link TurnTracker}. The paper found that the time until a block is
 * used again is nearly exponential within a class. For each class this policy learns the share p of
 * uses that are followed by another one, and the mean time m until then. A block that was idle for
 * t is used within the next T with probability
 *
 * <pre>  p * exp(-t / m) * (1 - exp(-T / m)) / (1 - p + p * exp(-t / m))</pre>
 *
 * <p>where T is the mean time for which evicted blocks had been idle. The block of the lowest
 * probability is evicted; among equals, the one used longest ago, which of one prompt is the last.
 *
 * <p>The paper recomputes p and m offline. Here they are learned from the first request on, with
 * one imagined reuse of each class. Uses of evicted blocks count too, through {@code ghosts}:
 * without them, a class whose blocks are evicted early would seem to have no reuse. After 1,000
 * requests of a class its counts are halved. The divisor is not in the paper: it is the probability
 * that the block was not used yet.
 *
 * <p>Within a class the probability falls with the idle time, so each class is a queue in the order
 * of use, and only its coldest entry is compared: a victim costs O(classes), at most 64, and a use
 * O(1). Time is that of the latest event. The score is the probability.
 *
 * <p><b>Prefix streams.</b> The blocks of a request belong to one class, known when it ends. Until
 * then they are evicted last.
 */
final class WorkloadAwarePolicy extends ClassedPolicy {

  private static final int MOST_CLASSES = 64;
  private static final int MOST_TURNS = 8;
  private static final long LEAST_GHOSTS = 1 << 17;
  private static final double FIRST_LIFE_NANOS = 60e9;
  private static final int LIFE_SAMPLES = 1_000;

  private final List<ReuseClass> classes = new ArrayList<>();
  private final TurnTracker turns = new TurnTracker();

  /** The last use of evicted entries, since the first event, times 64, plus the class. */
  private final GhostList ghosts;

  private final double ghostRatio;

  /** The entries used by the request that has begun and not ended. */
  private final ReuseClass running = new ReuseClass(-1, null, -1, 0, null);

  private boolean isOpen;
  private int turn;
  private double lifeNanos = FIRST_LIFE_NANOS;
  private long lives;
  private boolean isStarted;
  private long firstNanos;

  WorkloadAwarePolicy(PolicyContext context) {
    super(context);
    ghostRatio = context.settings().number("ghost-ratio", 1, 0, 100);
    ghosts = new GhostList(ghostCount());
  }

  private long ghostCount() {
    return ghostRatio == 0
        ? 0
        : Math.max(LEAST_GHOSTS, (long) (ghostRatio * (double) capacityBlocks()));
  }

  @Override
  public void resized(long capacityBlocks) {
    super.resized(capacityBlocks);
    ghosts.resize(ghostCount());
  }

  @Override
  public void began(Request request) {
    isOpen = true;
    turn = turns.turn(request);
  }

  @Override
  protected void insert(TimedNode node) {
    advance(node.entry());
    long fingerprint = node.entry().fingerprint();
    long ghost = ghosts.value(fingerprint, -1);
    if (ghost >= 0) {
      ghosts.remove(fingerprint);
      long lastNanos = firstNanos + ghost / MOST_CLASSES;
      classes.get((int) (ghost % MOST_CLASSES)).reused(nowNanos - lastNanos);
    }
    use(node);
  }

  @Override
  public void accessed(TimedNode node) {
    advance(node.entry());
    if (node.queue() != running) {
      owner(node).reused(node.entry().lastAccessNanos() - node.lastNanos);
    }
    use(node);
  }

  private void advance(Entry entry) {
    if (!isStarted) {
      isStarted = true;
      firstNanos = entry.lastAccessNanos();
      nowNanos = firstNanos;
    }
    nowNanos = Math.max(nowNanos, entry.lastAccessNanos());
  }

  private void use(TimedNode node) {
    Entry entry = node.entry();
    if (isOpen) {
      use(node, running);
    } else {
      ReuseClass its = classOf(entry.workload(), entry.turn(), entry.hint(), null);
      use(node, its);
      its.used(1);
    }
  }

  @Override
  public void ended(Request request) {
    isOpen = false;
    TimedNode node = running.order().cold();
    if (node == null) {
      return;
    }
    ReuseClass its = classOf(request.workload(), turn, request.hint(), request.finishReason());
    its.used(running.order().size());
    while (node != null) {
      its.moveToHot(node);
      node = running.order().cold();
    }
  }

  private ReuseClass classOf(
      @Nullable String workload, int turn, int hint, @Nullable String finishReason) {
    int counted = Math.min(turn, MOST_TURNS);
    for (ReuseClass each : classes) {
      if (each.isOf(workload, counted, hint, finishReason)) {
        return each;
      }
    }
    if (classes.size() == MOST_CLASSES) {
      return classes.getLast();
    }
    ReuseClass made = new ReuseClass(classes.size(), workload, counted, hint, finishReason);
    classes.add(made);
    return made;
  }

  @Override
  protected void evicted(TimedNode node) {
    lives = Math.min(LIFE_SAMPLES, lives + 1);
    lifeNanos += (nowNanos - node.lastNanos - lifeNanos) / lives;
    if (node.queue() != running) {
      long lastNanos = Math.max(0, node.lastNanos - firstNanos);
      ghosts.add(node.entry().fingerprint(), lastNanos * MOST_CLASSES + owner(node).index);
    }
  }

  @Override
  protected @Nullable TimedNode choose(Demand demand) {
    TimedNode least = null;
    for (ReuseClass each : classes) {
      least = lower(least, each.coldest());
    }
    return least == null ? running.coldest() : least;
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
    return "used again with probability %.3f: %.0f%% of the uses of its class were, after %.1f s on average"
        .formatted(score(node), 100 * its.reuseRatio(), its.meanNanos() / 1e9);
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of(
        "classes", (double) classes.size(),
        "life-seconds", lifeNanos / 1e9,
        "ghosts", (double) ghosts.size());
  }
}
