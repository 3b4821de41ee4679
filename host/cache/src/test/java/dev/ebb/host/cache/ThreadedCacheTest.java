package dev.ebb.host.cache;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.stats.CacheStats;
import dev.ebb.host.cache.stats.EvictedBy;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.Histories;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RankedBlockPolicy;
import dev.ebb.spi.RemovalCause;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The policy on its own thread. */
@Timeout(120)
class ThreadedCacheTest {

  private static final EvictionLimits ON_DEMAND = new EvictionLimits(1, 1, Duration.ofSeconds(20));
  private static final EvictionLimits AHEAD = new EvictionLimits(0.9, 0.85, Duration.ofSeconds(20));

  private final ReentrantLock lock = new ReentrantLock();

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void stepByStepTheSameEntriesLeaveAsOnTheCallersThread(long seed) {
    for (Supplier<BlockPolicy<?>> policy :
        List.<Supplier<BlockPolicy<?>>>of(BuiltInLru::new, ThreadedCacheTest::leastUsed)) {
      BlockCache inline = new InlineBlockCache(50, () -> 0, new GhostWindow(64), OnFault.FAIL);
      BlockCache threaded =
          new ThreadedBlockCache(50, () -> 0, new GhostWindow(64), ON_DEMAND, lock);
      if (seed % 2 == 0) {
        inline.respectPriority();
        threaded.respectPriority();
      }
      List<Long> expected = history(inline, policy.get(), new Random(seed));
      List<Long> actual = history(threaded, policy.get(), new Random(seed));

      assertThat(expected).hasSizeGreaterThan(1_000);
      assertThat(actual).isEqualTo(expected);
    }
  }

  @Test
  void aPolicyThatHasNotReadAllEventsMayOfferNothing() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch used = new CountDownLatch(1);
    CheckedPolicy policy =
        new CheckedPolicy() {
          @Override
          public @Nullable Entry victim(Demand demand) {
            if (used.getCount() == 0) {
              return super.victim(demand);
            }
            asked.countDown();
            try {
              used.await();
            } catch (InterruptedException abandoned) {
              throw new IllegalStateException(abandoned);
            }
            return null;
          }
        };
    BlockCache cache = new ThreadedBlockCache(2, () -> 0, new GhostWindow(64), ON_DEMAND, lock);
    lock.lock();
    try {
      cache.install("late", policy);
      insert(cache, 1);
      insert(cache, 2);
    } finally {
      lock.unlock();
    }
    Thread inserting =
        Thread.ofPlatform()
            .start(() -> {
              lock.lock();
              try {
                insert(cache, 3);
              } finally {
                lock.unlock();
              }
            });
    asked.await();
    lock.lock();
    try {
      cache.access(requireNonNull(cache.find(1, 1)), RequestFacts.UNKNOWN);
      used.countDown();
    } finally {
      lock.unlock();
    }
    inserting.join();

    lock.lock();
    try {
      assertThat(cache.lastFault()).isNull();
      assertThat(cache.find(3, 1)).isNotNull();
      assertThat(cache.find(2, 1)).as("used last").isNull();
      cache.close();
    } finally {
      lock.unlock();
    }
  }

  private List<Long> history(BlockCache cache, BlockPolicy<?> policy, Random random) {
    List<Long> gone = new ArrayList<>();
    List<CacheEntry> pinned = new ArrayList<>();
    lock.lock();
    try {
      cache.install("given", policy);
      cache.onRemoval((entry, cause) -> gone.add(entry.keyLow));
      for (int step = 0; step < 10_000; step++) {
        long key = random.nextInt(120);
        CacheEntry entry = cache.find(key, 1);
        int action = random.nextInt(10);
        RequestFacts facts = ProtectedEntriesTest.facts(random.nextInt(3));
        if (entry == null) {
          int blocks = 1 + random.nextInt(3);
          if (cache.reserve(blocks, facts)) {
            cache.insert(key, 1, blocks, facts);
          }
        } else if (action == 0) {
          cache.remove(entry, RemovalCause.DELETED);
        } else if (action < 3 && pinned.size() < 10) {
          cache.pin(entry);
          pinned.add(entry);
        } else {
          cache.access(entry, facts);
        }
        if (!pinned.isEmpty() && random.nextInt(4) == 0) {
          cache.unpin(pinned.remove(random.nextInt(pinned.size())));
        }
      }
      assertThat(cache.lastFault()).isNull();
      assertThat(cache.refusals()).isPositive();
      cache.close();
    } finally {
      lock.unlock();
    }
    return gone;
  }

  @ParameterizedTest(name = "ahead of demand: {0}")
  @ValueSource(booleans = {true, false})
  void aStormLeavesNothingBehind(boolean ahead) throws Exception {
    aStormLeavesNothingBehind(ahead, new CheckedPolicy());
  }

  @ParameterizedTest(name = "ahead of demand: {0}")
  @ValueSource(booleans = {true, false})
  void aStormOfDecisionsLeavesNothingBehind(boolean ahead) throws Exception {
    CheckedPolicy.Deciding policy = new CheckedPolicy.Deciding();

    aStormLeavesNothingBehind(ahead, policy);

    assertThat(policy.rejections).hasPositiveValue();
  }

  private void aStormLeavesNothingBehind(boolean ahead, CheckedPolicy policy) throws Exception {
    ThreadedBlockCache cache = threaded(400, ahead ? AHEAD : ON_DEMAND);
    Storm storm = new Storm(cache, lock, 600);
    storm.locked(() -> {
      cache.respectPriority();
      cache.install("checked", policy);
    });

    storm.blow(6, Histories.times(5_000));

    storm.locked(() -> {
      assertThat(cache.lastFault()).isNull();
      assertThat(cache.policyName()).isEqualTo("checked");
      // Asks the policy for its size, so that it has read all events.
      storm.checkState();
      CacheStats stats = cache.stats();
      assertThat(policy.insertions.get() - policy.removals.get()).isEqualTo(stats.entries());
      assertThat(stats.removals().values().stream().mapToLong(CacheStats.Amount::entries).sum())
          .isEqualTo(policy.removals.get());
      assertThat(stats.evictions().get(EvictedBy.FALLBACK)).isEqualTo(new CacheStats.Amount(0, 0));
      assertThat(requireNonNull(stats.evictions().get(EvictedBy.BACKGROUND)).entries() > 0)
          .isEqualTo(ahead);
      assertThat(stats.thread().abandoned()).isZero();
      long all = cache.residentBlocks();
      long evicted = cache.evictTo(0, Demand.Reason.MANUAL);
      assertThat(cache.residentBlocks()).isZero();
      if (policy instanceof CheckedPolicy.Deciding) {
        // The last decisions may remove some in the meantime.
        assertThat(evicted).isLessThanOrEqualTo(all);
      } else {
        assertThat(evicted).isEqualTo(all);
      }
      storm.checkState();
      assertThat(policy.removals.get()).isEqualTo(policy.insertions.get());
      cache.close();
    });
    assertThat(policy.closed).isTrue();
  }

  @Test
  void policiesAreSwitchedInTheMiddleOfAStorm() throws Exception {
    // Small, so that policies are often refused what they offer, also while others take over.
    ThreadedBlockCache cache = threaded(60, AHEAD);
    Storm storm = new Storm(cache, lock, 60);
    List<CheckedPolicy> policies = new CopyOnWriteArrayList<>(List.of(new CheckedPolicy()));
    storm.locked(() -> {
      cache.respectPriority();
      cache.install("first", policies.getLast());
    });
    Thread operator =
        Thread.ofPlatform()
            .start(() -> {
              for (int i = 0; i < 200; i++) {
                CheckedPolicy before = policies.getLast();
                CheckedPolicy next = new CheckedPolicy();
                storm.locked(() -> cache.install("next", next));
                policies.add(next);
                Awaiting.until(() -> before.closed);
              }
            });

    storm.blow(4, Histories.times(10_000));
    operator.join();

    storm.locked(() -> {
      assertThat(cache.lastFault()).isNull();
      assertThat(cache.stats().faults()).isEmpty();
      assertThat(cache.refusals()).isGreaterThan(Histories.times(250));
      storm.checkState();
      cache.close();
    });
    assertThat(policies).hasSize(201).allMatch(policy -> policy.closed);
  }

  @Test
  void evictionAheadOfDemandStopsAtTheTargetAlsoAtANewOne() {
    ThreadedBlockCache cache = threaded(1_000, AHEAD);
    lock.lock();
    try {
      for (int key = 0; key < 901; key++) {
        insert(cache, key);
      }
    } finally {
      lock.unlock();
    }
    Awaiting.until(() -> locked(cache::residentBlocks) == 850);
    lock.lock();
    try {
      assertThat(cache.stats().evictions().get(EvictedBy.BACKGROUND))
          .isEqualTo(new CacheStats.Amount(51, 51));
      assertThat(cache.find(50, 1)).isNull();
      assertThat(cache.find(51, 1)).isNotNull();
      cache.limits(new EvictionLimits(0.5, 0.4, Duration.ofSeconds(20)));
    } finally {
      lock.unlock();
    }
    Awaiting.until(() -> locked(cache::residentBlocks) == 400);
    lock.lock();
    try {
      cache.close();
    } finally {
      lock.unlock();
    }
  }

  @Test
  void anIdlePolicyHearsOfTheFirstEventSoon() {
    ThreadedBlockCache cache = threaded(1_000, AHEAD);
    CheckedPolicy policy = new CheckedPolicy();
    lock.lock();
    try {
      cache.install("checked", policy);
      insert(cache, 1);
    } finally {
      lock.unlock();
    }
    Awaiting.until(() -> policy.insertions.get() == 1);
    lock.lock();
    try {
      cache.close();
    } finally {
      lock.unlock();
    }
  }

  private ThreadedBlockCache threaded(long capacity, EvictionLimits limits) {
    return new ThreadedBlockCache(capacity, System::nanoTime, new GhostWindow(64), limits, lock);
  }

  private static void insert(BlockCache cache, long key) {
    assertThat(cache.reserve(1, RequestFacts.UNKNOWN)).isTrue();
    cache.insert(key, 1, 1, RequestFacts.UNKNOWN);
  }

  private <T> T locked(Supplier<T> read) {
    lock.lock();
    try {
      return read.get();
    } finally {
      lock.unlock();
    }
  }

  private static BlockPolicy<?> leastUsed() {
    return new RankedBlockPolicy() {
      @Override
      protected double rank(Entry entry) {
        return entry.accesses();
      }
    };
  }
}
