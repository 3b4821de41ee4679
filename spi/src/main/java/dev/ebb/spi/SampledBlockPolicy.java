package dev.ebb.spi;

import java.util.Arrays;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The base of policies whose ranks change with time. The victim is the lowest of some entries drawn
 * at random, and their ranks are read only then. Hyperbolic caching, for example:
 *
 * <pre>{@code
 * final class Hyperbolic extends SampledBlockPolicy<SampledBlockPolicy.Node> {
 *
 *   Hyperbolic(PolicyContext context) {
 *     super(context.random(), 64, Node::new);
 *   }
 *
 *   @Override
 *   protected double rank(Node node) {
 *     Entry entry = node.entry();
 *     return (double) entry.accesses() / Math.max(1, now() - entry.createdTick());
 *   }
 * }
 * }</pre>
 *
 * <p>Entries that are set aside are not drawn. O(samples) for a victim, O(1) for everything else.
 *
 * @param <N> the policy's node type
 * @since 1.6.0
 */
public abstract class SampledBlockPolicy<N extends SampledBlockPolicy.Node>
    implements BlockPolicy<N> {

  private static final int ABSENT = -1;

  /** Each sampled node and its entry are read from memory. */
  private static final long NANOS_PER_SAMPLE = 500;

  private final RandomGenerator random;
  private final int samples;
  private final Function<Entry, N> nodes;

  /** The nodes that can be drawn, without gaps. */
  private Node[] drawable = new Node[64];

  private int size;
  private long held;
  private long now;

  /**
   * Creates a policy that holds nothing.
   *
   * @param random {@link PolicyContext#random}
   * @param samples how many entries are drawn for a victim, at least 1; all if there are no more
   * @param nodes creates the node of a new entry, such as {@code Node::new}
   */
  protected SampledBlockPolicy(RandomGenerator random, int samples, Function<Entry, N> nodes) {
    if (samples < 1) {
      throw new IllegalArgumentException("samples are %d; at least 1 is needed".formatted(samples));
    }
    this.random = random;
    this.samples = samples;
    this.nodes = nodes;
  }

  /**
   * The bookkeeping for one entry. Extend it with what the policy keeps for an entry.
   *
   * @since 1.6.0
   */
  public static class Node {
    private final Entry entry;
    private int place = ABSENT;

    /**
     * Creates the node of an entry.
     *
     * @param entry the entry
     */
    public Node(Entry entry) {
      this.entry = entry;
    }

    /**
     * Returns the entry.
     *
     * @return the entry, to be read until it is removed
     */
    public final Entry entry() {
      return entry;
    }
  }

  /**
   * Returns the worth of an entry now. The lowest rank is evicted first; among equals, the one used
   * longest ago.
   *
   * @param node the entry's node
   * @return any number but NaN; the host abandons a policy that returns NaN
   */
  protected abstract double rank(N node);

  /**
   * Called for a new entry and for each use of an entry, after {@link #now} has advanced. The
   * default does nothing.
   *
   * @param node the entry's node
   */
  protected void used(N node) {}

  /**
   * Called when an entry is evicted to make room, not when it expired or a client deleted it. The
   * default does nothing.
   *
   * @param node the node of the evicted entry
   */
  protected void evicted(N node) {}

  /**
   * Called when an entry is removed for any reason. The default does nothing.
   *
   * @param node the node of the removed entry
   */
  protected void remove(N node) {}

  /**
   * Describes an entry, for {@link #explain}.
   *
   * @param node the entry's node
   * @return one line; empty by default
   */
  protected String describe(N node) {
    return "";
  }

  /**
   * Returns the entry to evict next: the lowest of a sample. A policy with candidates of its own
   * compares them with this one.
   *
   * @param demand what the host needs; reused by the host
   * @return a node that is not set aside, or null if there is none
   */
  protected @Nullable N choose(Demand demand) {
    boolean all = size <= samples;
    int draws = all ? size : samples;
    N lowest = null;
    double lowestRank = 0;
    for (int i = 0; i < draws; i++) {
      N node = at(all ? i : random.nextInt(size));
      double rank = checkedRank(node);
      if (lowest == null || rank < lowestRank || (rank == lowestRank && isOlder(node, lowest))) {
        lowest = node;
        lowestRank = rank;
      }
    }
    return lowest;
  }

  private double checkedRank(N node) {
    double rank = rank(node);
    if (Double.isNaN(rank)) {
      throw new IllegalStateException("rank() is NaN for an entry; it must be a number");
    }
    return rank;
  }

  private static boolean isOlder(Node a, Node b) {
    return a.entry.lastAccessTick() < b.entry.lastAccessTick();
  }

  // Only nodes that the policy has created are here.
  @SuppressWarnings("unchecked")
  private N at(int place) {
    return (N) drawable[place];
  }

  /**
   * Returns the tick of the last insertion or use, of the same count as {@link Entry#createdTick}
   * and {@link Entry#lastAccessTick}.
   *
   * @return the current tick
   */
  protected final long now() {
    return now;
  }

  /**
   * Returns whether an entry may be offered: it is resident, and not set aside.
   *
   * @param node a node of this policy
   * @return true if it can be drawn
   */
  protected final boolean isDrawable(N node) {
    Node own = node;
    return own.place != ABSENT;
  }

  @Override
  public final N inserted(Entry entry) {
    N node = nodes.apply(entry);
    held++;
    add(node);
    accessed(node);
    return node;
  }

  @Override
  public final void accessed(N node) {
    now = Math.max(now, node.entry().lastAccessTick());
    used(node);
  }

  @Override
  public final @Nullable Entry victim(Demand demand) {
    N node = choose(demand);
    return node == null ? null : node.entry();
  }

  @Override
  public final void removed(N node, RemovalCause cause) {
    held--;
    if (cause.forCapacity()) {
      evicted(node);
    }
    remove(node);
    take(node);
  }

  @Override
  public final void refused(N node) {
    take(node);
  }

  @Override
  public final void released(N node) {
    add(node);
  }

  @Override
  public final long size() {
    return held;
  }

  /** Returns the default, or more for many samples. */
  @Override
  public long evictionBudgetNanos() {
    return Math.max(BlockPolicy.super.evictionBudgetNanos(), samples * NANOS_PER_SAMPLE);
  }

  @Override
  public double score(N node) {
    return rank(node);
  }

  @Override
  public final String explain(N node) {
    return QueuedBlockPolicy.explain(describe(node), !isDrawable(node));
  }

  private void add(Node node) {
    if (size == drawable.length) {
      drawable = Arrays.copyOf(drawable, size * 2);
    }
    node.place = size;
    drawable[size++] = node;
  }

  private void take(Node node) {
    if (node.place == ABSENT) {
      return;
    }
    Node last = drawable[--size];
    drawable[node.place] = last;
    last.place = node.place;
    node.place = ABSENT;
    clear(size);
  }

  // The unused tail must not keep a removed entry alive.
  @SuppressWarnings("NullAway")
  private void clear(int place) {
    drawable[place] = null;
  }
}
