package dev.ebb.host.shadow;

import dev.ebb.host.cache.AccessListener;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.shadow.AccessBatch.Kind;
import dev.ebb.host.shadow.AccessBatch.Requested;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.RemovalCause;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Samples the accesses to one partition, under its lock. A key costs one multiplication and one
 * comparison. Only sampled keys cost more.
 */
final class AccessSampler implements AccessListener {

  private final int partition;
  private final long salt;
  private final long threshold;
  private final PolicyClock clock;
  private final Consumer<AccessBatch> readers;
  private AccessBatch batch;
  private int epoch;

  /**
   * Creates a sampler.
   *
   * @param readers receive each batch under the lock; must be fast and must not block
   */
  AccessSampler(
      int partition, Sampling sampling, PolicyClock clock, Consumer<AccessBatch> readers) {
    this.partition = partition;
    this.salt = sampling.salt();
    this.threshold = sampling.threshold();
    this.clock = clock;
    this.readers = readers;
    batch = new AccessBatch(partition, AccessBatch.CAPACITY);
  }

  @Override
  public void began(CacheRequest request) {
    count(request);
    int blocks = request.blocks();
    int sampled = 0;
    int ordered = 0;
    int used = 0;
    for (int i = 0; i < blocks; i++) {
      if (isIn(request.fingerprint(i))) {
        sampled++;
        ordered += i < request.ordered() ? 1 : 0;
        used += i < request.used() ? 1 : 0;
      }
    }
    if (sampled == 0) {
      return;
    }
    if (!batch.hasRoom(1 + sampled)) {
      emit(1 + sampled);
    }
    long now = clock.nanos();
    Requested requested =
        new Requested(
            request.facts(),
            request.inputTokens(),
            request.outputTokens(),
            request.serial(),
            ordered,
            used);
    batch.add(Kind.REQUEST, 0, sampled, now, requested);
    for (int i = 0; i < blocks; i++) {
      if (isIn(request.fingerprint(i))) {
        batch.add(kind(request, i), request.fingerprint(i), request.weight(i), now, null);
      }
    }
  }

  private void count(CacheRequest request) {
    int accesses = request.blocks() - request.counted();
    int hits = Math.max(0, request.matched() - request.counted());
    batch.accesses += accesses;
    batch.prefixAccesses += accesses;
    batch.hits += hits;
    batch.prefixHits += hits;
    for (int i = request.counted(); i < request.matched(); i++) {
      batch.hitBlocks += request.weight(i);
    }
  }

  private static Kind kind(CacheRequest request, int block) {
    if (block < request.counted()) {
      return Kind.COUNTED;
    }
    return block < request.matched() ? Kind.HIT : Kind.MISS;
  }

  @Override
  public void appended(long key, RequestFacts facts) {
    if (isIn(key)) {
      add(Kind.APPENDED, key, 1, facts);
    }
  }

  @Override
  public void hit(long key, int blocks, RequestFacts facts) {
    batch.accesses++;
    batch.hits++;
    batch.hitBlocks += blocks;
    if (isIn(key)) {
      add(Kind.HIT, key, blocks, facts);
    }
  }

  @Override
  public void missed(long key, RequestFacts facts) {
    batch.accesses++;
    if (isIn(key)) {
      add(Kind.MISS, key, 0, facts);
    }
  }

  @Override
  public void stored(long key, long blocks, RequestFacts facts) {
    if (isIn(key)) {
      add(Kind.STORED, key, blocks, facts);
    }
  }

  @Override
  public void reweighed(long key, int blocks) {
    if (isIn(key)) {
      add(Kind.REWEIGHED, key, blocks, null);
    }
  }

  @Override
  public void removed(long key, RemovalCause cause) {
    if (isIn(key)) {
      add(Kind.REMOVED, key, 0, cause);
    }
  }

  @Override
  public void cleared() {
    add(Kind.CLEARED, 0, 0, null);
  }

  /**
   * Passes the current batch to the readers, full or not. Later accesses belong to the next epoch.
   */
  void flush(int nextEpoch) {
    if (!batch.isEmpty()) {
      emit(0);
    }
    epoch = nextEpoch;
    batch.epoch = epoch;
  }

  private boolean isIn(long key) {
    return Sampling.place(key, salt) < threshold;
  }

  private void add(Kind kind, long key, long blocks, @Nullable Object about) {
    if (!batch.hasRoom(1)) {
      emit(1);
    }
    batch.add(kind, key, blocks, clock.nanos(), about);
  }

  private void emit(int rows) {
    AccessBatch filled = batch;
    batch = new AccessBatch(partition, Math.max(AccessBatch.CAPACITY, rows));
    batch.epoch = epoch;
    readers.accept(filled);
  }
}
