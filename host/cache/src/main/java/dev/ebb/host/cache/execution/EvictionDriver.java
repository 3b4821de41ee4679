package dev.ebb.host.cache.execution;

import dev.ebb.host.cache.index.AdmissionCandidate;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheState;
import dev.ebb.host.cache.index.HandedOverEntry;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.index.UndecidedBlocks;
import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.cache.stats.EvictedBy;
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

  /** The cached blocks that the policy decides on now; null if there are none. */
  private @Nullable UndecidedBlocks undecided;

  /** The level of the last offer's request. */
  private int level;

  /** Blocks above the threshold are being decided on, or evicted. */
  private boolean deciding;

  /** The priority of the last request that took space: eviction ahead of demand is for it. */
  private int lastPriority = RequestFacts.UNKNOWN.priority();

  private @Nullable PassMeter pass;

  EvictionDriver(CacheState state, EvictionThresholds thresholds, SpaceQueue queue) {
    this.state = state;
    this.thresholds = thresholds;
    this.queue = queue;
  }

  void takesSpace(RequestFacts asker) {
    lastPriority = asker.priority();
  }

  /** Returns the request that waits for a victim now; null if none does. */
  private @Nullable SpaceRequest demanding() {
    SpaceRequest request = queue.first();
    return request != null && !request.isRejected() && request.missing(state) > 0 ? request : null;
  }

  private int level(@Nullable SpaceRequest request) {
    if (undecided != null) {
      return state.evictionLevel(Demand.Reason.ALLOCATION, undecided.facts().priority());
    }
    return request == null
        ? state.evictionLevel(Demand.Reason.BACKGROUND, lastPriority)
        : request.level(state);
  }

  /** Sets the query for a policy. Returns whether it is asked for a victim. */
  boolean ask(PolicyThread thread) {
    if (!thread.parts().prepare(thread.consumer())
        && !(thread.consumer().policy() instanceof NoEviction)) {
      thin(demanding());
    }
    SpaceRequest request = demanding();
    long excess = state.decidesOnCached ? excess(request != null) : 0;
    undecided = excess > 0 ? state.admission.next() : null;
    while (undecided != null && state.evictable() == 0) {
      // What running requests have stored is pinned: the rest does not fit.
      state.admission.reject(undecided);
      undecided = state.admission.next();
    }
    long wanted = wanted(thread, request, excess);
    evictedBy = request == null ? EvictedBy.BACKGROUND : EvictedBy.DEMAND;
    Demand.Reason reason = request == null ? Demand.Reason.BACKGROUND : request.reason();
    measure(thread.consumer().name(), reason, wanted);
    thread.asks(wanted > 0);
    if (wanted == 0) {
      queue.check();
    } else {
      level = level(request);
      state.releaseProtected(level);
      describe(thread.demand(), request, reason, wanted);
    }
    return wanted > 0;
  }

  private void describe(
      EvictionDemand demand, @Nullable SpaceRequest request, Demand.Reason reason, long wanted) {
    if (undecided != null) {
      demand.set(wanted, Demand.Reason.ALLOCATION, undecided.facts());
      demand.newcomer = undecided.first();
      return;
    }
    demand.set(wanted, reason, request == null ? RequestFacts.UNKNOWN : request.asker());
    demand.newcomer = request == null ? null : request.newcomer();
    demand.newcomerFreed = request == null ? 0 : request.freed();
  }

  private long wanted(PolicyThread thread, @Nullable SpaceRequest request, long excess) {
    if (thread.consumer().policy() instanceof NoEviction) {
      return 0;
    }
    long wanted;
    if (undecided != null) {
      wanted = Math.min(excess, undecided.missing());
    } else if (request != null) {
      wanted = request.possible(state);
    } else {
      wanted = state.decidesOnCached ? excess : thresholds.surplus();
      // Eviction ahead of demand evicts nothing that is protected.
      wanted = wanted > 0 && state.onlyProtected(level(null)) ? 0 : wanted;
    }
    return Math.min(wanted, state.evictable());
  }

  /** Returns how many blocks are to be made room for now, by eviction or by admitting fewer. */
  private long excess(boolean now) {
    long excess = thresholds.excess();
    if (excess <= 0) {
      deciding = false;
      state.admission.admitAll();
      return 0;
    }
    deciding |= now || thresholds.isWorthWaking(excess);
    return deciding ? excess : 0;
  }

  /**
   * Evicts the entry that a policy offered, or refuses it. A policy that had read all events when
   * it offered must not break the contract.
   */
  void accept(PolicyThread thread, boolean heardAll) {
    Entry offered = thread.offer();
    PolicyConsumer<?> policy = thread.consumer();
    if (thread.parts().isAnswered()) {
      freed(thread.parts().evict(policy, level, evictedBy));
      return;
    }
    if (offered == null) {
      if (state.evictable() > 0 && heardAll && !state.onlyProtected()) {
        throw PolicyFault.offersNothing(policy.name(), state.evictable(), state.resident());
      }
      return;
    }
    AdmissionCandidate rejected = thread.rejected();
    if (rejected != null) {
      rejected.rejected = true;
      if (undecided != null && undecided.first() == rejected) {
        state.admission.reject(undecided);
      }
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
    if (entry.evictable() && !state.protects(entry, level)) {
      thread.evicted();
      evict(entry);
    } else {
      state.refuse(entry);
    }
  }

  private void evict(CacheEntry entry) {
    freed(state.drop(entry, RemovalCause.EVICTED, evictedBy));
  }

  /** Evicts what goes before whole chunks, without asking the policy. */
  private void thin(@Nullable SpaceRequest request) {
    long wanted = request == null ? thresholds.surplus() : request.missing(state);
    long freed =
        wanted <= 0
            ? 0
            : state.thin(wanted, request == null ? EvictedBy.BACKGROUND : EvictedBy.DEMAND);
    if (freed > 0) {
      freed(freed);
    }
  }

  private void freed(long blocks) {
    if (undecided != null) {
      undecided.evicted(blocks);
    }
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
