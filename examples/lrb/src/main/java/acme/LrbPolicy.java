package acme;

import dev.ebb.spi.Background;
import dev.ebb.spi.Entry;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.SampledBlockPolicy;
import java.util.HashMap;
import java.util.Map;
import java.util.random.RandomGenerator;

/**
 * Learning Relaxed Belady (Song, Berger, Li, Lloyd: NSDI 2020). Of some random entries it evicts
 * the one whose next use is predicted to be the furthest away. A block whose next use is beyond the
 * Belady boundary is as good a victim as any other: its label is twice the boundary.
 *
 * <p>The paper draws training samples of all objects. Here they are drawn of the entries that are
 * compared for a victim, because these are what the model has to rank. A sample gets its label with
 * the next use of its block, in the cache or after its eviction, or when the boundary has passed.
 *
 * <p>Until the first model is trained, it evicts the least recently used of the random entries.
 */
final class LrbPolicy extends SampledBlockPolicy<LrbPolicy.Node> {

  /** One in so many comparisons becomes a training sample. */
  private static final int COMPARISONS_PER_SAMPLE = 64;

  private final Background background;
  private final RandomGenerator random;
  private final long boundary;

  /** Labelled samples of the next model. */
  private Samples samples;

  /** The samples that were trained with last, to be filled again. */
  private Samples spare;

  /** Samples without a label, in the order of their ticks: a ring. */
  private final Pending[] pending;

  private int oldest;
  private int waiting;

  /** Those whose block is not in the cache any more. */
  private final Map<Long, Pending> evicted = new HashMap<>();

  private final float[] features = new float[Features.COUNT];
  private Forest model;
  private long models;

  /** An entry with the history of its uses. */
  static final class Node extends SampledBlockPolicy.Node {
    final Features history = new Features();
    Pending sample;

    Node(Entry entry) {
      super(entry);
    }
  }

  /** A training sample that waits for the next use of its block. */
  private static final class Pending {
    final float[] features;
    final long tick;
    long fingerprint;
    boolean labelled;

    Pending(float[] features, long tick, long fingerprint) {
      this.features = features;
      this.tick = tick;
      this.fingerprint = fingerprint;
    }
  }

  LrbPolicy(PolicyContext context, int samples, double window, int batch) {
    super(context.random(), samples, Node::new);
    random = context.random();
    background = context.background();
    boundary = (long) Math.ceil(window * context.capacityBlocks());
    this.samples = new Samples(batch);
    spare = new Samples(batch);
    pending = new Pending[batch];
  }

  @Override
  protected void used(Node node) {
    Pending sample = node.sample;
    if (sample == null && !evicted.isEmpty() && node.history.isNew()) {
      sample = evicted.remove(node.entry().fingerprint());
    }
    if (sample != null) {
      node.sample = null;
      label(sample, now() - sample.tick);
    }
    node.history.use(now());
  }

  @Override
  protected double rank(Node node) {
    double score = score(node);
    if (random.nextInt(COMPARISONS_PER_SAMPLE) == 0) {
      sample(node);
    }
    return score;
  }

  /** Returns the same without a training sample, for a person. */
  @Override
  public double score(Node node) {
    node.history.read(node.entry(), now(), features);
    return model == null ? node.entry().lastAccessTick() : -model.predict(features);
  }

  private void sample(Node node) {
    while (waiting > 0 && isOver(pending[oldest])) {
      dropOldest();
    }
    // To drop one without a label would leave out the blocks that are used late.
    if (waiting == pending.length || (node.sample != null && !node.sample.labelled)) {
      return;
    }
    Pending sample = new Pending(features.clone(), now(), node.entry().fingerprint());
    pending[(oldest + waiting++) % pending.length] = sample;
    node.sample = sample;
  }

  private boolean isOver(Pending sample) {
    return sample.labelled || now() - sample.tick > boundary;
  }

  private void dropOldest() {
    Pending sample = pending[oldest];
    pending[oldest] = null;
    oldest = (oldest + 1) % pending.length;
    waiting--;
    evicted.remove(sample.fingerprint, sample);
    label(sample, 2 * boundary);
  }

  /** The model predicts the logarithm: an error of one tick matters for the nearest uses only. */
  private void label(Pending sample, long distance) {
    if (sample.labelled) {
      return;
    }
    sample.labelled = true;
    if (!samples.isFull()) {
      samples.add(sample.features, Features.log(Math.min(distance, 2 * boundary)));
    }
    if (samples.isFull()) {
      train();
    }
  }

  /** The task reads its samples alone: the policy fills others meanwhile. */
  private void train() {
    Samples full = samples;
    if (background.submit(() -> Forest.train(full), this::trained)) {
      samples = spare;
      samples.clear();
      spare = full;
    }
  }

  private void trained(Forest forest) {
    model = forest;
    models++;
  }

  @Override
  protected void evicted(Node node) {
    if (node.sample != null && !node.sample.labelled) {
      evicted.put(node.entry().fingerprint(), node.sample);
      node.sample = null;
    }
  }

  @Override
  protected void remove(Node node) {
    if (node.sample != null) {
      // Deleted or expired: nobody knows whether it would have been used.
      node.sample.labelled = true;
      node.sample.fingerprint = 0;
    }
  }

  @Override
  protected String describe(Node node) {
    return model == null
        ? "no model yet"
        : "next use predicted in %.0f ticks".formatted(Math.pow(2, -score(node)));
  }

  @Override
  public Map<String, Double> gauges() {
    return Map.of(
        "models", (double) models,
        "labelled-samples", (double) samples.size(),
        "waiting-samples", (double) waiting);
  }
}
