package dev.ebb.host.cache.execution;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheState;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.cache.stats.EvictedBy;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The requests that wait for space, in the order of arrival, so that small requests do not pass a
 * large one forever. If the cache respects priorities, the highest one is served first, and the
 * oldest request every fourth time. Used under the cache's monitor, which a wait releases.
 */
final class SpaceQueue {

  /** The oldest request is served at least once in so many times. */
  private static final int OLDEST_EVERY = 4;

  private final CacheMonitor monitor;
  private final CacheState state;
  private final PolicySwitch policySwitch;
  private final EvictionThresholds thresholds;
  private final SampledLru sampled;
  private final ArrayDeque<SpaceRequest> queue = new ArrayDeque<>();

  /** The one that is served; null if none waits. */
  private @Nullable SpaceRequest first;

  private int served;
  private long waits;

  SpaceQueue(
      CacheMonitor monitor,
      CacheState state,
      PolicySwitch policySwitch,
      EvictionThresholds thresholds) {
    this.monitor = monitor;
    this.state = state;
    this.policySwitch = policySwitch;
    this.thresholds = thresholds;
    sampled = new SampledLru(state);
  }

  int size() {
    return queue.size();
  }

  @Nullable SpaceRequest first() {
    return first;
  }

  private boolean servesOldest() {
    return !state.respectsPriority() || served % OLDEST_EVERY == OLDEST_EVERY - 1;
  }

  private void add(SpaceRequest request) {
    queue.addLast(request);
    state.spaceAwaited = true;
    if (first == null || (!servesOldest() && request.precedes(first))) {
      first = request;
    }
  }

  private void remove(SpaceRequest request) {
    queue.remove(request);
    state.spaceAwaited = !queue.isEmpty();
    if (first == request) {
      served++;
      first = queue.peekFirst();
      if (first != null && !servesOldest()) {
        for (SpaceRequest each : queue) {
          first = each.precedes(first) ? each : first;
        }
      }
    }
  }

  long waits() {
    return waits;
  }

  /** Wakes the waiting clients: the first request may be met, or may have become impossible. */
  void check() {
    if (!queue.isEmpty()) {
      monitor.signalProgress();
    }
  }

  /** Waits until a request is met; returns false if it cannot be. */
  boolean await(SpaceRequest request) {
    StallDetector stall = new StallDetector(thresholds.deadlineNanos());
    boolean waited = false;
    add(request);
    try {
      while (true) {
        PolicyThread policy = policySwitch.active();
        if (first == request) {
          if (request.missing(state) <= 0) {
            return true;
          }
          if (policySwitch.isClosed()
              || request.isRejected()
              || !request.canBeMet(state)
              || keepsAll(policy)) {
            return false;
          }
          if (policy == null || stall.isStalled(policy)) {
            free(request);
            continue;
          }
          if (stall.isOver(policy)) {
            policySwitch.abandon(
                policy,
                PolicyFault.Kind.OVERRAN,
                "did not answer within its deadline of %d ms"
                    .formatted(thresholds.deadlineNanos() / 1_000_000));
            continue;
          }
        }
        waits += waited ? 0 : 1;
        waited = true;
        monitor.signalWork();
        boolean whole = monitor.awaitProgress(stall.sliceNanos());
        if (policy != null && first == request) {
          stall.waited(policy, whole);
        }
      }
    } finally {
      remove(request);
      check();
    }
  }

  private static boolean keepsAll(@Nullable PolicyThread policy) {
    return policy != null && policy.consumer().policy() instanceof NoEviction;
  }

  private void free(SpaceRequest request) {
    PassMeter pass =
        new PassMeter(state, request.reason(), EvictedBy.FALLBACK, request.missing(state));
    int level = request.level(state);
    while (request.missing(state) > 0) {
      CacheEntry victim = sampled.victim(level);
      if (victim == null) {
        break;
      }
      state.counters.protectedEvictions += state.protects(victim, level) ? 1 : 0;
      long freed = state.drop(victim, RemovalCause.EVICTED, EvictedBy.FALLBACK);
      request.evicted(freed);
      pass.evicted(freed);
    }
    pass.end(BuiltInLru.NAME);
  }
}
