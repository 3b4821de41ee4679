package dev.ebb.host.cache;

import dev.ebb.host.cache.execution.CacheMonitor;
import dev.ebb.host.cache.execution.ThreadedPolicyExecutor;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.CacheState;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.RemovalCause;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A cache whose policy runs on its own thread, and evicts ahead of demand. A policy that breaks its
 * contract or does not answer is abandoned, and {@link BuiltInLru} takes over.
 *
 * <p>Every method is called under the owner's lock. Methods that wait release it meanwhile, so what
 * was read before such a call may have changed after it.
 */
public final class ThreadedBlockCache extends BlockCache {

  private final ThreadedPolicyExecutor executor;

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
    this(state, new ThreadedPolicyExecutor(monitor, state, limits));
  }

  private ThreadedBlockCache(CacheState state, ThreadedPolicyExecutor executor) {
    super(state, executor);
    this.executor = executor;
  }

  /** Changes when the policy's thread evicts ahead of demand, and how long clients wait for it. */
  public void limits(EvictionLimits limits) {
    executor.limits(limits);
  }

  @Override
  public void finish(CacheRequest request) {
    super.finish(request);
    executor.spaceFreed();
    executor.operationEnded();
  }

  @Override
  public void unreserve(long blocks) {
    super.unreserve(blocks);
    executor.spaceFreed();
  }

  @Override
  public CacheEntry insert(long keyLow, long keyHigh, int blocks, RequestFacts facts) {
    CacheEntry entry = super.insert(keyLow, keyHigh, blocks, facts);
    executor.operationEnded();
    return entry;
  }

  @Override
  public void publish(CacheEntry entry) {
    super.publish(entry);
    executor.operationEnded();
  }

  @Override
  public void complete(
      CacheRequest request, List<CacheEntry> path, int resident, int matched, int from) {
    super.complete(request, path, resident, matched, from);
    executor.operationEnded();
  }

  @Override
  public void access(CacheEntry entry, RequestFacts facts) {
    super.access(entry, facts);
    executor.operationEnded();
  }

  @Override
  public void unpin(CacheEntry entry) {
    super.unpin(entry);
    executor.spaceFreed();
  }

  @Override
  public boolean remove(CacheEntry entry, RemovalCause cause) {
    boolean removed = super.remove(entry, cause);
    if (removed) {
      executor.spaceFreed();
    }
    return removed;
  }
}
