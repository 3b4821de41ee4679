package dev.ebb.host.cache;

import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RemovalCause;
import org.jspecify.annotations.Nullable;

/**
 * Decides what the active policy is asked for, and evicts what it offers. Used under the cache's
 * monitor, on the policy's thread.
 */
final class EvictionDriver {

  private final CacheState state;
  private final EvictionThresholds thresholds;
  private final SpaceQueue queue;
  private EvictedBy evictedBy = EvictedBy.BACKGROUND;

  /** The priority of the last request that took space: eviction ahead of demand is for it. */
  private int lastPriority = RequestFacts.UNKNOWN.priority();

  private @Nullable PassMeter pass;

  EvictionDriver(CacheState state, EvictionThresholds thresholds, SpaceQueue queue) {
    this.state = state;
    this.thresholds = thresholds;
    this.queue = queue;
  }

  /** Records that a request takes space. */
  void takesSpace(RequestFacts asker) {
    lastPriority = asker.priority();
  }

  /** Returns the request that waits for a victim now; null if none does. */
  private @Nullable SpaceRequest demanding() {
    SpaceRequest request = queue.first();
    return request != null && !request.isRejected() && request.missing(state) > 0 ? request : null;
  }

  private int level(@Nullable SpaceRequest request) {
    return request == null
        ? state.evictionLevel(Demand.Reason.BACKGROUND, lastPriority)
        : request.level(state);
  }

  /** Sets the query for a policy. Returns whether it is asked for a victim. */
  boolean ask(PolicyThread thread) {
    SpaceRequest request = demanding();
    long wanted = wanted(thread, request);
    evictedBy = request == null ? EvictedBy.BACKGROUND : EvictedBy.DEMAND;
    Demand.Reason reason = request == null ? Demand.Reason.BACKGROUND : request.reason();
    measure(thread.consumer().name(), reason, wanted);
    thread.asks(wanted > 0);
    if (wanted == 0) {
      queue.check();
    } else {
      state.releaseProtected(level(request));
      RequestFacts asker = request == null ? RequestFacts.UNKNOWN : request.asker();
      thread.demand().set(wanted, reason, asker);
      thread.demand().newcomer = request == null ? null : request.newcomer();
      thread.demand().newcomerFreed = request == null ? 0 : request.freed();
    }
    return wanted > 0;
  }

  private long wanted(PolicyThread thread, @Nullable SpaceRequest request) {
    if (thread.consumer().policy() instanceof NoEviction) {
      return 0;
    }
    long wanted = request == null ? surplus() : request.possible(state);
    return Math.min(wanted, state.evictable());
  }

  /** Returns the blocks to evict ahead of demand, which evicts nothing that is protected. */
  private long surplus() {
    long surplus = thresholds.surplus();
    return surplus > 0 && state.onlyProtected(level(null)) ? 0 : surplus;
  }

  /**
   * Evicts the entry that a policy offered, or refuses it.
   *
   * @param heardAll whether the policy had read all events when it offered
   * @throws PolicyFault if the offer breaks the contract
   */
  void accept(PolicyThread thread, boolean heardAll) {
    Entry offered = thread.offer();
    PolicyConsumer<?> policy = thread.consumer();
    if (offered == null) {
      if (state.evictable() > 0 && heardAll && !state.onlyProtected()) {
        throw PolicyFault.offersNothing(policy.name(), state.evictable(), state.resident());
      }
      return;
    }
    Newcomer rejected = thread.rejected();
    if (rejected != null) {
      rejected.rejected = true;
      queue.check();
      return;
    }
    String wrong = policy.wrong(offered, state.slots);
    if (thread.tooManyWrongOffers(wrong != null)) {
      throw policy.keepsOffering(String.valueOf(wrong));
    }
    CacheEntry entry = HandedOverEntry.unwrap(offered);
    // An entry that was removed meanwhile needs no answer: its REMOVED event is on the way.
    if (wrong != null || entry == null || !entry.resident()) {
      return;
    }
    if (entry.evictable() && !state.protects(entry, level(demanding()))) {
      evict(entry);
    } else {
      state.refuse(entry);
    }
  }

  private void evict(CacheEntry entry) {
    int blocks = entry.blocks;
    state.drop(entry, RemovalCause.EVICTED, evictedBy);
    if (pass != null) {
      pass.evicted(blocks);
    }
    SpaceRequest request = queue.first();
    if (request != null) {
      request.evicted(blocks);
      if (request.isMet(state, thresholds.spare())) {
        queue.check();
      }
    }
  }

  private void measure(String policy, Demand.Reason reason, long wanted) {
    if (pass != null && (wanted == 0 || pass.reason() != reason)) {
      pass.end(policy);
      pass = null;
    }
    if (wanted > 0 && pass == null) {
      pass = new PassMeter(state, reason, evictedBy, wanted);
    } else if (pass != null) {
      pass.asks(wanted);
    }
  }
}
