package dev.ebb.host.shadow;

import dev.ebb.host.cache.RequestFacts;
import dev.ebb.spi.RemovalCause;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Some of the sampled accesses in their order, with counts of all accesses of the same while.
 * Filled by one thread, then read by many.
 */
final class AccessBatch {

  static final int CAPACITY = 512;

  /** What happened. */
  enum Kind {
    /** A request, whose sampled blocks follow as so many rows. */
    REQUEST,
    /** An object or block that was asked for and is there. */
    HIT,
    MISS,
    /** An object that was put. */
    STORED,
    /** A block that was cached behind the blocks of a request. */
    APPENDED,
    /** An object that has become useless. */
    REMOVED,
    /** All of them have. */
    CLEARED,
    /** An object that was resident before anybody looked. */
    RESIDENT
  }

  private final Kind[] kinds;
  private final long[] keys;
  private final long[] blocks;
  private final long[] nanos;
  private final @Nullable Object[] about;
  private int size;

  /** The part of the cache that it is about. */
  final int partition;

  int epoch;

  /** All accesses, sampled or not, and those of them that hit. */
  long accesses;

  long hits;

  /** Blocks that the hits weigh. */
  long hitBlocks;

  AccessBatch(int partition, int capacity) {
    this.partition = partition;
    kinds = new Kind[capacity];
    keys = new long[capacity];
    blocks = new long[capacity];
    nanos = new long[capacity];
    about = new Object[capacity];
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

  /** What it weighs; of a request, how many rows follow. */
  long blocks(int row) {
    return blocks[row];
  }

  long nanos(int row) {
    return nanos[row];
  }

  RequestFacts facts(int row) {
    return (RequestFacts) Objects.requireNonNull(about[row]);
  }

  RemovalCause cause(int row) {
    return (RemovalCause) Objects.requireNonNull(about[row]);
  }
}
