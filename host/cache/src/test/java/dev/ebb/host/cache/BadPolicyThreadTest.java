package dev.ebb.host.cache;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.cache.BadPolicy.Defect;
import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.execution.ThreadedPolicyExecutor;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.EventBatch;
import dev.ebb.host.cache.index.EvictionLog;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.policy.Explanation;
import dev.ebb.host.cache.policy.PendingSwitch;
import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.cache.stats.CacheStats;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.Histories;
import dev.ebb.spi.Demand;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A policy on its own thread that breaks the contract costs hits, never room, errors or entries.
 */
@Timeout(120)
class BadPolicyThreadTest {

  private static final EvictionLimits LIMITS = new EvictionLimits(1, 1, Duration.ofMillis(50));
  private static final int CAPACITY = 200;

  private final ReentrantLock lock = new ReentrantLock();
  private final BadPolicy policy = new BadPolicy();
  private final BlockCache cache =
      new ThreadedBlockCache(CAPACITY, System::nanoTime, new GhostWindow(64), LIMITS, lock);
  private final Storm storm = new Storm(cache, lock, 300);

  @AfterEach
  void close() {
    policy.let = true;
    storm.locked(cache::close);
  }

  @ParameterizedTest
  @CsvSource({
    "THROWS_AS_VICTIM_IS_ASKED, THREW",
    "THROWS_NOW_AND_THEN, THREW",
    "THROWS_AN_ERROR, THREW",
    "THROWS_WHAT_CANNOT_BE_PRINTED, THREW",
    "LOOPS_AS_VICTIM_IS_ASKED, OVERRAN",
    "LOOPS_ON_AN_EVENT, OVERRAN",
    "SLEEPS, OVERRAN",
    "OFFERS_FOREIGN, OFFERED_WRONG",
    "OFFERS_REMOVED, OFFERED_WRONG",
    "OFFERS_ASIDE, OFFERED_WRONG",
    "OFFERS_NOTHING, OFFERED_NOTHING",
    "LOOPS_IN_SCORE, OVERRAN"
  })
  void aRequestThatNeedsSpaceGetsIt(Defect defect, PolicyFault.Kind kind) {
    storm.locked(() -> {
      cache.log(new EvictionLog(16), 1, entry -> null);
      cache.install("bad", policy);
      for (int key = 0; key < CAPACITY; key++) {
        insert(key);
      }
      // The oldest may not leave, for one that offers what was refused.
      cache.pin(requireNonNull(cache.find(0, 1)));
      policy.defect = defect;
      for (int key = CAPACITY; key < 2 * CAPACITY; key++) {
        cache.access(requireNonNull(cache.find(0, 1)), RequestFacts.UNKNOWN);
        insert(key);
        assertThat(cache.residentBlocks()).isEqualTo(CAPACITY);
      }
      PolicyFault fault = requireNonNull(cache.lastFault());
      assertThat(fault.kind()).isEqualTo(kind);
      assertThat(fault).hasMessageStartingWith("policy 'bad' ");
      if (kind == PolicyFault.Kind.OVERRAN) {
        assertThat(fault.pluginStack()).contains("\tat ", "BadPolicy.java:");
      }
      assertThat(cache.policyName()).isEqualTo(BuiltInLru.NAME);
      CacheStats stats = cache.stats();
      assertThat(stats.faults()).containsExactly(Map.entry(kind, 1L));
      assertThat(stats.thread().abandoned()).isEqualTo(kind == PolicyFault.Kind.OVERRAN ? 1 : 0);
      assertThat(cache.find(0, 1)).isNotNull();
      assertThat(cache.policySize()).isEqualTo(CAPACITY);
      cache.unpin(requireNonNull(cache.find(0, 1)));
      storm.checkState();
      // The order that took over knows who was used when.
      cache.evict(10, Demand.Reason.MANUAL, RequestFacts.UNKNOWN);
      assertThat(cache.find(0, 1)).isNotNull();
      assertThat(cache.find(2 * CAPACITY - 1, 1)).isNotNull();
    });
  }

  @ParameterizedTest
  @EnumSource(
      value = Defect.class,
      names = {
        "THROWS_NOW_AND_THEN",
        "LOOPS_AS_VICTIM_IS_ASKED",
        "OFFERS_REMOVED",
        "OFFERS_NOTHING"
      })
  void aStormSurvivesIt(Defect defect) throws Exception {
    storm.locked(() -> cache.install("bad", policy));
    Thread turning =
        Thread.ofPlatform()
            .start(() -> {
              Awaiting.until(() -> read(cache::evictions) > 500);
              policy.defect = defect;
            });

    storm.blow(4, Histories.times(5_000));
    turning.join();

    assertThat(requireNonNull(cache.lastFault()).kind()).isNotNull();
    assertThat(cache.policyName()).isEqualTo(BuiltInLru.NAME);
  }

  @Test
  void anAbandonedThreadThatComesBackClosesItsPolicyAndEnds() {
    storm.locked(() -> {
      cache.install("bad", policy);
      for (int key = 0; key < CAPACITY; key++) {
        insert(key);
      }
      policy.defect = Defect.LOOPS_AS_VICTIM_IS_ASKED;
      insert(CAPACITY);
      assertThat(cache.stats().thread().abandonedAlive()).isEqualTo(1);
    });
    policy.let = true;
    Awaiting.until(() -> read(() -> (long) cache.stats().thread().abandonedAlive()) == 0);
    storm.locked(() -> {
      assertThat(cache.stats().thread().abandoned()).isEqualTo(1);
      insert(CAPACITY + 1);
      storm.checkState();
    });
  }

  @Test
  void onePolicyThatDoesNotReadItsEventsIsAbandonedBeforeTheyFillTheMemory() {
    storm.locked(() -> {
      cache.install("bad", policy);
      insert(1);
      policy.defect = Defect.LOOPS_ON_AN_EVENT;
      CacheEntry entry = requireNonNull(cache.find(1, 1));
      for (long i = 0; i < ThreadedPolicyExecutor.MAX_BEHIND + 10 * EventBatch.CAPACITY; i++) {
        cache.access(entry, RequestFacts.UNKNOWN);
      }
      assertThat(cache.lastFault()).hasMessage("policy 'bad' is more than 1048576 events behind");
      assertThat(cache.stats().faults())
          .containsExactly(Map.entry(PolicyFault.Kind.FELL_BEHIND, 1L));
      assertThat(cache.policySize()).isEqualTo(1);
    });
  }

  @Test
  void oneThatNeverCatchesUpWhileItTakesOverIsAbandonedBeforeEventsFillTheMemory() {
    storm.locked(() -> {
      CheckedPolicy old = new CheckedPolicy();
      cache.install("old", old);
      insert(1);
      policy.defect = Defect.LOOPS_ON_AN_EVENT;
      PendingSwitch takeover = cache.begin(new PolicyCandidate("bad", policy));
      CacheEntry entry = requireNonNull(cache.find(1, 1));
      for (long i = 0;
          i < ThreadedPolicyExecutor.MAX_BEHIND_INCOMING + 10 * EventBatch.CAPACITY;
          i++) {
        cache.access(entry, RequestFacts.UNKNOWN);
        if (i % (ThreadedPolicyExecutor.MAX_BEHIND / 64) == 0) {
          // The active one keeps up.
          assertThat(cache.policySize()).isEqualTo(1);
        }
      }
      assertThatThrownBy(takeover::await)
          .isInstanceOf(PolicyFault.class)
          .hasMessage("policy 'bad' is more than 4194304 events behind");
      assertThat(cache.policyName()).isEqualTo("old");
      assertThat(old.closed).isFalse();
    });
  }

  @Test
  void aPolicyThatExplainsForeverIsAbandoned() {
    storm.locked(() -> {
      cache.install("bad", policy);
      insert(1);
      CacheEntry entry = requireNonNull(cache.find(1, 1));
      assertThat(cache.explain(entry)).isEqualTo(new Explanation("bad", 1, ""));
      policy.defect = Defect.LOOPS_IN_SCORE;
      assertThat(cache.explain(entry)).isNull();
      assertThat(requireNonNull(cache.lastFault()).kind()).isEqualTo(PolicyFault.Kind.OVERRAN);
      assertThat(requireNonNull(cache.explain(entry)).policy()).isEqualTo(BuiltInLru.NAME);
    });
  }

  @ParameterizedTest
  @CsvSource({
    "LOSES_COUNT, 'policy ''bad'' holds 201 entries after taking over, but 200 are resident'",
    "THROWS_ON_INSERTION, 'policy ''bad'' failed: java.lang.IllegalStateException: broken'",
    "LOOPS_ON_INSERTION, policy 'bad' did not take over in time"
  })
  void oneThatFailsToTakeOverKeepsTheOldOneActive(Defect defect, String reason) {
    storm.locked(() -> {
      CheckedPolicy old = new CheckedPolicy();
      cache.install("old", old);
      for (int key = 0; key < CAPACITY; key++) {
        insert(key);
      }
      policy.defect = defect;
      assertThatThrownBy(() -> cache.install("bad", policy))
          .isInstanceOf(PolicyFault.class)
          .hasMessage(reason);
      assertThat(cache.policyName()).isEqualTo("old");
      assertThat(cache.lastFault()).isNull();
      insert(CAPACITY);
      storm.checkState();
      assertThat(old.closed).isFalse();
    });
  }

  private void insert(long key) {
    assertThat(cache.reserve(1, RequestFacts.UNKNOWN)).isTrue();
    cache.insert(key, 1, 1, RequestFacts.UNKNOWN);
  }

  private long read(LongSupplier read) {
    lock.lock();
    try {
      return read.getAsLong();
    } finally {
      lock.unlock();
    }
  }
}
