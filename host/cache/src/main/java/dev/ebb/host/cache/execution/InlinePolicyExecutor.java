package dev.ebb.host.cache.execution;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.index.AdmissionCandidate;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheState;
import dev.ebb.host.cache.index.EventBatch;
import dev.ebb.host.cache.index.HandedOverEntry;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.policy.NoEviction;
import dev.ebb.host.cache.policy.OnFault;
import dev.ebb.host.cache.policy.PendingSwitch;
import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.cache.policy.PolicyTimer;
import dev.ebb.host.cache.policy.SwitchTimes;
import dev.ebb.host.cache.stats.EvictedBy;
import dev.ebb.host.cache.stats.Histogram;
import dev.ebb.host.cache.stats.PolicyThreadStats;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RemovalCause;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs the policy on the thread that uses the cache. */
public final class InlinePolicyExecutor implements PolicyExecutor {

  private static final PolicyThreadStats NO_THREAD =
      new PolicyThreadStats(0, 0, 0, new Histogram(), 0, 0, 0, 0);

  private final CacheState state;
  private final OnFault onFault;
  private final EvictionDemand demand = new EvictionDemand();
  private final PartQuestion parts;
  private PolicyConsumer<?> policy;
  private @Nullable Incoming incoming;
  private int lastId;
  private @Nullable PolicyTimer timer;
  private @Nullable PolicyFault lastFault;

  public InlinePolicyExecutor(CacheState state, OnFault onFault) {
    this.state = state;
    this.onFault = onFault;
    parts = new PartQuestion(state);
    policy = consumer(builtIn());
    activated();
    state.events.connect(this::accept);
  }

  public void time(PolicyTimer policyTimer) {
    timer = policyTimer;
  }

  public BlockPolicy<?> policy() {
    return policy.policy();
  }

  public boolean decidesAdmission() {
    return policy.decidesAdmission();
  }

  private EventBatch accept(EventBatch filled) {
    filled.addressee = policy.id();
    if (incoming != null) {
      incoming.accept(filled);
    }
    try {
      policy.accept(filled);
    } catch (PolicyFault fault) {
      filled.clear();
      fallBack(fault);
    }
    filled.clear();
    return filled;
  }

  @Override
  public PendingSwitch begin(PolicyCandidate candidate) {
    if (incoming != null) {
      throw new IllegalStateException("another policy is taking over");
    }
    state.events.flush();
    long start = System.nanoTime();
    PolicyConsumer<?> next = consumer(candidate);
    try {
      for (CacheEntry entry : state.slots.snapshot().coldestFirst()) {
        next.insertResident(entry);
      }
    } catch (PolicyFault fault) {
      next.failed(fault);
      dismiss(next);
      throw fault;
    }
    incoming = new Incoming(next, System.nanoTime() - start);
    return incoming;
  }

  /** A policy that holds all residents, and receives every event from then on. */
  private final class Incoming implements PendingSwitch {

    private final PolicyConsumer<?> next;
    private final long snapshotNanos;
    private @Nullable PolicyFault failure;
    private long checkNanos;

    private Incoming(PolicyConsumer<?> next, long snapshotNanos) {
      this.next = next;
      this.snapshotNanos = snapshotNanos;
    }

    private void accept(EventBatch filled) {
      try {
        next.accept(filled);
      } catch (PolicyFault fault) {
        fail(fault);
      }
    }

    private void fail(PolicyFault fault) {
      failure = fault;
      next.failed(fault);
      cancel();
    }

    @Override
    public void await() {
      state.events.flush();
      check();
      long start = System.nanoTime();
      try {
        next.checkSize(state.slots.publishedCount());
      } catch (PolicyFault fault) {
        fail(fault);
        throw fault;
      }
      checkNanos = System.nanoTime() - start;
    }

    @Override
    public void check() {
      if (failure != null) {
        throw failure;
      }
    }

    @Override
    public void publish() {
      check();
      state.events.flush();
      check();
      incoming = null;
      PolicyConsumer<?> before = policy;
      policy = next;
      activated();
      next.answered(0);
      dismiss(before);
    }

    @Override
    public void cancel() {
      if (incoming == this) {
        incoming = null;
        dismiss(next);
      }
    }

    @Override
    public SwitchTimes times() {
      return new SwitchTimes(snapshotNanos, 0, checkNanos);
    }
  }

  private static void dismiss(PolicyConsumer<?> policy) {
    try {
      policy.close();
    } catch (PolicyFault late) {
      // Nothing depends on it any more.
    }
  }

  private static PolicyCandidate builtIn() {
    return new PolicyCandidate(BuiltInLru.NAME, new BuiltInLru());
  }

  private PolicyConsumer<?> consumer(PolicyCandidate candidate) {
    return PolicyConsumer.of(candidate, ++lastId, state.counters.log(), timer);
  }

  private void activated() {
    state.activate(policy.id(), policy.name());
    state.events.policyWantsRequests(policy.hearsRequests());
    state.events.missesWanted(policy.hearsMisses());
  }

  @Override
  public boolean makeRoom(long blocks, RequestFacts asker, @Nullable AdmissionCandidate newcomer) {
    long missing = state.missing(blocks);
    return missing <= 0
        || (missing <= state.evictable()
            && evict(missing, Demand.Reason.ALLOCATION, asker, newcomer) >= missing);
  }

  @Override
  public long evict(
      long blocks,
      Demand.Reason reason,
      RequestFacts asker,
      @Nullable AdmissionCandidate newcomer) {
    if (policy.policy() instanceof NoEviction) {
      return 0;
    }
    EvictedBy by = reason == Demand.Reason.BACKGROUND ? EvictedBy.BACKGROUND : EvictedBy.DEMAND;
    boolean chooses = parts.prepare(policy);
    long freed = chooses ? 0 : state.thin(blocks, by);
    if (freed > 0) {
      // It may have removed chunks, whose slots are used again.
      state.events.flush();
    }
    long wanted = freed + Math.min(blocks - freed, state.evictable());
    if (freed >= wanted) {
      return freed;
    }
    state.events.flush();
    PassMeter pass = state.counters.wantsPasses() ? new PassMeter(state, reason, by, blocks) : null;
    boolean timed = timer != null && timer.passDue();
    long start = timed ? System.nanoTime() : 0;
    demand.set(wanted - freed, reason, asker);
    int level = state.evictionLevel(reason, asker.priority());
    while (freed < wanted) {
      try {
        long blocksFreed = chooses ? evictPart(by, level, wanted - freed) : 0;
        if (blocksFreed == 0) {
          blocksFreed = evictOne(by, level, newcomer, freed);
        }
        if (blocksFreed == 0) {
          break;
        }
        freed += blocksFreed;
        demand.freed(blocksFreed);
        if (pass != null) {
          pass.evicted(blocksFreed);
        }
      } catch (PolicyFault fault) {
        fallBack(fault);
      }
    }
    if (timed && timer != null) {
      timer.pass(start, freed);
    }
    if (pass != null) {
      pass.end(policy.name());
    }
    return freed;
  }

  /** Evicts the part that the policy chooses; returns 0 if a whole entry is to be evicted. */
  private long evictPart(EvictedBy by, int level, long wanted) {
    state.events.flush();
    if (!parts.prepare(policy) || !parts.ask(policy, demand)) {
      return 0;
    }
    long freed = parts.evict(policy, level, by);
    if (freed == 0) {
      freed = state.thin(wanted, by);
    }
    state.events.flush();
    return freed;
  }

  /**
   * Evicts one entry; returns 0 if there are no others, for eviction ahead of demand, or if the
   * policy keeps them.
   */
  private long evictOne(
      EvictedBy by, int level, @Nullable AdmissionCandidate newcomer, long freed) {
    while (true) {
      if (by == EvictedBy.BACKGROUND && state.onlyProtected(level)) {
        return 0;
      }
      state.releaseProtected(level);
      state.events.flush();
      CacheEntry victim = victim();
      if (victim.evictable() && !state.protects(victim, level)) {
        if (newcomer != null && !policy.admits(newcomer, freed, victim)) {
          newcomer.rejected = true;
          return 0;
        }
        long blocks = state.drop(victim, RemovalCause.EVICTED, by);
        state.events.flush();
        return blocks;
      }
      state.refuse(victim);
      state.events.flush();
    }
  }

  private CacheEntry victim() {
    String wrong = "";
    for (int attempt = 0; attempt < PolicyConsumer.MAX_WRONG_OFFERS; attempt++) {
      Entry offered = policy.ask(demand);
      if (offered == null) {
        throw PolicyFault.offersNothing(policy.name(), state.evictable(), state.resident());
      }
      wrong = policy.wrong(offered, state.slots);
      if (wrong == null) {
        return requireNonNull(HandedOverEntry.unwrap(offered));
      }
    }
    throw policy.keepsOffering(String.valueOf(wrong));
  }

  private void fallBack(PolicyFault fault) {
    lastFault = fault;
    state.counters.failed(fault);
    policy.failed(fault);
    if (onFault == OnFault.FAIL || policy.policy() instanceof BuiltInLru) {
      throw fault;
    }
    state.events.drop();
    PolicyConsumer<?> failed = policy;
    policy = consumer(builtIn());
    for (CacheEntry entry : state.slots.snapshot().coldestFirst()) {
      policy.insertResident(entry);
    }
    activated();
    dismiss(failed);
  }

  @Override
  public void resized(long capacityBlocks) {
    state.events.flush();
    try {
      policy.resized(capacityBlocks);
    } catch (PolicyFault fault) {
      fallBack(fault);
    }
  }

  @Override
  public <T> @Nullable T ask(Function<PolicyConsumer<?>, @Nullable T> query) {
    state.events.flush();
    try {
      return query.apply(policy);
    } catch (PolicyFault fault) {
      fallBack(fault);
      return null;
    }
  }

  @Override
  public @Nullable PolicyFault lastFault() {
    return lastFault;
  }

  @Override
  public PolicyThreadStats thread() {
    return NO_THREAD;
  }

  @Override
  public void close() {
    try {
      policy.close();
    } catch (PolicyFault fault) {
      lastFault = fault;
    }
  }
}
