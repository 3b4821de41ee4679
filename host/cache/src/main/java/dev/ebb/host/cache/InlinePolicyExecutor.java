package dev.ebb.host.cache;

import static java.util.Objects.requireNonNull;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.Entry;
import dev.ebb.spi.RemovalCause;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The policy runs on the thread that uses the cache, whenever it is told or asked something. */
final class InlinePolicyExecutor implements PolicyExecutor {

  private static final PolicyThreadStats NO_THREAD =
      new PolicyThreadStats(0, 0, 0, new Histogram(), 0, 0, 0);

  private final CacheState account;
  private final BlockCache.OnFault onFault;
  private final EvictionDemand demand = new EvictionDemand();
  private PolicyConsumer<?> policy;
  private @Nullable InlinePendingSwitch incoming;
  private int lastId;
  private @Nullable PolicyTimer timer;
  private @Nullable PolicyFault lastFault;

  InlinePolicyExecutor(CacheState account, BlockCache.OnFault onFault) {
    this.account = account;
    this.onFault = onFault;
    policy = consumer(builtIn());
    inForce();
    account.events.connect(this, false);
  }

  void time(PolicyTimer policyTimer) {
    timer = policyTimer;
  }

  BlockPolicy<?> policy() {
    return policy.policy();
  }

  @Override
  public EventBatch accept(EventBatch filled) {
    filled.addressee = policy.id();
    tellIncoming(filled);
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
  public void stirred() {}

  @Override
  public void rest() {}

  @Override
  public void roomMade() {}

  @Override
  public PendingSwitch begin(PolicyCandidate successor) {
    if (incoming != null) {
      throw new IllegalStateException("another policy is taking over");
    }
    account.events.handOver();
    long start = System.nanoTime();
    PolicyConsumer<?> next = consumer(successor);
    try {
      for (CacheEntry entry : account.slots.handover().coldestFirst()) {
        next.handOver(entry);
      }
    } catch (PolicyFault fault) {
      next.failed(fault);
      letGo(next);
      throw fault;
    }
    incoming = new InlinePendingSwitch(this, next, System.nanoTime() - start);
    return incoming;
  }

  private void tellIncoming(EventBatch filled) {
    InlinePendingSwitch told = incoming;
    if (told != null) {
      try {
        told.policy.accept(filled);
      } catch (PolicyFault fault) {
        told.failure = fault;
        told.policy.failed(fault);
        cancel(told);
      }
    }
  }

  void putInForce(InlinePendingSwitch takeover) {
    account.events.handOver();
    takeover.check();
    incoming = null;
    PolicyConsumer<?> before = policy;
    policy = takeover.policy;
    inForce();
    letGo(before);
  }

  void cancel(InlinePendingSwitch takeover) {
    if (incoming == takeover) {
      incoming = null;
      letGo(takeover.policy);
    }
  }

  private static void letGo(PolicyConsumer<?> policy) {
    try {
      policy.close();
    } catch (PolicyFault late) {
      // Nothing depends on it any more.
    }
  }

  private static PolicyCandidate builtIn() {
    return PolicyCandidate.of(BuiltInLru.NAME, new BuiltInLru());
  }

  private PolicyConsumer<?> consumer(PolicyCandidate successor) {
    return PolicyConsumer.of(successor, ++lastId, account.tally.log(), timer);
  }

  private void inForce() {
    account.inForce = policy.id();
    account.policyName = policy.name();
    account.events.policyHearsRequests(policy.hearsRequests());
  }

  @Override
  public boolean makeRoom(long blocks, RequestFacts asker) {
    long missing = account.missing(blocks);
    return missing <= 0
        || (missing <= account.evictable()
            && evict(missing, Demand.Reason.ALLOCATION, asker) >= missing);
  }

  @Override
  public long evict(long blocks, Demand.Reason reason, RequestFacts asker) {
    long wanted = Math.min(blocks, account.evictable());
    if (wanted <= 0 || policy.policy() instanceof NoEviction) {
      return 0;
    }
    account.events.handOver();
    EvictedBy by = reason == Demand.Reason.BACKGROUND ? EvictedBy.BACKGROUND : EvictedBy.DEMAND;
    PassMeter pass =
        account.tally.hearsPasses() ? new PassMeter(account, reason, by, blocks) : null;
    boolean timed = timer != null && timer.passDue();
    long start = timed ? System.nanoTime() : 0;
    demand.set(wanted, reason, asker);
    long freed = 0;
    while (freed < wanted) {
      try {
        int blocksFreed = evictOne(by);
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

  private int evictOne(EvictedBy by) {
    while (true) {
      CacheEntry victim = victim();
      if (victim.evictable()) {
        int blocks = victim.blocks;
        account.drop(victim, RemovalCause.EVICTED, by);
        account.events.handOver();
        return blocks;
      }
      account.refuse(victim);
      account.events.handOver();
    }
  }

  private CacheEntry victim() {
    String wrong = "";
    for (int attempt = 0; attempt < PolicyConsumer.PATIENCE; attempt++) {
      Entry offered = policy.ask(demand);
      if (offered == null) {
        throw PolicyFault.offersNothing(policy.name(), account.evictable(), account.resident());
      }
      wrong = policy.wrong(offered, account.slots);
      if (wrong == null) {
        return requireNonNull(HandedOverEntry.unwrap(offered));
      }
    }
    throw policy.keepsOffering(String.valueOf(wrong));
  }

  private void fallBack(PolicyFault fault) {
    lastFault = fault;
    account.tally.failed(fault);
    policy.failed(fault);
    if (onFault == BlockCache.OnFault.FAIL || policy.policy() instanceof BuiltInLru) {
      throw fault;
    }
    account.events.drop();
    PolicyConsumer<?> failed = policy;
    policy = consumer(builtIn());
    for (CacheEntry entry : account.slots.handover().coldestFirst()) {
      policy.handOver(entry);
    }
    inForce();
    letGo(failed);
  }

  @Override
  public void resized(long capacityBlocks) {
    account.events.handOver();
    try {
      policy.resized(capacityBlocks);
    } catch (PolicyFault fault) {
      fallBack(fault);
    }
  }

  @Override
  public <T> @Nullable T ask(Function<PolicyConsumer<?>, @Nullable T> question) {
    account.events.handOver();
    try {
      return question.apply(policy);
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
  public Map<String, Double> gauges() {
    return Map.of();
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
