package dev.ebb.host.shadow;

import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.group.SizedGroups;
import dev.ebb.spi.RemovalCause;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A batch of sampled accesses in order, with counts of all accesses of the same period. One thread
 * fills the batch; afterwards many threads may read it.
 */
final class AccessBatch {

  static final int CAPACITY = 512;

  enum Kind {
    /**
     * A request; its sampled blocks follow as rows. Its key identifies the prompt if its model is
     * hybrid: then all its blocks are sampled.
     */
    REQUEST,
    /** A lookup of an object or block that is cached. */
    HIT,
    MISS,
    /** A block that an earlier part of its request has counted. */
    COUNTED,
    STORED,
    /** A block that was cached at the end of a request's blocks. */
    APPENDED,
    /** An object whose weight has changed. */
    REWEIGHED,
    /** An object that was removed because it became useless. */
    REMOVED,
    CLEARED;

    boolean isAccess() {
      return this == HIT || this == MISS;
    }
  }

  /**
   * A request, or the next part of one.
   *
   * @param inputTokens length of the prompt; -1 if unknown
   * @param outputTokens length of the answer; -1 if unknown
   * @param serial identifies the request; 0 if its blocks are not objects, and this is all of it
   * @param ordered leading sampled blocks in a known order
   * @param used leading sampled blocks that earlier parts have used
   * @param groups the object groups of its model with the weights of their objects, if it is hybrid
   */
  record Requested(
      RequestFacts facts,
      long inputTokens,
      long outputTokens,
      long serial,
      int ordered,
      int used,
      @Nullable SizedGroups groups) {}

  private final Kind[] kinds;
  private final long[] keys;
  private final long[] blocks;
  private final long[] nanos;
  private final @Nullable Object[] about;
  private int size;

  final int partition;

  int epoch;

  /** Chunks that so many prompts share that they are in each sample. */
  int sharedChunks;

  /** The number of all accesses, sampled or not. */
  long accesses;

  long hits;

  /** The blocks of all hits. */
  long hitBlocks;

  /** The accesses by requests. */
  long prefixAccesses;

  long prefixHits;

  /** All accesses and hits of each of the first tenants. */
  final Map<String, long[]> tenants = new HashMap<>();

  AccessBatch(int partition, int capacity) {
    this.partition = partition;
    kinds = new Kind[capacity];
    keys = new long[capacity];
    blocks = new long[capacity];
    nanos = new long[capacity];
    about = new Object[capacity];
  }

  void count(@Nullable String tenant, long accesses, long hits) {
    if (tenant == null) {
      return;
    }
    long[] counts = tenants.get(tenant);
    if (counts == null && tenants.size() < Counts.MOST_TENANTS) {
      counts = new long[2];
      tenants.put(tenant, counts);
    }
    if (counts != null) {
      counts[0] += accesses;
      counts[1] += hits;
    }
  }

  int size() {
    return size;
  }

  boolean hasRoom(int rows) {
    return size + rows <= kinds.length;
  }

  boolean isEmpty() {
    return size == 0 && accesses == 0;
  }

  void add(Kind kind, long key, long weight, long now, @Nullable Object with) {
    kinds[size] = kind;
    keys[size] = key;
    blocks[size] = weight;
    nanos[size] = now;
    about[size++] = with;
  }

  Kind kind(int row) {
    return kinds[row];
  }

  long key(int row) {
    return keys[row];
  }

  /** Returns the size of a row in blocks; for a request, the number of rows that follow. */
  long blocks(int row) {
    return blocks[row];
  }

  long nanos(int row) {
    return nanos[row];
  }

  Requested request(int row) {
    return (Requested) Objects.requireNonNull(about[row]);
  }

  RequestFacts facts(int row) {
    return (RequestFacts) Objects.requireNonNull(about[row]);
  }

  RemovalCause cause(int row) {
    return (RemovalCause) Objects.requireNonNull(about[row]);
  }
}
