package dev.ebb.host.cache;

import dev.ebb.host.cache.execution.InlinePolicyExecutor;
import dev.ebb.host.cache.index.AdmissionCandidate;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.CacheState;
import dev.ebb.host.cache.index.EventBatch;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.policy.PolicyTimer;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.PolicyClock;

/** A cache whose policy runs on the thread that uses the cache. */
public final class InlineBlockCache extends BlockCache {

  private final InlinePolicyExecutor inline;

  /**
   * Creates an empty cache, ordered by {@link BuiltInLru} until a policy is installed.
   *
   * @param onFault the action when the policy breaks its contract
   */
  public InlineBlockCache(
      long capacityBlocks, PolicyClock clock, GhostWindow ghosts, OnFault onFault) {
    this(new CacheState(capacityBlocks, clock, ghosts, false), onFault);
  }

  private InlineBlockCache(CacheState state, OnFault onFault) {
    this(state, new InlinePolicyExecutor(state, onFault));
  }

  private InlineBlockCache(CacheState state, InlinePolicyExecutor executor) {
    super(state, executor);
    inline = executor;
  }

  /** Samples the policy's costs. To be called before {@link #install}. */
  public void time(PolicyTimer timer) {
    inline.time(timer);
  }

  /**
   * Runs a request for one block that needs no block before it: the same as {@link #begin}, {@link
   * #admit} and {@link #finish}. It pins nothing, because nothing happens in between. Returns
   * whether it matched.
   */
  public boolean use(CacheRequest request) {
    CacheEntry entry = state.index.find(request.keyLow(0), request.keyHigh(0));
    if (entry != null && (!entry.announced || entry.asideOf != 0)) {
      // Another request makes it, or its release has to be reported.
      int matched = begin(request);
      admit(request);
      finish(request);
      return matched > 0;
    }
    request.matched = entry == null ? 0 : 1;
    if (entry == null) {
      state.ghosts.onMissed(request.keyLow(0));
    }
    boolean requestsWanted = state.events.requestsWanted();
    if (requestsWanted) {
      state.events.emit(EventBatch.Kind.BEGAN, request);
    }
    if (entry != null) {
      entry.lastOfRequest = true;
      RequestFacts facts = request.facts();
      state.use(entry, facts, facts.end().retention(), state.clock.nanos());
    } else {
      admitOne(request);
    }
    if (requestsWanted) {
      state.events.emit(EventBatch.Kind.ENDED, request);
      state.events.settle();
    }
    return entry != null;
  }

  private void admitOne(CacheRequest request) {
    if (state.missing(1) > 0) {
      AdmissionCandidate newcomer =
          inline.decidesAdmission() ? AdmissionCandidate.prefix(request, 0) : null;
      if (!inline.makeRoom(1, request.facts(), newcomer)) {
        leftOut(1, newcomer != null && newcomer.rejected);
        return;
      }
    }
    CacheEntry entry = state.slots.take();
    entry.reset(request.keyLow(0), request.keyHigh(0), null, 0, request.facts());
    entry.lastOfRequest = true;
    state.enter(entry);
    state.publish(entry, state.clock.nanos());
  }

  /** Returns the active policy, which has read all events so far. */
  public BlockPolicy<?> policy() {
    state.events.settle();
    return inline.policy();
  }
}
