package dev.ebb.host.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.CacheStats;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.DelegatingPolicy;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RankedBlockPolicy;
import dev.ebb.spi.RemovalCause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Priorities of requests and entries, held against a naive account of what is protected. */
class ProtectedEntriesTest {

  private static final int CAPACITY = 40;
  private static final EvictionLimits ON_DEMAND = new EvictionLimits(1, 1, Duration.ofSeconds(20));

  private final Map<CacheEntry, Use> uses = new HashMap<>();
  private final List<CacheEntry> pinned = new ArrayList<>();
  private long now;
  private int asker;
  private long protectedEvictions;
  private long overriding;
  private long kept;

  /** The highest recent priority of an entry, and the period of its last use at this priority. */
  private record Use(int priority, long period) {}

  static RequestFacts facts(int priority) {
    return RequestFacts.UNKNOWN.withPriority(priority);
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void onlyUnprotectedEntriesAreEvictedWhileThereAreAny(long seed) {
    Random random = new Random(seed);
    List<Function<Random, BlockPolicy<?>>> policies =
        List.of(StrictPolicy::new, any -> new BuiltInLru(), any -> leastUsed());
    InlineBlockCache cache =
        new InlineBlockCache(CAPACITY, () -> now, new GhostWindow(64), OnFault.FAIL);
    cache.respectPriority();
    cache.install("first", policies.get((int) seed % 3).apply(random));
    cache.onRemoval(this::removed);
    for (int step = 0; step < 12_000; step++) {
      now += random.nextInt(1_000) == 0 ? Duration.ofMinutes(random.nextInt(12)).toNanos() : 1_000;
      asker = random.nextInt(5) == 0 ? random.nextInt(80) - 40 : random.nextInt(3);
      switch (random.nextInt(12)) {
        case 0 -> pinOrUnpin(cache, random);
        case 1 -> remove(cache, random);
        case 2 -> background(cache, random);
        default -> use(cache, random);
      }
      if (step % 2_000 == 1_999) {
        cache.install("next", policies.get(random.nextInt(3)).apply(random));
      }
    }
    CacheStats stats = cache.stats();
    assertThat(stats.protectedRefusals()).isGreaterThan(500);
    assertThat(protectedEvictions).as("nothing else could be evicted").isPositive();
    assertThat(overriding).as("beyond 80 % of the capacity").isPositive();
    assertThat(kept).as("a colder entry was protected").isGreaterThan(500);
    assertThat(stats.protectedEvictions()).isGreaterThanOrEqualTo(protectedEvictions);

    asker = Integer.MIN_VALUE;
    pinned.forEach(cache::unpin);
    pinned.clear();
    long all = cache.residentBlocks();
    assertThat(cache.evictTo(0, Demand.Reason.MANUAL)).isEqualTo(all);
  }

  private void use(BlockCache cache, Random random) {
    long key = random.nextInt(90);
    CacheEntry entry = cache.find(key, 1);
    if (entry != null) {
      cache.access(entry, facts(asker));
      used(entry);
      return;
    }
    int blocks = 1 + random.nextInt(3);
    long missing = cache.occupiedBlocks() + blocks - CAPACITY;
    boolean possible = missing <= cache.evictableBlocks();
    // Priorities decide which entry is evicted, never whether there is room.
    assertThat(cache.reserve(blocks, facts(asker))).isEqualTo(possible);
    if (possible) {
      CacheEntry made = cache.insert(key, 1, blocks, facts(asker));
      used(made);
      CacheEntry parent = random.nextBoolean() ? any(random) : null;
      if (parent != null && parent != made && parent.parent == null) {
        cache.link(made, parent, 1);
      }
    }
  }

  private void pinOrUnpin(BlockCache cache, Random random) {
    CacheEntry entry = any(random);
    if (pinned.size() > 5 || (entry != null && random.nextBoolean() && !pinned.isEmpty())) {
      cache.unpin(pinned.remove(random.nextInt(pinned.size())));
    } else if (entry != null) {
      cache.pin(entry);
      pinned.add(entry);
    }
  }

  private void remove(BlockCache cache, Random random) {
    CacheEntry entry = any(random);
    if (entry != null) {
      boolean evictable = entry.evictable();
      assertThat(cache.remove(entry, RemovalCause.DELETED)).isEqualTo(evictable);
    }
  }

  /** Evicts ahead of demand, for a request of normal priority: nothing that is protected. */
  private void background(BlockCache cache, Random random) {
    asker = RequestFacts.UNKNOWN.priority();
    long before = protectedEvictions;
    long freed = cache.evict(1 + random.nextInt(3), Demand.Reason.BACKGROUND, facts(asker));
    assertThat(protectedEvictions).isEqualTo(before);
    if (freed == 0) {
      assertThat(uses.keySet().stream().filter(CacheEntry::evictable).filter(each -> !isFree(each)))
          .as("what can be evicted is protected")
          .hasSize((int) uses.keySet().stream().filter(CacheEntry::evictable).count());
    }
  }

  private @Nullable CacheEntry any(Random random) {
    List<CacheEntry> all = new ArrayList<>(uses.keySet());
    all.sort((a, b) -> Long.compare(a.createdTick(), b.createdTick()));
    return all.isEmpty() ? null : all.get(random.nextInt(all.size()));
  }

  private long period() {
    return now / Duration.ofMinutes(5).toNanos();
  }

  private static int bounded(int priority) {
    return Math.max(-16, Math.min(15, priority));
  }

  private void used(CacheEntry entry) {
    int priority = bounded(asker);
    Use before = uses.get(entry);
    boolean keeps = before != null && before.period >= period() - 1 && before.priority > priority;
    if (!keeps) {
      uses.put(entry, new Use(priority, period()));
    }
  }

  private boolean isHigher(CacheEntry entry) {
    Use use = uses.get(entry);
    return use != null && use.period >= period() - 1 && use.priority > bounded(asker);
  }

  private long higherBlocks() {
    return uses.keySet().stream().filter(this::isHigher).mapToLong(CacheEntry::blocks).sum();
  }

  private boolean isFree(CacheEntry entry) {
    return !isHigher(entry) || higherBlocks() > CAPACITY * 8 / 10;
  }

  private void removed(CacheEntry entry, RemovalCause cause) {
    if (cause == RemovalCause.EVICTED && asker != Integer.MIN_VALUE) {
      boolean others =
          uses.keySet().stream()
              .anyMatch(each -> each != entry && each.evictable() && isFree(each));
      if (!isFree(entry)) {
        assertThat(others).as("another entry can be evicted").isFalse();
        protectedEvictions++;
      } else {
        overriding += isHigher(entry) ? 1 : 0;
        kept += uses.keySet().stream().anyMatch(each -> isColderAndKept(each, entry)) ? 1 : 0;
      }
    }
    uses.remove(entry);
  }

  private boolean isColderAndKept(CacheEntry entry, CacheEntry evicted) {
    return entry.evictable() && !isFree(entry) && entry.lastTick < evicted.lastTick;
  }

  private static BlockPolicy<?> leastUsed() {
    return new RankedBlockPolicy() {
      @Override
      protected double rank(Entry entry) {
        return entry.accesses();
      }
    };
  }

  @Test
  void protectionEndsTenMinutesAfterTheLastUse() {
    InlineBlockCache cache = new InlineBlockCache(10, () -> now, new GhostWindow(64), OnFault.FAIL);
    cache.respectPriority();
    now = 1;
    insert(cache, 1, 2);
    insert(cache, 2, 2);
    for (int key = 10; key < 30; key++) {
      insert(cache, key, 0);
    }
    assertThat(cache.find(1, 1)).isNotNull();
    assertThat(cache.find(2, 1)).isNotNull();

    now += Duration.ofMinutes(5).toNanos();
    CacheEntry used = cache.find(2, 1);
    assertThat(used).isNotNull();
    cache.access(used, facts(2));
    now += Duration.ofMinutes(5).toNanos();
    for (int key = 30; key < 50; key++) {
      insert(cache, key, 0);
    }
    assertThat(cache.find(1, 1)).as("unused for ten minutes").isNull();
    assertThat(cache.find(2, 1)).as("used").isNotNull();
  }

  @Test
  void lowPrioritiesGetAFifthOfTheCapacity() {
    InlineBlockCache cache =
        new InlineBlockCache(100, () -> now, new GhostWindow(64), OnFault.FAIL);
    cache.respectPriority();
    for (int key = 0; key < 100; key++) {
      insert(cache, key, 2);
    }
    for (int key = 1_000; key < 2_000; key++) {
      insert(cache, key, 0);
    }
    assertThat(resident(cache, 0, 100)).isEqualTo(80);
    assertThat(resident(cache, 1_980, 2_000)).isEqualTo(20);
    // The higher priority takes everything back.
    for (int key = 3_000; key < 3_100; key++) {
      insert(cache, key, 2);
    }
    assertThat(resident(cache, 3_000, 3_100)).isEqualTo(100);
  }

  private static long resident(BlockCache cache, int from, int to) {
    long count = 0;
    for (int key = from; key < to; key++) {
      count += cache.find(key, 1) == null ? 0 : 1;
    }
    return count;
  }

  private static void insert(BlockCache cache, long key, int priority) {
    assertThat(cache.reserve(1, facts(priority))).isTrue();
    cache.insert(key, 1, 1, facts(priority));
  }

  /** Answers only when it may. */
  private static final class Paused extends DelegatingPolicy<BuiltInLru.Node> {

    private final CountDownLatch paused;

    private Paused(CountDownLatch paused) {
      super(new BuiltInLru());
      this.paused = paused;
    }

    @Override
    public @Nullable Entry victim(Demand demand) {
      try {
        paused.await();
      } catch (InterruptedException interrupted) {
        throw new IllegalStateException(interrupted);
      }
      return super.victim(demand);
    }
  }

  @ParameterizedTest(name = "respects priorities: {0}")
  @ValueSource(booleans = {true, false})
  void waitersAreServedByPriorityAndTheOldestEveryFourthTime(boolean respects) throws Exception {
    ReentrantLock lock = new ReentrantLock();
    ThreadedBlockCache cache =
        new ThreadedBlockCache(10, () -> 0, new GhostWindow(64), ON_DEMAND, lock);
    CountDownLatch paused = new CountDownLatch(1);
    List<String> served = new ArrayList<>();
    List<Thread> waiting = new ArrayList<>();
    lock.lock();
    try {
      if (respects) {
        cache.respectPriority();
      }
      cache.install("paused", new Paused(paused));
      for (int key = 0; key < 10; key++) {
        insert(cache, key, 0);
      }
    } finally {
      lock.unlock();
    }
    for (String each : List.of("A0", "B1", "C2", "D2", "E0", "F1", "G2")) {
      int others = waiting.size();
      waiting.add(
          Thread.ofPlatform()
              .start(() -> {
                lock.lock();
                try {
                  assertThat(cache.reserve(1, facts(each.charAt(1) - '0'))).isTrue();
                  served.add(each);
                } finally {
                  lock.unlock();
                }
              }));
      Awaiting.until(() -> {
        lock.lock();
        try {
          return cache.stats().thread().waits() == others + 1;
        } finally {
          lock.unlock();
        }
      });
    }
    paused.countDown();
    for (Thread each : waiting) {
      each.join();
    }
    lock.lock();
    try {
      assertThat(served)
          .isEqualTo(
              respects
                  ? List.of("C2", "D2", "G2", "A0", "B1", "F1", "E0")
                  : List.of("A0", "B1", "C2", "D2", "E0", "F1", "G2"));
      cache.close();
    } finally {
      lock.unlock();
    }
  }
}
