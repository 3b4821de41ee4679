package dev.ebb.spi;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The easy way to write a policy: rank each entry, and this class does the rest.
 *
 * <p>The order is kept in an indexed heap with four children a node: O(log n) for an access and for
 * a victim. Ranks are read on insertion and access, so a rank that changes with time alone is seen
 * late. A released entry keeps its rank, unless it was accessed meanwhile.
 *
 * @since 1.0.0
 */
public abstract class RankedBlockPolicy implements BlockPolicy<RankedBlockPolicy.Ranked> {

  private static final int ARITY = 4;
  private static final int NOT_IN_HEAP = -1;

  private Ranked[] heap = new Ranked[64];
  private int heapSize;
  private long held;

  /** Creates a policy that holds nothing. */
  protected RankedBlockPolicy() {}

  /**
   * Returns the worth of an entry. The lowest rank is evicted first; among equals, the one used
   * longest ago.
   *
   * @param entry a resident entry
   * @return any number but NaN; the host abandons a policy that returns NaN
   */
  protected abstract double rank(Entry entry);

  /**
   * Called when an entry was evicted to make room, not when it expired or a client deleted it.
   * Policies that age, such as GDSF and LFU-DA, keep the rank and add it to later ranks. The ranks
   * of resident entries are not read again.
   *
   * <p>The default does nothing.
   *
   * @param entry the evicted entry, to be read during this call only
   * @param rank its last rank
   * @since 1.3.0
   */
  protected void evicted(Entry entry, double rank) {}

  /**
   * The bookkeeping for one entry.
   *
   * @since 1.0.0
   */
  public static final class Ranked {
    private final Entry entry;
    private double rank;
    private long tick;
    private int index = NOT_IN_HEAP;

    private Ranked(Entry entry) {
      this.entry = entry;
    }

    /**
     * Returns the entry of this node, for {@link BlockPolicy#score} and {@link
     * BlockPolicy#explain}.
     *
     * @return the entry
     */
    public Entry entry() {
      return entry;
    }
  }

  @Override
  public final Ranked inserted(Entry entry) {
    Ranked node = new Ranked(entry);
    held++;
    read(node);
    push(node);
    return node;
  }

  @Override
  public final void accessed(Ranked node) {
    // A node that is set aside has its new place when it is released.
    read(node);
    if (node.index != NOT_IN_HEAP) {
      siftUp(node.index);
      siftDown(node.index);
    }
  }

  @Override
  public final @Nullable Entry victim(Demand demand) {
    return heapSize == 0 ? null : heap[0].entry;
  }

  @Override
  public final void removed(Ranked node, RemovalCause cause) {
    held--;
    if (node.index != NOT_IN_HEAP) {
      take(node);
    }
    if (cause.forCapacity()) {
      evicted(node.entry, node.rank);
    }
  }

  @Override
  public final void refused(Ranked node) {
    take(node);
  }

  @Override
  public final void released(Ranked node) {
    push(node);
  }

  @Override
  public final long size() {
    return held;
  }

  @Override
  public double score(Ranked node) {
    return node.rank;
  }

  private void read(Ranked node) {
    double rank = rank(node.entry);
    if (Double.isNaN(rank)) {
      throw new IllegalStateException("rank() is NaN for an entry; it must be a number");
    }
    node.rank = rank;
    node.tick = node.entry.lastAccessTick();
  }

  private void push(Ranked node) {
    if (heapSize == heap.length) {
      heap = Arrays.copyOf(heap, heapSize * 2);
    }
    node.index = heapSize;
    heap[heapSize++] = node;
    siftUp(node.index);
  }

  private void take(Ranked node) {
    int index = node.index;
    Ranked last = heap[--heapSize];
    clear(heapSize);
    node.index = NOT_IN_HEAP;
    if (last != node) {
      heap[index] = last;
      last.index = index;
      siftUp(index);
      siftDown(last.index);
    }
  }

  // The heap's tail is unused, and must not keep a removed entry alive.
  @SuppressWarnings("NullAway")
  private void clear(int index) {
    heap[index] = null;
  }

  private void siftUp(int start) {
    int index = start;
    Ranked node = heap[index];
    while (index > 0) {
      int parent = (index - 1) / ARITY;
      if (!leavesBefore(node, heap[parent])) {
        break;
      }
      place(heap[parent], index);
      index = parent;
    }
    place(node, index);
  }

  private void siftDown(int start) {
    int index = start;
    Ranked node = heap[index];
    while (true) {
      int first = index * ARITY + 1;
      if (first >= heapSize) {
        break;
      }
      int least = first;
      int end = Math.min(first + ARITY, heapSize);
      for (int child = first + 1; child < end; child++) {
        if (leavesBefore(heap[child], heap[least])) {
          least = child;
        }
      }
      if (!leavesBefore(heap[least], node)) {
        break;
      }
      place(heap[least], index);
      index = least;
    }
    place(node, index);
  }

  private void place(Ranked node, int index) {
    heap[index] = node;
    node.index = index;
  }

  private static boolean leavesBefore(Ranked a, Ranked b) {
    return a.rank < b.rank || (a.rank == b.rank && a.tick < b.tick);
  }
}
