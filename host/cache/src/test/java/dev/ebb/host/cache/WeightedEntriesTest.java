package dev.ebb.host.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.EventBatch;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.spi.Demand;
import dev.ebb.spi.RemovalCause;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Entries of many sizes and reservations, held against a naive account in blocks. */
class WeightedEntriesTest {

  private final Map<Long, CacheEntry> resident = new HashMap<>();
  private final Set<Long> pinned = new HashSet<>();
  private long reserved;

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void everythingIsCountedInBlocks(long seed) {
    Random random = new Random(seed);
    BlockCache cache = new InlineBlockCache(100, () -> 0, new GhostWindow(64), OnFault.FAIL);
    cache.install("strict", new StrictPolicy(random));
    cache.watch(this::follow);
    for (int step = 0; step < 20_000; step++) {
      long key = random.nextInt(60);
      CacheEntry entry = resident.get(key);
      switch (random.nextInt(7)) {
        case 0, 1, 2 -> put(cache, key, 1 + random.nextInt(30));
        case 3 -> {
          if (entry != null && pinned.add(key)) {
            cache.pin(entry);
          }
        }
        case 4 -> {
          if (entry != null && pinned.remove(key)) {
            cache.unpin(entry);
          }
        }
        case 5 -> {
          if (entry != null) {
            cache.access(entry, RequestFacts.UNKNOWN);
          }
        }
        default -> {
          int wanted = random.nextInt(20);
          long possible = Math.min(wanted, cache.evictableBlocks());
          assertThat(cache.evict(wanted, Demand.Reason.MANUAL, RequestFacts.UNKNOWN))
              .isGreaterThanOrEqualTo(possible);
        }
      }
      check(cache);
    }
  }

  private void put(BlockCache cache, long key, int blocks) {
    long free = cache.capacityBlocks() - cache.occupiedBlocks();
    boolean possible = blocks <= free + cache.evictableBlocks();
    assertThat(cache.reserve(blocks, RequestFacts.UNKNOWN)).isEqualTo(possible);
    if (!possible) {
      return;
    }
    reserved = blocks;
    check(cache);
    CacheEntry old = resident.get(key);
    if (old != null && !cache.remove(old, RemovalCause.REPLACED)) {
      cache.unreserve(blocks);
      reserved = 0;
      return;
    }
    reserved = 0;
    cache.insert(key, ~key, blocks, RequestFacts.UNKNOWN);
    resident.put(key, Objects.requireNonNull(cache.find(key, ~key)));
  }

  private void follow(EventBatch batch) {
    for (int i = 0; i < batch.size(); i++) {
      if (batch.kind(i) == EventBatch.Kind.REMOVED) {
        long key = batch.entry(i).keyLow;
        assertThat(pinned).doesNotContain(key);
        assertThat(resident.remove(key)).isNotNull();
      }
    }
  }

  private void check(BlockCache cache) {
    long blocks = resident.values().stream().mapToLong(CacheEntry::blocks).sum();
    long held =
        pinned.stream().mapToLong(key -> Objects.requireNonNull(resident.get(key)).blocks()).sum();
    assertThat(cache.residentBlocks()).isEqualTo(blocks);
    assertThat(cache.occupiedBlocks()).isEqualTo(blocks + reserved).isLessThanOrEqualTo(100);
    assertThat(cache.evictableBlocks()).isEqualTo(blocks - held);
    assertThat(cache.residentEntries()).isEqualTo(resident.size());
  }
}
