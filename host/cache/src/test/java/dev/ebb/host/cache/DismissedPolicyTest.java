package dev.ebb.host.cache;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.index.EventBatch;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.policy.PendingSwitch;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.spi.Entry;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a policy leaves behind when another one takes its place, or it fails. */
@Timeout(120)
class DismissedPolicyTest {

  private static final EvictionLimits LIMITS = new EvictionLimits(1, 1, Duration.ofDays(1));
  private static final int CAPACITY = 20;

  private final ReentrantLock lock = new ReentrantLock();
  private final BlockCache cache =
      new ThreadedBlockCache(CAPACITY, System::nanoTime, new GhostWindow(64), LIMITS, lock);
  private final CountDownLatch release = new CountDownLatch(1);

  @AfterEach
  void close() {
    release.countDown();
    locked(cache::close);
  }

  /** Waits for {@link #release} when it takes over, or when an entry is used. */
  private final class Waiting extends CheckedPolicy {

    private final boolean atFirst;
    private final CountDownLatch waits = new CountDownLatch(1);

    private Waiting(boolean atFirst) {
      this.atFirst = atFirst;
    }

    @Override
    public Node inserted(Entry entry) {
      if (atFirst) {
        await();
      }
      return super.inserted(entry);
    }

    @Override
    public void accessed(Node node) {
      await();
      super.accessed(node);
    }

    private void await() {
      waits.countDown();
      try {
        release.await();
      } catch (InterruptedException abandoned) {
        throw new IllegalStateException(abandoned);
      }
    }
  }

  private static final class Broken extends CheckedPolicy {

    @Override
    public void accessed(Node node) {
      throw new IllegalStateException("broken");
    }
  }

  @Test
  void aCancelledSwitchLeavesTheBuiltInOrderIfTheActivePolicyFailedMeanwhile() {
    locked(() -> {
      cache.install("active", new Broken());
      for (int key = 0; key < CAPACITY; key++) {
        insert(key);
      }
      PendingSwitch pending = cache.begin(new PolicyCandidate("incoming", new Waiting(true)));
      use(0);
      assertThat(cache.explain(requireNonNull(cache.find(0, 1)))).isNull();
      assertThat(cache.lastFault()).hasMessageContaining("broken");
      pending.cancel();

      assertThat(requireNonNull(cache.explain(requireNonNull(cache.find(0, 1)))).policy())
          .isEqualTo(BuiltInLru.NAME);
      insert(CAPACITY);
      assertThat(cache.find(0, 1)).as("it was used last").isNotNull();
    });
  }

  @Test
  void aQuestionToAPolicyEndsWhenItIsReplaced() throws Exception {
    Waiting active = new Waiting(false);
    locked(() -> {
      cache.install("active", active);
      insert(0);
      use(0);
    });
    Thread asking =
        Thread.ofPlatform()
            .start(() ->
                locked(() -> {
                  var _ = cache.explain(requireNonNull(cache.find(0, 1)));
                }));
    active.waits.await();
    locked(() -> cache.install("next", new CheckedPolicy()));

    asking.join();
    assertThat(cache.policyName()).isEqualTo("next");
  }

  @Test
  void whatADismissedPolicyDoesNotReadIsFree() {
    locked(() -> {
      cache.install("before", new CheckedPolicy());
      cache.install("next", new CheckedPolicy());
      int last = 20 * EventBatch.CAPACITY;
      for (int key = 0; key <= last; key++) {
        insert(key);
      }
      assertThat(requireNonNull(cache.find(last, 1)).slot()).isLessThan(last / 2);
    });
  }

  private void use(long key) {
    cache.access(requireNonNull(cache.find(key, 1)), RequestFacts.UNKNOWN);
  }

  private void insert(long key) {
    assertThat(cache.reserve(1, RequestFacts.UNKNOWN)).isTrue();
    cache.insert(key, 1, 1, RequestFacts.UNKNOWN);
  }

  private void locked(Runnable action) {
    lock.lock();
    try {
      action.run();
    } finally {
      lock.unlock();
    }
  }
}
