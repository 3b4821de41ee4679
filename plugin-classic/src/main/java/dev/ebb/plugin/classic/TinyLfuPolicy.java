package dev.ebb.plugin.classic;

import dev.ebb.spi.Demand;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.QueuedBlockPolicy;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * W-TinyLFU, of Einziger, Friedman and Manes, <a
 * href="https://dl.acm.org/doi/10.1145/3149371">TinyLFU: A Highly Efficient Cache Admission
 * Policy</a> (ACM Transactions on Storage, 2017): W-TinyLFU.
 *
 * <p>New entries enter {@code window}, an LRU queue. Main is a segmented LRU: entries enter {@code
 * probation}, a use there moves them to {@code shelter}, the protected segment, whose coldest goes
 * back to probation if it is larger than its share. If the window is larger than its share, its
 * coldest goes to main while there is room. Otherwise the coldest of the window and the coldest of
 * main are compared. The one with fewer uses in a {@link FrequencySketch} is evicted; of equals,
 * the one of the window.
 *
 * <p>The paper rejects a window's entry before it enters main. Here both are resident until the
 * host needs space, so the loser of the comparison is the victim. The entry that won stays in the
 * window until the next insertion pushes it out.
 *
 * <p>The window has 1% of the capacity, and the protected segment 80% of main. After 10 uses for
 * each entry of the capacity, the sketch halves its counters. There is no doorkeeper, and no random
 * admission. A use costs O(1) amortised: four counters of the sketch, and its halving from time to
 * time. A victim costs O(1) amortised. The score is the estimated number of uses.
 *
 * <p><b>Prefix streams.</b> A prompt is often larger than the window. As soon as another prompt
 * needs space, its last blocks compete. Each was used once, and loses against almost any block of
 * main, so the next turn finds only a part of this one. Uses of a shared prefix make the sketch
 * forget faster, but decide nothing, because the leaf rule protects such blocks.
 */
final class TinyLfuPolicy extends QueuedBlockPolicy<TinyLfuPolicy.Node> {

  private static final double PROTECTED_RATIO = 0.8;
  private static final int SAMPLE = 10;

  private final EntryQueue<Node> window = new EntryQueue<>("the window");
  private final EntryQueue<Node> probation = new EntryQueue<>("the probation segment");
  private final EntryQueue<Node> shelter = new EntryQueue<>("the protected segment");
  private final FrequencySketch sketch = new FrequencySketch();
  private final double windowRatio;
  private long counted;

  TinyLfuPolicy(PolicyContext context) {
    super(context.capacityBlocks(), Node::new);
    windowRatio = context.settings().number("window-ratio", 0.01, 0, 1);
  }

  static final class Node extends EntryQueue.Node<Node> {}

  @Override
  protected void insert(Node node) {
    sketch.ensure(size());
    count(node);
    (usesBefore(node.entry()) > 0 ? probation : window).moveToHot(node);
  }

  @Override
  public void accessed(Node node) {
    count(node);
    if (node.queue() == probation) {
      shelter.moveToHot(node);
      limitShelter();
    } else {
      node.queue().moveToHot(node);
    }
  }

  private void count(Node node) {
    sketch.increment(node.entry().fingerprint());
    counted++;
    if (counted >= SAMPLE * capacity()) {
      sketch.halve();
      counted /= 2;
    }
  }

  private void limitShelter() {
    long limit = (long) (PROTECTED_RATIO * (double) mainTarget());
    Node coldest = shelter.size() > limit ? shelter.coldest() : null;
    while (coldest != null) {
      probation.moveToHot(coldest);
      coldest = shelter.size() > limit ? shelter.coldest() : null;
    }
  }

  private long mainTarget() {
    return capacity() - windowTarget();
  }

  private long windowTarget() {
    return Math.max(1, (long) (windowRatio * (double) capacity()));
  }

  @Override
  protected @Nullable Node choose(Demand demand) {
    Node candidate = candidate();
    Node resident = probation.coldest();
    if (resident == null) {
      resident = shelter.coldest();
    }
    if (candidate == null || resident == null) {
      return candidate == null ? resident : candidate;
    }
    return score(candidate) > score(resident) ? resident : candidate;
  }

  /** Returns the coldest of the window, after main has taken what it has room for. */
  private @Nullable Node candidate() {
    Node node = window.coldest();
    while (node != null
        && window.size() > windowTarget()
        && probation.size() + shelter.size() < mainTarget()) {
      probation.moveToHot(node);
      node = window.coldest();
    }
    return node;
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
