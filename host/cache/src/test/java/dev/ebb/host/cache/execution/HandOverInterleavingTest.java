package dev.ebb.host.cache.execution;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.BlockCache;
import dev.ebb.host.cache.ThreadedBlockCache;
import dev.ebb.host.cache.index.CacheState;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.policy.PendingSwitch;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.Origin;
import dev.ebb.spi.RemovalCause;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A client inserts, removes and evicts entries while one policy takes over from another, in every
 * order with at most two deviations ({@link Interleavings}), on the cache's own code.
 *
 * <p>It catches, and was seen to catch, each of these changes: no hand-over of the open batch
 * before the snapshot in {@link PolicySwitch}, so that the incoming policy receives entries twice;
 * slots given back in {@link EventFanout} when the first reader has read, so that the other one
 * reads another entry in the slot; the origin kept in the entry that both policies share; no signal
 * when the incoming policy is ready, so that the client waits for ever.
 */
@Timeout(120)
class HandOverInterleavingTest {

  private static final EvictionLimits LIMITS = new EvictionLimits(1, 1, Duration.ofDays(1));
  private static final int CAPACITY = 3;

  @Test
  void eachPolicyReceivesEachEntryOnceWithItsOwnOrigin() {
    int orders = new Interleavings(2).explore(HandOverInterleavingTest::switchUnderTraffic);
    assertThat(orders).isGreaterThan(500);
  }

  private static void switchUnderTraffic(Interleavings.Run run) {
    ScheduledMonitor monitor = new ScheduledMonitor(run);
    monitor.lock();
    run.starts();
    CacheState state = new CacheState(CAPACITY, () -> 0, new GhostWindow(1), true);
    ThreadedBlockCache cache = new ThreadedBlockCache(state, LIMITS, monitor);
    Recorder active = new Recorder(run, Set.of());
    Recorder incoming = new Recorder(run, Set.of(1L, 2L));

    assertThat(cache.policySize()).isZero();
    run.starts();
    cache.install("active", active);
    insert(cache, 1);
    insert(cache, 2);
    run.starts();
    PendingSwitch pending = cache.begin(new PolicyCandidate("incoming", incoming));
    remove(cache, 1);
    insert(cache, 3);
    monitor.unlock();

    monitor.lock();
    pending.await();
    insert(cache, 4);
    pending.publish();
    insert(cache, 5);
    assertThat(cache.policySize()).isEqualTo(CAPACITY);
    assertThat(cache.policyName()).isEqualTo("incoming");
    assertThat(cache.lastFault()).isNull();
    assertThat(cache.find(2, 1)).as("the coldest entry").isNull();
    assertThat(incoming.held).containsOnlyKeys(3L, 4L, 5L);
    cache.close();
    monitor.unlock();
  }

  private static void insert(BlockCache cache, long key) {
    assertThat(cache.reserve(1, RequestFacts.UNKNOWN)).isTrue();
    cache.insert(key, 1, 1, RequestFacts.UNKNOWN);
  }

  private static void remove(BlockCache cache, long key) {
    assertThat(cache.remove(requireNonNull(cache.find(key, 1)), RemovalCause.DELETED)).isTrue();
  }

  /** Offers the oldest entry, and fails on any event that does not fit the ones before. */
  private static final class Recorder implements BlockPolicy<Recorder.Node> {

    private final Interleavings.Run run;
    private final Set<Long> handedOver;
    private final Map<Long, Node> held = new LinkedHashMap<>();

    private record Node(long key, Entry entry) {}

    private Recorder(Interleavings.Run run, Set<Long> handedOver) {
      this.run = run;
      this.handedOver = handedOver;
    }

    @Override
    public Node inserted(Entry entry) {
      run.point(() -> true);
      long key = entry.fingerprint();
      Origin expected = handedOver.contains(key) ? Origin.HANDED_OVER : Origin.NEW;
      assertThat(entry.origin()).as("the origin of %d", key).isEqualTo(expected);
      Node node = new Node(key, entry);
      assertThat(held.put(key, node)).as("%d was received once", key).isNull();
      return node;
    }

    @Override
    public void accessed(Node node) {}

    @Override
    public @Nullable Entry victim(Demand demand) {
      return held.isEmpty() ? null : held.values().iterator().next().entry;
    }

    @Override
    public void removed(Node node, RemovalCause cause) {
      assertThat(held.remove(node.key)).as("%d is held", node.key).isSameAs(node);
    }

    @Override
    public void refused(Node node) {}

    @Override
    public void released(Node node) {}

    @Override
    public long size() {
      return held.size();
    }
  }
}
