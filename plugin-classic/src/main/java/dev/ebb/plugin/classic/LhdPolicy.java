package dev.ebb.plugin.classic;

import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.SampledBlockPolicy;
import java.util.Arrays;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * LHD, of Beckmann, Chen, Cidon, <a
 * href="https://www.usenix.org/conference/nsdi18/presentation/beckmann">LHD: Improving Cache Hit
 * Rate by Maximizing Hit Density</a> (NSDI '18).
 *
 * <p>The hit density of an entry is its expected hits per block and time from now on. It is learned
 * for each class and age from how many entries were used, and how many evicted, at each age. The
 * lowest of a sample is evicted. A class has the entries whose last two gaps between uses add up to
 * about the same (section 4.4); age counts insertions and uses since the last use.
 *
 * <p>As in the authors' code: 16 classes; ages in steps of about a hundredth of the cache's
 * entries; evidence fades by a tenth each time the densities are computed again; the last 8 new
 * entries that look worse than recent victims are candidates beside the sample; about 1 % of the
 * cache is given to explorers, which are evicted last, so that hits at old ages are seen.
 * Different: the densities are computed again after as many uses as four times the cache's
 * capacity, not after 2^20, because a cache of prompts sees far fewer uses.
 *
 * <p>O(samples) for a victim, O(1) for a use. The score is the hit density, in hits per block and
 * insertion or use.
 */
final class LhdPolicy extends SampledBlockPolicy<LhdPolicy.Node> {

  private static final int CLASSES = 16;
  private static final int AGES = 4_096;
  private static final int OLDEST = AGES - 1;
  private static final double FADING = 0.9;
  private static final double AGE_STEP = 0.01;
  private static final int ADMISSIONS = 8;
  private static final int EXPLORERS = 32;
  private static final double EXPLORER_SHARE = 0.01;
  private static final long SHORTEST_PERIOD = 4_096;
  private static final int PERIOD = 4;

  static final class Node extends SampledBlockPolicy.Node {
    private final int blocks;
    private long lastUse;
    private int lastAge;
    private int ageBefore = AGES;
    private boolean isNew = true;
    private boolean explores;

    Node(Entry entry) {
      super(entry);
      blocks = entry.blocks();
    }
  }

  private final RandomGenerator random;
  private final @Nullable Node[] admitted = new Node[ADMISSIONS];
  private final float[][] hits = new float[CLASSES][AGES];
  private final float[][] evictions = new float[CLASSES][AGES];
  private final float[][] densities = new float[CLASSES][AGES];
  private int shift;
  private long period;
  private long usesLeft;
  private long uses;
  private int admissions;
  private double explorerBlocks;
  private double victimDensity;

  LhdPolicy(PolicyContext context) {
    super(context.random(), (int) context.settings().integer("samples", 32, 1, 1024), Node::new);
    random = context.random();
    resized(context.capacityBlocks());
    // Until something is known: the shorter the last gaps, and the younger, the better.
    for (int hitClass = 0; hitClass < CLASSES; hitClass++) {
      for (int age = 0; age < AGES; age++) {
        densities[hitClass][age] = (hitClass + 1f) / (age + 1);
      }
    }
  }

  @Override
  public void resized(long capacityBlocks) {
    period = Math.max(SHORTEST_PERIOD, PERIOD * capacityBlocks);
    usesLeft = period;
    int coarser = 63 - Long.numberOfLeadingZeros(Math.max(1, (long) (capacityBlocks * AGE_STEP)));
    while (shift < coarser) {
      coarsen();
    }
    explorerBlocks = capacityBlocks * EXPLORER_SHARE;
  }

  @Override
  protected void used(Node node) {
    if (node.isNew) {
      node.isNew = false;
    } else {
      int age = age(node);
      hits[hitClass(node)][age]++;
      node.ageBefore = node.lastAge;
      node.lastAge = age;
      stopExploring(node);
    }
    node.lastUse = uses++;
    explore(node);
    if (--usesLeft == 0) {
      usesLeft = period;
      learn();
    }
  }

  private void explore(Node node) {
    boolean first = node.lastAge == 0 && node.ageBefore == AGES;
    if (random.nextInt(EXPLORERS) == 0 && explorerBlocks > 0) {
      node.explores = true;
      explorerBlocks -= node.blocks;
    } else if (first && rank(node) < victimDensity) {
      admitted[admissions++ % ADMISSIONS] = node;
    }
  }

  private void stopExploring(Node node) {
    if (node.explores) {
      node.explores = false;
      explorerBlocks += node.blocks;
    }
  }

  @Override
  protected void evicted(Node node) {
    evictions[hitClass(node)][age(node)]++;
  }

  @Override
  protected void remove(Node node) {
    stopExploring(node);
  }

  @Override
  protected double rank(Node node) {
    int age = age(node);
    if (age == OLDEST) {
      return Double.NEGATIVE_INFINITY;
    }
    double density = densities[hitClass(node)][age] / node.blocks;
    return node.explores ? density + 1 : density;
  }

  private int age(Node node) {
    return (int) Math.min((uses - node.lastUse) >> shift, OLDEST);
  }

  /** Returns the class: the number of times that the last two gaps can be doubled. */
  private static int hitClass(Node node) {
    int gaps = node.lastAge + node.ageBefore;
    if (gaps == 0) {
      return CLASSES - 1;
    }
    int doublings = 0;
    while (gaps < AGES && doublings < CLASSES - 1) {
      gaps <<= 1;
      doublings++;
    }
    return doublings;
  }

  @Override
  protected @Nullable Node choose(Demand demand) {
    Node lowest = super.choose(demand);
    if (lowest == null) {
      return null;
    }
    double density = rank(lowest);
    for (Node node : admitted) {
      if (node != null && isDrawable(node) && rank(node) < density) {
        lowest = node;
        density = rank(node);
      }
    }
    if (density > Double.NEGATIVE_INFINITY) {
      victimDensity = FADING * victimDensity + (1 - FADING) * density;
    }
    return lowest;
  }

  /** Computes the hit densities again (section 4.2): expected hits divided by expected life. */
  private void learn() {
    for (int hitClass = 0; hitClass < CLASSES; hitClass++) {
      double hitsFrom = 0;
      double eventsFrom = 0;
      double life = 0;
      for (int age = OLDEST; age >= 0; age--) {
        hitsFrom += hits[hitClass][age] *= (float) FADING;
        eventsFrom += hits[hitClass][age] + (evictions[hitClass][age] *= (float) FADING);
        life += eventsFrom;
        densities[hitClass][age] = eventsFrom > 1e-5 ? (float) (hitsFrom / life) : 0;
      }
    }
  }

  /** Doubles the steps of ages. */
  private void coarsen() {
    shift++;
    for (int hitClass = 0; hitClass < CLASSES; hitClass++) {
      fold(hits[hitClass]);
      fold(evictions[hitClass]);
    }
  }

  private static void fold(float[] counts) {
    for (int age = 0; age < AGES / 2; age++) {
      counts[age] = counts[2 * age] + counts[2 * age + 1];
    }
    Arrays.fill(counts, AGES / 2, AGES, 0);
  }

  @Override
  protected String describe(Node node) {
    return "class %d of %d, last used %d insertions and uses ago%s"
        .formatted(
            hitClass(node), CLASSES, uses - node.lastUse, node.explores ? ", an explorer" : "");
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of("victim-density", victimDensity, "explorer-blocks", explorerBlocks);
  }
}
