package dev.ebb.plugin.lru;

import dev.ebb.spi.Demand;
import dev.ebb.spi.EntryQueue;
import dev.ebb.spi.NodeList;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.PolicyContext;
import dev.ebb.spi.QueuedBlockPolicy;
import dev.ebb.spi.SpareNodes;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Least frequently used in constant time, of Shah, Mitra and Matani, <a
 * href="https://arxiv.org/abs/2110.11602">An O(1) algorithm for implementing the LFU cache eviction
 * scheme</a> (2010). It keeps buckets of equal frequency in ascending order and evicts, among
 * equals, the entry used longest ago.
 *
 * <p>With dynamic ageing it is LFU-DA, of Arlitt, Cherkasova, Dilley, Friedrich and Jin, <a
 * href="https://doi.org/10.1145/346000.346003">Evaluating Content Management Techniques for Web
 * Proxy Caches</a> (2000). The key of an entry is its frequency plus the cache's {@code age} at its
 * last use. The age is the key of the last evicted entry. So entries that were popular once do not
 * stay forever.
 *
 * <p>The frequency counts uses since the entry became resident. The search for the next bucket
 * starts from the entry's own one or from the lowest, whichever is nearer: one step without ageing,
 * with it at most as many as the entry's frequency. A node that is taken back is evicted first
 * among those of its key. The score is the key.
 */
final class LfuPolicy extends QueuedBlockPolicy<LfuPolicy.Node> {

  /** The way in which popularity ages. */
  enum Ageing {
    /** Never. */
    NONE,
    /** By the key of the last evicted entry. */
    DYNAMIC
  }

  private final Ageing ageing;
  private final PolicyClock clock;
  private final NodeList<Bucket> buckets = new NodeList<>();
  private final SpareNodes<Bucket> spareBuckets = new SpareNodes<>();
  private long age;

  LfuPolicy(PolicyContext context) {
    super(context.capacityBlocks(), Node::new);
    ageing = context.settings().choice("ageing", Ageing.NONE);
    clock = context.clock();
  }

  static final class Node extends EntryQueue.Node<Node> {
    private long frequency;
    private long key;
    // Its bucket while it is in the order.
    private @Nullable Bucket bucket;
  }

  /** The nodes of one key. */
  private static final class Bucket extends NodeList.Node<Bucket> {
    // Not an EntryQueue: each use changes the bucket, and its node would change two references.
    private final NodeList<Node> nodes = new NodeList<>();
    private long key;
  }

  @Override
  protected void insert(Node node) {
    node.frequency = usesBefore(node.entry()) + 1L;
    node.key = node.frequency + age;
    enter(node, bucket(node.key, null));
  }

  @Override
  public void accessed(Node node) {
    node.frequency++;
    long key = node.frequency + age;
    boolean near = key - node.key <= node.frequency;
    Bucket target = bucket(key, near ? standing(node) : null);
    leave(node);
    node.key = key;
    enter(node, target);
  }

  @Override
  protected @Nullable Node choose(Demand demand) {
    for (Bucket lowest = buckets.cold(); lowest != null; lowest = buckets.cold()) {
      Node node = lowest.nodes.cold();
      while (node != null && node.isSetAside()) {
        lowest.nodes.remove(node);
        node = lowest.nodes.cold();
      }
      if (node != null) {
        return node;
      }
      recycle(lowest);
    }
    return null;
  }

  @Override
  protected void evicted(Node node) {
    if (ageing == Ageing.DYNAMIC) {
      age = Math.max(age, node.key);
    }
  }

  @Override
  protected void remove(Node node) {
    leave(node);
    node.bucket = null;
  }

  @Override
  protected void setAside(Node node) {
    leave(node);
  }

  @Override
  protected void takeBack(Node node) {
    if (node.list() == null) {
      node.bucket = bucket(node.key, null);
      node.bucket.nodes.addCold(node);
    }
  }

  @Override
  public double score(Node node) {
    return node.key;
  }

  @Override
  protected String describe(Node node) {
    return "frequency %d, key %d, the cache's age is %d; %s"
        .formatted(node.frequency, node.key, age, Uses.describe(node.entry(), clock));
  }

  @Override
  public Map<String, Double> gauges() {
    Bucket lowest = buckets.cold();
    return Map.of(
        "age", (double) age,
        "buckets", (double) buckets.size(),
        "lowest-key", lowest == null ? 0.0 : lowest.key);
  }

  private static @Nullable Bucket standing(Node node) {
    return node.list() == null ? null : node.bucket;
  }

  private static void enter(Node node, Bucket bucket) {
    bucket.nodes.addHot(node);
    node.bucket = bucket;
  }

  private void leave(Node node) {
    Bucket bucket = standing(node);
    if (bucket != null) {
      bucket.nodes.remove(node);
      if (bucket.nodes.isEmpty()) {
        recycle(bucket);
      }
    }
  }

  /** Finds or makes the bucket of a key, from a bucket of a smaller key (null: from the lowest). */
  private Bucket bucket(long key, @Nullable Bucket from) {
    Bucket below = from;
    Bucket next = from == null ? buckets.cold() : buckets.hotter(from);
    while (next != null && next.key <= key) {
      below = next;
      next = buckets.hotter(next);
    }
    if (below != null && below.key == key) {
      return below;
    }
    Bucket made = spareBuckets.take();
    if (made == null) {
      made = new Bucket();
    }
    made.key = key;
    if (next == null) {
      buckets.addHot(made);
    } else {
      buckets.addColderThan(made, next);
    }
    return made;
  }

  private void recycle(Bucket bucket) {
    buckets.remove(bucket);
    spareBuckets.give(bucket);
  }
}
