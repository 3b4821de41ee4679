package dev.ebb.plugin.classic;

import dev.ebb.spi.Demand;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.Origin;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.QueuedBlockPolicy;
import dev.ebb.spi.Request;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * W-TinyLFU, of Einziger, Friedman and Manes, <a
 * href="https://dl.acm.org/doi/10.1145/3149371">TinyLFU: A Highly Efficient Cache Admission
 * Policy</a> (ACM Transactions on Storage, 2017), with the adaptive window of Caffeine 3.3: {@link
 * WindowClimber}.
 *
 * <p>New entries enter {@code window}, an LRU queue. Main is a segmented LRU: entries enter {@code
 * probation}, a use there moves them to {@code shelter}, the protected segment, whose coldest goes
 * back to probation if it is larger than its share. If the window is larger than its share, its
 * coldest goes to main while there is room. Otherwise the coldest of the window and the coldest of
 * main are compared. The one with fewer uses in a {@link FrequencySketch} is evicted; of equals,
 * the one of the window. One with at least 6 uses may win all the same, by a chance of 1 in 128.
 *
 * <p>The paper rejects a window's entry before it enters main. Here both are resident until the
 * host needs space, so the loser of the comparison is the victim, and a winner enters main.
 *
 * <p>The window has 1% of the capacity at first, and the protected segment 80% of the rest. The
 * window grows at the cost of the protected segment. Uses are counted once the cache is half full.
 * After 10 counted uses for each entry of the capacity, the sketch halves its counters. There is no
 * doorkeeper. A use costs O(1) amortised: four counters of the sketch, its halving and a move of
 * the borders from time to time, at most 1,000 entries at once. A victim costs O(1) amortised. The
 * score is the estimated number of uses.
 *
 * <p><b>Prefix streams.</b> A prompt is often larger than the window. As soon as another prompt
 * needs space, its last blocks compete. Each was used once, and loses against almost any block of
 * main, so the next turn finds only a part of this one. Uses of a shared prefix make the sketch
 * forget faster, but decide nothing, because the leaf rule protects such blocks.
 */
final class TinyLfuPolicy extends QueuedBlockPolicy<TinyLfuPolicy.Node> {

  private static final double PROTECTED_RATIO = 0.8;

  /** An entry used so often may win against one used more, by a chance of 1 in 128. */
  private static final int WARM = 6;

  private static final int CHANCE = 128;

  /** The most entries that one event moves between the segments. */
  private static final int MOST_MOVES = 1_000;

  private final EntryQueue<Node> window = new EntryQueue<>("the window");
  private final EntryQueue<Node> probation = new EntryQueue<>("the probation segment");
  private final EntryQueue<Node> shelter = new EntryQueue<>("the protected segment");
  private final FrequencySketch sketch = new FrequencySketch();
  private final WindowClimber climber = new WindowClimber();
  private final RandomGenerator random;
  private final double windowRatio;
  private final boolean adaptive;

  /** The capacity in entries that the targets belong to. */
  private long entries;

  private long windowTarget;
  private long protectedTarget;

  /** Whether the cache has been half full: uses before that are not counted. */
  private boolean counting;

  /** By how many entries the window still has to change. */
  private long change;

  /** The insertions of the current request. */
  private long fresh;

  /** The entry that won the last comparison, whose loser is not evicted yet. */
  private @Nullable Node winner;

  TinyLfuPolicy(PolicyContext context) {
    super(context.capacityBlocks(), Node::new);
    random = context.random();
    windowRatio = context.settings().number("window-ratio", 0.01, 0, 1);
    adaptive = context.settings().flag("adaptive", true);
  }

  static final class Node extends EntryQueue.Node<Node> {}

  @Override
  public void began(Request request) {
    fresh = 0;
  }

  @Override
  protected void insert(Node node) {
    count(node);
    (usesBefore(node.entry()) > 0 ? probation : window).moveToHot(node);
    if (counting && node.entry().origin() == Origin.NEW) {
      climber.miss();
    }
    fresh++;
    Node coldest = window.size() > windowTarget + fresh ? window.coldest() : null;
    if (coldest != null) {
      probation.moveToHot(coldest);
    }
    adapt();
  }

  @Override
  public void accessed(Node node) {
    count(node);
    if (counting) {
      climber.hit(node.queue() == window);
    }
    if (node.queue() == probation) {
      shelter.moveToHot(node);
    } else {
      node.queue().moveToHot(node);
    }
    adapt();
  }

  /** Sets the targets of another capacity: in proportion, but from the start after a resize. */
  private void fit() {
    long now = capacity();
    if (now == entries) {
      return;
    }
    double ratio = entries == 0 ? windowRatio : (double) windowTarget / entries;
    if (entries == 0) {
      climber.restart(now);
    } else {
      climber.fit(now);
    }
    entries = now;
    windowTarget = Math.clamp((long) Math.ceil(ratio * now), 1, now);
    protectedTarget = (long) (PROTECTED_RATIO * (now - windowTarget));
    change = 0;
  }

  private void count(Node node) {
    fit();
    counting |= 2 * size() >= entries;
    if (counting) {
      sketch.count(node.entry().fingerprint(), entries);
    }
  }

  /** Moves the borders between the segments. */
  private void adapt() {
    long next = adaptive && counting ? climber.change(windowTarget) : 0;
    if (next != 0) {
      change = next;
    }
    limitShelter();
    if (change > 0) {
      grow();
    } else if (change < 0) {
      shrink();
    }
  }

  private void limitShelter() {
    for (int i = 0; i < MOST_MOVES && shelter.size() > protectedTarget; i++) {
      Node coldest = shelter.coldest();
      if (coldest == null) {
        return;
      }
      probation.moveToHot(coldest);
    }
  }

  private void grow() {
    long left = Math.min(change, protectedTarget);
    protectedTarget -= left;
    windowTarget += left;
    limitShelter();
    for (int i = 0; i < MOST_MOVES && left > 0; i++) {
      Node coldest = mainColdest();
      if (coldest == null) {
        break;
      }
      window.moveToHot(coldest);
      left--;
    }
    settle(left);
  }

  private void shrink() {
    long left = Math.min(-change, Math.max(0, windowTarget - 1));
    protectedTarget += left;
    windowTarget -= left;
    for (int i = 0; i < MOST_MOVES && left > 0; i++) {
      Node coldest = window.coldest();
      if (coldest == null) {
        break;
      }
      probation.moveToHot(coldest);
      left--;
    }
    settle(-left);
  }

  /** Leaves what could not be moved yet to the next event. */
  private void settle(long left) {
    protectedTarget += left;
    windowTarget -= left;
    change = left;
  }

  private @Nullable Node mainColdest() {
    Node coldest = probation.coldest();
    return coldest == null ? shelter.coldest() : coldest;
  }

  @Override
  protected @Nullable Node choose(Demand demand) {
    fit();
    Node candidate = candidate();
    Node resident = probation.coldest();
    if (candidate == null) {
      return resident == null ? shelter.coldest() : resident;
    }
    if (resident == null || resident == candidate || !wins(candidate, resident)) {
      return candidate;
    }
    if (candidate.queue() == window) {
      probation.moveToHot(candidate);
    }
    winner = candidate;
    return resident;
  }

  /** Returns the winner of the last comparison, if its loser was refused; or of the window. */
  private @Nullable Node candidate() {
    Node won = winner;
    if (won != null && won.queue() == probation && !won.isSetAside()) {
      return won;
    }
    Node node = window.coldest();
    while (node != null
        && window.size() > windowTarget
        && probation.size() + shelter.size() < entries - windowTarget) {
      probation.moveToHot(node);
      node = window.coldest();
    }
    return node;
  }

  private boolean wins(Node candidate, Node resident) {
    double uses = score(candidate);
    return uses > score(resident) || (uses >= WARM && random.nextInt(CHANCE) == 0);
  }

  @Override
  protected void evicted(Node node) {
    winner = null;
  }

  @Override
  protected void remove(Node node) {
    if (node == winner) {
      winner = null;
    }
  }

  @Override
  public void resized(long capacityBlocks) {
    super.resized(capacityBlocks);
    entries = 0;
  }

  @Override
  public double score(Node node) {
    return sketch.frequency(node.entry().fingerprint());
  }

  @Override
  protected String describe(Node node) {
    return "in %s, with an estimated number of recent uses of %.0f"
        .formatted(node.queue().name(), score(node));
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of(
        "window", (double) window.size(),
        "probation", (double) probation.size(),
        "protected", (double) shelter.size());
  }
}
