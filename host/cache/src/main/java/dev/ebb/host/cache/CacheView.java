package dev.ebb.host.cache;

import dev.ebb.host.cache.execution.PolicyConsumer;
import dev.ebb.host.cache.execution.PolicyExecutor;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheState;
import dev.ebb.host.cache.index.ChunkParts;
import dev.ebb.host.cache.index.EvictionCounters;
import dev.ebb.host.cache.index.RequestSteps;
import dev.ebb.host.cache.index.SlotTable;
import dev.ebb.host.cache.policy.AdmissionUse;
import dev.ebb.host.cache.policy.Explanation;
import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.cache.policy.PolicyState;
import dev.ebb.host.cache.stats.CacheStats;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.spi.RemovalCause;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a cache and its policy report, without a change of either. */
abstract class CacheView {

  final CacheState state;
  final PolicyExecutor executor;
  final RequestSteps requests;

  CacheView(CacheState state, PolicyExecutor executor) {
    this.state = state;
    this.executor = executor;
    requests = new RequestSteps(state, executor);
  }

  /** Returns the name of the active policy: {@code "builtin-lru"} if none was installed. */
  public String policyName() {
    state.events.settle();
    return state.policyName;
  }

  /** Returns whether the policy, or another consumer, receives the start and end of requests. */
  public boolean reportsRequests() {
    return state.events.requestsWanted();
  }

  /** Returns how often the active policy decided on admission; null if it admits all. */
  public @Nullable AdmissionUse admission() {
    return executor.admission();
  }

  public Map<String, Double> policyGauges() {
    return executor.gauges();
  }

  /**
   * Returns the policy's own count of its entries, after all events so far; -1 if it does not
   * answer. May release the owner's lock.
   */
  public long policySize() {
    Long size = executor.ask(PolicyConsumer::size);
    return size == null ? -1 : size;
  }

  /**
   * Returns the active policy's explanation of a resident entry; null if it does not know the
   * entry, or does not answer. May release the owner's lock.
   */
  public @Nullable Explanation explain(CacheEntry entry) {
    int slot = entry.slot;
    return executor.ask(policy -> policy.explain(entry, slot));
  }

  /** Returns what the policy has learned; null if it keeps nothing, or does not answer. */
  public @Nullable PolicyState policyState() {
    return executor.ask(PolicyConsumer::state);
  }

  /** Returns the resident entry of a slot, 0 or more; null if there is none. */
  public @Nullable CacheEntry at(int slot) {
    CacheEntry entry = slot < state.slots.used() ? state.slots.at(slot) : null;
    return entry == null || !entry.resident() ? null : entry;
  }

  /** Returns both halves of the keys of a resident entry and of all before it, the root's first. */
  public long[] path(int slot) {
    CacheEntry entry = at(slot);
    if (entry == null) {
      throw new IllegalArgumentException("slot '%d' has no resident entry".formatted(slot));
    }
    long[] keys = new long[2 * (entry.depth() + 1)];
    for (CacheEntry on = entry; on != null; on = on.parent) {
      keys[2 * on.depth()] = on.keyLow;
      keys[2 * on.depth() + 1] = on.keyHigh;
    }
    return keys;
  }

  public GhostWindow ghosts() {
    return state.ghosts;
  }

  public CacheStats stats() {
    EvictionCounters counters = state.counters;
    return new CacheStats(
        policyName(),
        residentEntries(),
        residentBlocks(),
        state.reserved(),
        evictableBlocks(),
        capacityBlocks(),
        counters.byCause(),
        counters.byAccount(),
        counters.byPolicy(),
        counters.passes,
        counters.refusals,
        counters.protectedRefusals,
        counters.protectedEvictions,
        notAdmitted(),
        rejected(),
        counters.faults(),
        counters.lifetimes.copy(),
        counters.passTimes.copy(),
        executor.thread(),
        executor.gauges());
  }

  public @Nullable PolicyFault lastFault() {
    return executor.lastFault();
  }

  public long capacityBlocks() {
    return state.capacity();
  }

  public long residentBlocks() {
    return state.resident();
  }

  public int residentEntries() {
    return state.index.size();
  }

  /** Returns the resident and reserved blocks: at most the capacity, unless that was lowered. */
  public long occupiedBlocks() {
    return state.occupied();
  }

  /** Returns how many blocks could be freed, leaf by leaf, if all unpinned entries were evicted. */
  public long evictableBlocks() {
    return state.evictable();
  }

  public CacheStats.Amount thinned() {
    return state.counters.thinned();
  }

  public CacheStats.Amount evictedUseless() {
    return state.counters.evictedUseless();
  }

  /**
   * Returns how many chunks of requests were resident, and not usable because objects of other
   * groups were missing, since the start.
   */
  public long unusable() {
    return state.counters.unusable;
  }

  /** Returns how much the resident objects of each group weigh. Looks at each entry. */
  public List<Long> blocksByGroup(int groups) {
    long[] blocks = new long[groups];
    for (int slot = 0; slot < state.slots.used(); slot++) {
      CacheEntry entry = at(slot);
      ChunkParts parts = entry == null ? null : entry.parts();
      for (int group = 0; parts != null && group < groups; group++) {
        blocks[group] += parts.weight(group);
      }
    }
    return Arrays.stream(blocks).boxed().toList();
  }

  public long evictions() {
    return state.counters.entries(RemovalCause.EVICTED);
  }

  public long refusals() {
    return state.counters.refusals;
  }

  /** Returns how many blocks of requests were not admitted because nothing was evictable. */
  public long notAdmitted() {
    return requests.notAdmitted();
  }

  /** Returns how many blocks the policy decided not to admit since the start. */
  public long rejected() {
    return state.counters.rejected;
  }

  SlotTable slots() {
    return state.slots;
  }

  CacheState state() {
    return state;
  }
}
