package dev.ebb.host.cache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.EventBatch;
import dev.ebb.host.cache.index.HandedOverEntry;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.policy.PendingSwitch;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.host.testing.DelegatingPolicy;
import dev.ebb.spi.Entry;
import dev.ebb.spi.Origin;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two policies receive the same entry, one as a new entry, the other in its hand-over. */
@Timeout(120)
class EntryOriginTest {

  private static final EvictionLimits LIMITS = new EvictionLimits(1, 1, Duration.ofSeconds(60));

  /** More than the active policy gets in one batch. */
  private static final int ENTRIES = 3 * EventBatch.CAPACITY + 7;

  private final ReentrantLock lock = new ReentrantLock();

  @Test
  void theActivePolicySeesNewEntriesThatASwitchHandsOverBeforeItReadsItsInbox() {
    BlockCache cache =
        new ThreadedBlockCache(10_000, System::nanoTime, new GhostWindow(64), LIMITS, lock);
    Recorder active = new Recorder();
    Recorder incoming = new Recorder();
    incoming.reads.countDown();
    lock.lock();
    try {
      cache.install("active", active);
      for (int key = 1; key <= ENTRIES; key++) {
        insert(cache, key);
      }
      PendingSwitch pending = cache.begin(new PolicyCandidate("incoming", incoming));
      pending.await();
      insert(cache, ENTRIES + 1);

      assertThat(active.origins).as("read before the switch").isEmpty();
      active.reads.countDown();
      assertThat(cache.policySize()).isEqualTo(ENTRIES + 1);
      assertThat(active.origins).hasSize(ENTRIES + 1);
      assertThat(active.origins.values()).containsOnly(Origin.NEW);

      pending.publish();
      assertThat(cache.policySize()).isEqualTo(ENTRIES + 1);
      assertThat(incoming.origins).hasSize(ENTRIES + 1).containsEntry(ENTRIES + 1L, Origin.NEW);
      incoming.origins.remove(ENTRIES + 1L);
      assertThat(incoming.origins.values()).containsOnly(Origin.HANDED_OVER);
    } finally {
      active.reads.countDown();
      cache.close();
      lock.unlock();
    }
  }

  @Test
  void aPolicyMayEvictWhatItTookOver() {
    BlockCache cache = new InlineBlockCache(4, () -> 0, new GhostWindow(8), OnFault.FAIL);
    for (int key = 1; key <= 4; key++) {
      insert(cache, key);
    }
    cache.install("incoming", new BuiltInLru());

    insert(cache, 5);

    assertThat(cache.find(1, 1)).isNull();
    assertThat(cache.find(5, 1)).isNotNull();
    assertThat(cache.lastFault()).isNull();
  }

  @Test
  void theViewOfAHandedOverEntryPassesOnWhatTheEntrySays() throws Exception {
    CacheEntry entry = new CacheEntry();
    RequestFacts facts = RequestFacts.UNKNOWN;
    entry.reset(11, 12, null, 3, facts);
    entry.blocks = 2;
    HandedOverEntry view = new HandedOverEntry(entry);
    for (Method method : Entry.class.getMethods()) {
      Class<?>[] parameters = method.getParameterTypes();
      assertThat(view.getClass().getDeclaredMethod(method.getName(), parameters)).isNotNull();
      if (!method.getName().equals("origin")) {
        Object[] group = parameters.length == 0 ? new Object[0] : new Object[] {0};
        assertThat(method.invoke(view, group))
            .as(method.getName())
            .isEqualTo(method.invoke(entry, group));
      }
    }
    assertThat(view.origin()).isEqualTo(Origin.HANDED_OVER);
    assertThat(entry.origin()).isEqualTo(Origin.NEW);
  }

  private static void insert(BlockCache cache, long key) {
    assertThat(cache.reserve(1, RequestFacts.UNKNOWN)).isTrue();
    cache.insert(key, 1, 1, RequestFacts.UNKNOWN);
  }

  /** Notes the origin of each entry by fingerprint; reads nothing before it may. */
  private static final class Recorder extends DelegatingPolicy<Entry> {

    private final CountDownLatch reads = new CountDownLatch(1);
    private final Map<Long, Origin> origins = new ConcurrentHashMap<>();

    Recorder() {
      super(new NoEviction());
    }

    @Override
    public Entry inserted(Entry entry) {
      try {
        reads.await();
      } catch (InterruptedException interrupted) {
        throw new AssertionError(interrupted);
      }
      origins.put(entry.fingerprint(), entry.origin());
      return super.inserted(entry);
    }
  }
}
