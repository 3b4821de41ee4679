package dev.ebb.host.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.index.SlotTable;
import dev.ebb.spi.Demand;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;

/** Many threads that use one cache in every way, each step held against the cache's own account. */
final class Storm {

  private final BlockCache cache;
  private final ReentrantLock lock;
  private final int keys;

  Storm(BlockCache cache, ReentrantLock lock, int keys) {
    this.cache = cache;
    this.lock = lock;
    this.keys = keys;
  }

  /** Runs until every thread has made its steps; what one of them finds wrong is thrown. */
  void blow(int threads, int steps) throws Exception {
    try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      List<Future<?>> running = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        Random random = new Random(thread);
        running.add(executor.submit(() -> user(random, steps)));
      }
      for (Future<?> user : running) {
        user.get();
      }
    }
    locked(this::checkState);
  }

  private void user(Random random, int steps) {
    List<CacheEntry> pinned = new ArrayList<>();
    CacheRequest request = new CacheRequest();
    for (int step = 0; step < steps; step++) {
      locked(() -> {
        switch (random.nextInt(12)) {
          case 0 -> pinOrUnpin(random, pinned);
          case 1 -> remove(random);
          case 2 -> request(random, request);
          case 3 -> evict(random);
          default -> use(random);
        }
        assertThat(cache.occupiedBlocks()).isLessThanOrEqualTo(cache.capacityBlocks());
        if (random.nextInt(32) == 0) {
          checkUndamaged();
        }
      });
    }
    locked(() -> pinned.forEach(cache::unpin));
  }

  private void use(Random random) {
    long key = random.nextInt(keys);
    CacheEntry entry = cache.find(key, 1);
    RequestFacts facts = ProtectedEntriesTest.facts(random.nextInt(3));
    if (entry != null) {
      cache.access(entry, facts);
      return;
    }
    cache.missed(key, true);
    int blocks = 1 + random.nextInt(4);
    if (!cache.reserve(blocks, facts)) {
      return;
    }
    assertThat(cache.occupiedBlocks()).isLessThanOrEqualTo(cache.capacityBlocks());
    // Somebody else may have come first while this one waited for room.
    if (cache.find(key, 1) == null) {
      cache.insert(key, 1, blocks, facts);
    } else {
      cache.unreserve(blocks);
    }
  }

  private void pinOrUnpin(Random random, List<CacheEntry> pinned) {
    if (pinned.size() > 3 || (!pinned.isEmpty() && random.nextBoolean())) {
      cache.unpin(pinned.remove(random.nextInt(pinned.size())));
    } else {
      CacheEntry entry = cache.find(random.nextInt(keys), 1);
      if (entry != null) {
        cache.pin(entry);
        pinned.add(entry);
      }
    }
  }

  private void remove(Random random) {
    CacheEntry entry = cache.find(random.nextInt(keys), 1);
    if (entry != null) {
      boolean evictable = entry.evictable();
      assertThat(cache.remove(entry, RemovalCause.DELETED)).isEqualTo(evictable);
      assertThat(entry.resident()).isEqualTo(!evictable);
    }
  }

  private void request(Random random, CacheRequest request) {
    request.reset(ProtectedEntriesTest.facts(random.nextInt(3)), 64);
    long key = 1;
    for (int i = 1 + random.nextInt(5); i > 0; i--) {
      key = key * 31 + random.nextInt(3);
      request.add(key, 2);
    }
    cache.begin(request);
    cache.admit(request);
    cache.finish(request);
  }

  private void evict(Random random) {
    cache.evict(random.nextInt(6), Demand.Reason.MANUAL, RequestFacts.UNKNOWN);
  }

  /** Counts again what the cache counts. */
  void checkState() {
    SlotTable slots = cache.slots();
    long blocks = 0;
    long evictable = 0;
    int entries = 0;
    for (int slot = 0; slot < slots.used(); slot++) {
      CacheEntry entry = slots.at(slot);
      if (entry == null || !entry.resident()) {
        continue;
      }
      entries++;
      blocks += entry.blocks;
      evictable += entry.references == 0 ? entry.blocks : 0;
      assertThat(cache.find(entry.keyLow, entry.keyHigh)).isSameAs(entry);
      assertThat(entry.parent == null || entry.parent.resident()).as("no orphan").isTrue();
    }
    assertThat(cache.residentEntries()).isEqualTo(entries);
    assertThat(slots.publishedCount()).isEqualTo(entries);
    assertThat(cache.residentBlocks()).isEqualTo(blocks);
    assertThat(cache.occupiedBlocks()).isEqualTo(blocks);
    assertThat(cache.evictableBlocks()).isEqualTo(evictable);
    checkSize();
  }

  /** Others wait for room meanwhile, in the middle of their steps. */
  private void checkUndamaged() {
    CacheCheck damage = new CacheCheck(cache.state());
    assertThat(damage.entries(0, Integer.MAX_VALUE)).isNull();
    assertThat(damage.sums()).isNull();
  }

  /**
   * The query releases the lock: meanwhile the policy may evict or reject ahead of demand, or
   * another one take over, so that the first does not answer.
   */
  private void checkSize() {
    long removed;
    long size;
    do {
      removed = cache.evictions() + cache.rejected();
      size = cache.policySize();
    } while (size < 0 || cache.evictions() + cache.rejected() != removed);
    assertThat(size).isEqualTo(cache.residentEntries());
  }

  void locked(Runnable step) {
    lock.lock();
    try {
      step.run();
    } finally {
      lock.unlock();
    }
  }
}
