package dev.ebb.host.cache;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.PolicyClock;

/** A cache whose policy runs on the thread that uses the cache. */
public final class InlineBlockCache extends BlockCache {

  private final InlinePolicyExecutor executor;
  private final CacheState state;

  /**
   * Creates an empty cache, ordered by {@link BuiltInLru} until a policy is installed.
   *
   * @param capacityBlocks how many blocks may be resident, at least 1
   * @param clock the time that entries record
   * @param ghosts remembers evicted entries
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
    this.state = state;
    this.executor = executor;
  }

  /**
   * Samples the policy's costs. To be called before {@link #install}.
   *
   * @param timer collects the samples
   */
  public void time(PolicyTimer timer) {
    executor.time(timer);
  }

  /** Returns the active policy, which has read all events so far. */
  public BlockPolicy<?> policy() {
    state.events.settle();
    return executor.policy();
  }
}
