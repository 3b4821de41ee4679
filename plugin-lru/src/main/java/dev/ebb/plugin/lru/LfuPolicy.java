package dev.ebb.plugin.lru;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.NodeList;
import dev.ebb.spi.Origin;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.RemovalCause;
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
final class LfuPolicy implements BlockPolicy<LfuPolicy.Node> {

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
  private final SpareNodes<Node> spares = new SpareNodes<>();
  private long age;
  private long size;

  LfuPolicy(Ageing ageing, PolicyClock clock) {
    this.ageing = ageing;
    this.clock = clock;
  }

  static final class Node extends Candidate<Node> {
    private long frequency;
    private long key;
    // Its bucket while it is in the order.
    private @Nullable Bucket bucket;

    private Node(Entry entry) {
      super(entry);
    }
  }

  /** The nodes of one key. */
  private static final class Bucket extends NodeList.Node<Bucket> {
    private final CandidateQueue<Node> nodes = new CandidateQueue<>();
    private long key;
  }

  @Override
  public Node inserted(Entry entry) {
    Node node = spares.take();
    if (node == null) {
      node = new Node(entry);
    } else {
      node.renew(entry);
    }
    // Calls come in batches: a new entry may have been used again, and accessed() counts that use.
    node.frequency = entry.origin() == Origin.HANDED_OVER ? entry.accesses() : 1;
    node.key = node.frequency + age;
    enter(node, bucket(node.key, null));
    size++;
    return node;
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
  public @Nullable Entry victim(Demand demand) {
    for (Bucket lowest = buckets.cold(); lowest != null; lowest = buckets.cold()) {
      Node node = lowest.nodes.coldest();
      if (node != null) {
        return node.entry;
      }
      recycle(lowest);
    }
    return null;
  }

  @Override
  public void removed(Node node, RemovalCause cause) {
    leave(node);
    size--;
    if (ageing == Ageing.DYNAMIC && cause.forCapacity()) {
      age = Math.max(age, node.key);
    }
    node.forget();
    spares.give(node);
  }

  @Override
  public void refused(Node node) {
    node.aside = true;
    leave(node);
  }

  @Override
  public void released(Node node) {
    Bucket own = standing(node);
    Bucket target = own == null ? bucket(node.key, null) : own;
    target.nodes.takeBack(node);
    node.bucket = target;
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public double score(Node node) {
    return node.key;
  }

  @Override
  public String explain(Node node) {
    return "frequency %d, key %d, the cache's age is %d; %s"
        .formatted(node.frequency, node.key, age, node.use(clock.nanos()));
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
    bucket.nodes.touch(node);
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
