package dev.ebb.plugin.classic;

import dev.ebb.spi.Demand;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.PolicyContext;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * QD-LP-FIFO, of Yang, Qiu, Zhang, Yue and Rashmi, <a
 * href="https://dl.acm.org/doi/10.1145/3593856.3595887">FIFO can be Better than LRU: the Power of
 * Lazy Promotion and Quick Demotion</a> (HotOS '23): the section on quick demotion.
 *
 * <p>New entries enter a small FIFO queue ({@code probation}). Its oldest entry moves to {@code
 * main} if it was used there, otherwise it is evicted and remembered in {@code ghosts}: quick
 * demotion. An entry that ghosts remember enters main immediately. Main is a {@link ClockPolicy
 * CLOCK} of two bits: lazy promotion. If main is larger than its share, it gives the next victim.
 *
 * <p>The paper gives probation 10% of the capacity, and ghosts as many entries as main. A use
 * increments a counter up to 3. A victim is found in O(1) amortised. Ghosts are trimmed when a
 * request ends. The score is the counter.
 *
 * <p>libCacheSim evicts from main when an entry enters it. Here that entry is already resident when
 * the policy learns of it, so the eviction from main follows with the next victim.
 *
 * <p><b>Prefix streams.</b> A new prompt may be larger than probation. It then pushes out all
 * earlier prompts that were used once. That helps a small cache, because most blocks are used once.
 * In a large cache the next turns of those prompts are misses.
 */
final class QdlpPolicy extends GhostPolicy<QdlpPolicy.Node> {

  private static final int MAX_USES = 3;

  private final EntryQueue<Node> probation = new EntryQueue<>("probation");
  private final EntryQueue<Node> main = new EntryQueue<>("main");
  private final double probationRatio;

  QdlpPolicy(PolicyContext context) {
    probationRatio = context.settings().number("probation-ratio", 0.1, 0.001, 0.999);
    super(context, Node::new, "ghost-ratio", 0.9);
  }

  static final class Node extends EntryQueue.Node<Node> {
    private int uses;
  }

  @Override
  protected void insert(Node node) {
    node.uses = 0;
    boolean returned = ghosts.remove(node.entry().fingerprint()) || usesBefore(node.entry()) > 0;
    if (returned && main.size() >= mainTarget()) {
      // Its place is that of the next victim of main, which is found among the others.
      mainVictim();
    }
    (returned ? main : probation).moveToHot(node);
  }

  @Override
  public void accessed(Node node) {
    if (node.uses < MAX_USES) {
      node.uses++;
    }
  }

  @Override
  protected @Nullable Node choose(Demand demand) {
    while (main.size() < mainTarget() && promote()) {
      // the next one may have been used too
    }
    Node oldest = probation.coldest();
    if (oldest == null || oldest.uses > 0 || main.size() > mainTarget()) {
      Node used = mainVictim();
      return used == null ? oldest : used;
    }
    return oldest;
  }

  /** Moves the oldest entry of probation to main if it was used. */
  private boolean promote() {
    Node oldest = probation.coldest();
    if (oldest == null || oldest.uses == 0) {
      return false;
    }
    oldest.uses = 0;
    main.moveToHot(oldest);
    return true;
  }

  private @Nullable Node mainVictim() {
    Node node = main.coldest();
    while (node != null && node.uses > 0) {
      node.uses--;
      main.moveToHot(node);
      node = main.coldest();
    }
    return node;
  }

  private long mainTarget() {
    long capacity = capacity();
    return capacity - (long) (probationRatio * (double) capacity);
  }

  @Override
  protected void evicted(Node node) {
    if (node.queue() == probation) {
      ghosts.add(node.entry().fingerprint());
    } else if (main.size() <= mainTarget()) {
      promote();
    }
  }

  @Override
  public double score(Node node) {
    return node.uses;
  }

  @Override
  protected String describe(Node node) {
    return "in %s with %d recent %s"
        .formatted(node.queue().name(), node.uses, node.uses == 1 ? "use" : "uses");
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of(
        "probation", (double) probation.size(),
        "main", (double) main.size(),
        "ghosts", (double) ghosts.size());
  }
}
