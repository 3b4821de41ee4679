package dev.ebb.host.cache.index;

import dev.ebb.host.cache.stats.EvictedBy;
import dev.ebb.host.cache.stats.EvictionPass;
import dev.ebb.host.cache.stats.EvictionReason;
import dev.ebb.host.cache.stats.EvictionRecord;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The last evicted or expired entries, and the last eviction passes. Written by one cache or
 * several, read by any thread: a reader blocks a cache only for the copy of a few dozen records.
 */
public final class EvictionLog {

  /** The largest log. */
  public static final int MAX_SIZE = 1 << 20;

  public static final long NONE = -1;

  private static final int PASSES = 256;
  private static final int COPIED_AT_ONCE = 64;

  private final Place[] places;
  private final ArrayDeque<EvictionPass> passes = new ArrayDeque<>(PASSES);
  private long next;

  /** Creates an empty log of 1 to {@link #MAX_SIZE} records. */
  public EvictionLog(int size) {
    if (size < 1 || size > MAX_SIZE) {
      throw new IllegalArgumentException("size is " + size + ", must be 1 to " + MAX_SIZE);
    }
    places = new Place[size];
    for (int i = 0; i < size; i++) {
      places[i] = new Place();
    }
  }

  /** A reused record, so that an eviction makes no garbage. */
  private static final class Place {
    private long wallMillis;
    private byte @Nullable [] key;
    private long fingerprint;
    private String policy = "";
    private RemovalCause cause = RemovalCause.EVICTED;
    private @Nullable EvictedBy by;
    private EvictionReason reason = EvictionReason.CHOSEN;
    private int group;
    private long bytes;
    private long ageNanos;
    private long idleNanos;
    private int accesses;
    private double score;
    private @Nullable String tenant;

    private EvictionRecord read(long sequence) {
      return new EvictionRecord(
          sequence,
          wallMillis,
          key,
          fingerprint,
          policy,
          cause,
          by,
          reason,
          group,
          bytes,
          ageNanos,
          idleNanos,
          accesses,
          score,
          tenant);
    }
  }

  /** Returns how many records were ever written: the sequence number of the next one. */
  public synchronized long written() {
    return next;
  }

  /** Returns the records from one on, or from the oldest that is left, oldest first. */
  public List<EvictionRecord> since(long sequence) {
    long end = written();
    List<EvictionRecord> records = new ArrayList<>();
    long from = Math.max(0, sequence);
    while (from < end) {
      from = copy(from, Math.min(end, from + COPIED_AT_ONCE), records);
    }
    return records;
  }

  private synchronized long copy(long from, long end, List<EvictionRecord> into) {
    for (long i = Math.max(from, next - places.length); i < end; i++) {
      into.add(place(i).read(i));
    }
    return Math.max(end, next - places.length);
  }

  /** Returns the last eviction passes, at most 256, oldest first. */
  public synchronized List<EvictionPass> passes(int most) {
    return passes.stream().skip(Math.max(0, passes.size() - (long) most)).toList();
  }

  synchronized long add(
      CacheEntry entry,
      byte @Nullable [] key,
      RemovalCause cause,
      @Nullable EvictedBy by,
      EvictionReason reason,
      int group,
      long bytes,
      String policy,
      long now) {
    Place place = place(next);
    place.wallMillis = System.currentTimeMillis();
    place.key = key;
    place.fingerprint = entry.keyLow;
    place.policy = policy;
    place.cause = cause;
    place.by = by;
    place.reason = reason;
    place.group = group;
    place.bytes = bytes;
    place.ageNanos = now - entry.createdNanos;
    place.idleNanos = now - entry.lastNanos;
    place.accesses = entry.accesses;
    place.score = Double.NaN;
    place.tenant = entry.lastUse.tenant();
    return next++;
  }

  /** Adds the policy's score of a removed entry. */
  public synchronized void score(long sequence, double score) {
    if (sequence >= next - places.length) {
      place(sequence).score = score;
    }
  }

  synchronized void add(EvictionPass pass) {
    if (passes.size() == PASSES) {
      passes.removeFirst();
    }
    passes.addLast(pass);
  }

  private Place place(long sequence) {
    return places[(int) (sequence % places.length)];
  }
}
