package dev.ebb.host.shadow;

import dev.ebb.host.cache.AccessListener;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.simulation.PromptStarts;
import dev.ebb.host.shadow.AccessBatch.Kind;
import dev.ebb.host.shadow.AccessBatch.Requested;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.RemovalCause;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Samples the accesses to one partition, under its lock. A key costs one multiplication and one
 * comparison. Only sampled keys cost more. Of hybrid models it samples whole prompts, because only
 * these show how much of a prompt can be used.
 */
final class AccessSampler implements AccessListener {

  private final int partition;
  private final long salt;
  private final long threshold;
  private final PromptStarts starts;
  private final PolicyClock clock;
  private final Consumer<AccessBatch> readers;
  private AccessBatch batch;
  private int epoch;

  /** There were prompts of hybrid models, so any chunk may be in the sample. */
  private boolean hybrid;

  /**
   * Creates a sampler.
   *
   * @param readers receive each batch under the lock; must be fast and must not block
   */
  AccessSampler(
      int partition,
      Sampling sampling,
      PromptStarts starts,
      PolicyClock clock,
      Consumer<AccessBatch> readers) {
    this.partition = partition;
    this.salt = sampling.salt();
    this.threshold = sampling.threshold();
    this.starts = starts;
    this.clock = clock;
    this.readers = readers;
    batch = new AccessBatch(partition, AccessBatch.CAPACITY);
  }

  @Override
  public void began(CacheRequest request) {
    count(request);
    int blocks = request.blocks();
    if (request.objects() != null && blocks > 0) {
      beganPrompt(request);
      return;
    }
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
    long now = header(request, 0, sampled, ordered, used);
    for (int i = 0; i < blocks; i++) {
      if (isIn(request.fingerprint(i))) {
        addBlock(request, i, now);
      }
    }
  }

  /** Samples a prompt of a hybrid model, or nothing of it. */
  private void beganPrompt(CacheRequest request) {
    hybrid = true;
    if (request.counted() == 0) {
      starts.saw(request);
    }
    long identity = starts.identity(request);
    if (!isIn(identity)) {
      return;
    }
    int blocks = request.blocks();
    int used = Math.min(blocks, request.used());
    long now = header(request, identity, blocks, request.ordered(), used);
    for (int i = 0; i < blocks; i++) {
      addBlock(request, i, now);
    }
  }

  private long header(CacheRequest request, long key, int sampled, int ordered, int used) {
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
            used,
            request.objects());
    batch.add(Kind.REQUEST, key, sampled, now, requested);
    return now;
  }

  private void addBlock(CacheRequest request, int block, long now) {
    batch.add(kind(request, block), request.fingerprint(block), request.weight(block), now, null);
  }

  private void count(CacheRequest request) {
    int accesses = request.blocks() - request.counted();
    int hits = Math.max(0, request.matched() - request.counted());
    batch.accesses += accesses;
    batch.prefixAccesses += accesses;
    batch.hits += hits;
    batch.prefixHits += hits;
    batch.count(request.facts().tenant(), accesses, hits);
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
    // A simulation makes chunks of hybrid models with their prompt.
    if (!hybrid && isIn(key)) {
      add(Kind.APPENDED, key, 1, facts);
    }
  }

  @Override
  public void hit(long key, int blocks, RequestFacts facts) {
    batch.accesses++;
    batch.hits++;
    batch.hitBlocks += blocks;
    batch.count(facts.tenant(), 1, 1);
    if (isIn(key)) {
      add(Kind.HIT, key, blocks, facts);
    }
  }

  @Override
  public void missed(long key, RequestFacts facts) {
    batch.accesses++;
    batch.count(facts.tenant(), 1, 0);
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
    if (hybrid || isIn(key)) {
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
    filled.sharedChunks = starts.sharedChunks();
    batch = new AccessBatch(partition, Math.max(AccessBatch.CAPACITY, rows));
    batch.epoch = epoch;
    readers.accept(filled);
  }
}
