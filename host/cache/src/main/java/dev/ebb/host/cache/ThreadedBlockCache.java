package dev.ebb.host.cache;

import dev.ebb.host.cache.execution.CacheMonitor;
import dev.ebb.host.cache.execution.ThreadedPolicyExecutor;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.CacheState;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.spi.PolicyClock;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A cache whose policy runs on its own thread, and evicts ahead of demand. A policy that breaks its
 * contract or does not answer is abandoned, and {@link BuiltInLru} takes over.
 *
 * <p>Every method is called under the owner's lock. Methods that wait release it meanwhile, so what
 * was read before such a call may have changed after it.
 */
public final class ThreadedBlockCache extends BlockCache {

  /**
   * Creates an empty cache, ordered by {@link BuiltInLru} until a policy is installed.
   *
   * @param capacityBlocks how many blocks may be resident, at least 1
   * @param limits when it evicts ahead of demand, and how long clients wait for a policy
   * @param lock the owner's: held whenever a method of the cache is called
   */
  public ThreadedBlockCache(
      long capacityBlocks,
      PolicyClock clock,
      GhostWindow ghosts,
      EvictionLimits limits,
      ReentrantLock lock) {
    this(new CacheState(capacityBlocks, clock, ghosts, true), limits, new CacheMonitor(lock));
  }

  public ThreadedBlockCache(CacheState state, EvictionLimits limits, CacheMonitor monitor) {
    super(state, new ThreadedPolicyExecutor(monitor, state, limits));
  }

  @Override
  public void finish(CacheRequest request) {
    super.finish(request);
    executor.spaceFreed();
    executor.operationEnded();
  }
}
