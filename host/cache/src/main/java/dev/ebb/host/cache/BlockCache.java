package dev.ebb.host.cache;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.execution.PolicyExecutor;
import dev.ebb.host.cache.index.AdmissionCandidate;
import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.cache.index.CacheRequest;
import dev.ebb.host.cache.index.CacheState;
import dev.ebb.host.cache.index.EventConsumer;
import dev.ebb.host.cache.index.EvictionLog;
import dev.ebb.host.cache.index.RemovalListener;
import dev.ebb.host.cache.index.RequestFacts;
import dev.ebb.host.cache.index.UndecidedBlocks;
import dev.ebb.host.cache.policy.EvictionLimits;
import dev.ebb.host.cache.policy.PendingSwitch;
import dev.ebb.host.cache.policy.PolicyFault;
import dev.ebb.host.cache.stats.EvictionPass;
import dev.ebb.host.group.ObjectGroups;
import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.RemovalCause;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The cache core: which blocks are resident, which of them are in use, and which are evicted.
 *
 * <p>A request runs in three steps. {@link #begin} matches the longest resident prefix and pins it.
 * {@link #admit} makes room for the rest and pins that. {@link #finish} publishes and releases.
 * Pins always cover a whole path from the root, so all unpinned entries can be evicted, leaf by
 * leaf. The evictable count is a subtraction.
 *
 * <p>Only unpinned leaves can be evicted. The policy chooses the order, and each of its answers is
 * checked.
 *
 * <p>A cache is used by one thread at a time. {@link InlineBlockCache} runs its policy on that
 * thread, and everything can be repeated exactly. {@link ThreadedBlockCache} runs it on a thread of
 * its own, under an owner's lock.
 */
public abstract class BlockCache extends CacheView implements AutoCloseable {

  BlockCache(CacheState state, PolicyExecutor executor) {
    super(state, executor);
  }

  /**
   * Activates a policy: it receives the residents, coldest first, and then every event. The
   * previous one serves until then. With policy threads, the previous one is closed on its thread
   * after that, and this call releases the lock while it waits.
   *
   * @throws PolicyFault if it fails to take over; the old policy then stays active
   */
  public void install(String name, BlockPolicy<?> incoming) {
    install(new PolicyCandidate(name, incoming));
  }

  /** Does the same for callers that have to know when the policy is closed. */
  public void install(PolicyCandidate candidate) {
    PendingSwitch pending = executor.begin(candidate);
    pending.await();
    pending.publish();
  }

  /**
   * Starts to activate a policy, without waiting for it, if the cache is not closed. At most one
   * takeover is active: with policy threads, another one waits for it, and releases the lock. A
   * policy that fails immediately is closed.
   */
  public PendingSwitch begin(PolicyCandidate candidate) {
    return executor.begin(candidate);
  }

  /**
   * Adds a watcher of the event stream. It receives events before the policy does, but only when
   * they are handed over. Components that must act immediately register an {@link #onRemoval}
   * listener.
   */
  public void watch(EventConsumer watcher) {
    state.events.watch(watcher);
  }

  /**
   * Changes when a policy's thread evicts ahead of demand, and how long clients wait for it. Fails
   * if the policy runs on its caller's thread.
   */
  public void limits(EvictionLimits limits) {
    executor.limits(limits);
  }

  /** Registers a listener that is called immediately for each removed entry. */
  public void onRemoval(RemovalListener listener) {
    state.onRemoval(requireNonNull(listener, "listener is null"));
  }

  /**
   * Evicts higher-priority entries for a request only if nothing else is evictable. Call before the
   * first request.
   *
   * <p>An entry counts at the highest priority of its users in the last five to ten minutes, and at
   * most 80 % of the capacity is protected.
   */
  public void respectPriority() {
    state.respectPriority();
  }

  public boolean respectsPriority() {
    return state.respectsPriority();
  }

  /**
   * Logs removals. To be called before {@link #install}. The names are the owner's, kept, of
   * entries while they are removed; null if there is none.
   *
   * @param blockBytes pool memory of a block
   */
  public void log(EvictionLog log, long blockBytes, Function<CacheEntry, byte @Nullable []> names) {
    state.counters.log(
        requireNonNull(log, "log is null"), blockBytes, requireNonNull(names, "names is null"));
  }

  /** Reports every eviction pass that is over, to a listener that does not call the cache. */
  public void onPass(Consumer<EvictionPass> listener) {
    state.counters.onPass(listener);
  }

  /** Reports faults of policies before another takes over. The listener does not call the cache. */
  public void onFault(Consumer<PolicyFault> listener) {
    state.counters.onFault(listener);
  }

  /**
   * Starts a request: matches the longest resident prefix, pins it and returns its length.
   *
   * @param request filled with its keys; owned by the cache until {@link #finish}
   */
  public int begin(CacheRequest request) {
    return requests.begin(request);
  }

  /**
   * Appends a block to a request that has begun: an answer's addition to the prompt. {@link #admit}
   * finds or makes the block.
   */
  public void extend(CacheRequest request, long keyLow, long keyHigh) {
    requests.extend(request, keyLow, keyHigh);
  }

  /**
   * Replaces the attributes of a request: its client knows some of them only at the end. To be
   * called before {@link #finish}.
   */
  public void ended(CacheRequest request, RequestFacts known) {
    requests.ended(request, known);
  }

  /**
   * Makes room for the unmatched blocks, front to back, evicting as needed, and pins them. Blocks
   * that do not fit because nothing more is evictable, or which the policy does not admit, are left
   * out. A block that another request has filled meanwhile is adopted: used as it is, and the use
   * counted as an access. May release the owner's lock. Can be called again for further blocks.
   *
   * @return admitted blocks, adopted ones included
   */
  public int admit(CacheRequest request) {
    return requests.admit(request, request.blocks());
  }

  /** Makes room for the first blocks of a request only: the others have no content. */
  public int admit(CacheRequest request, int limit) {
    return requests.admit(request, limit);
  }

  /** Counts blocks that were not admitted: rejected by the policy, or without room. */
  final void leftOut(long blocks, boolean rejected) {
    requests.leftOut(blocks, rejected);
  }

  /**
   * Reports that the admitted blocks of a running request have their content: other requests match
   * them from now on. The policy receives each of them when the first request that holds it ends.
   */
  public void filled(CacheRequest request) {
    requests.filled(request);
  }

  /**
   * Ends a request: publishes admitted blocks, touches the others, deepest first, and unpins all.
   */
  public void finish(CacheRequest request) {
    requests.finish(request);
  }

  /**
   * Reserves blocks for an object that is being made, evicting as needed, or none if too few are
   * free or evictable. May release the owner's lock.
   */
  public boolean reserve(long blocks, RequestFacts asker) {
    if (!executor.makeRoom(blocks, asker, null)) {
      return false;
    }
    state.reserve(blocks);
    return true;
  }

  /**
   * Reserves blocks for a named object, unless the policy rejects it because it is not resident and
   * others would have to be evicted. May release the owner's lock.
   */
  public Admission reserve(long blocks, RequestFacts asker, long keyLow, long keyHigh) {
    AdmissionCandidate newcomer =
        state.missing(blocks) > 0 && state.index.find(keyLow, keyHigh) == null
            ? AdmissionCandidate.object(asker, keyLow, keyHigh)
            : null;
    if (executor.makeRoom(blocks, asker, newcomer)) {
      state.reserve(blocks);
      return Admission.ADMITTED;
    }
    if (newcomer == null || !newcomer.rejected) {
      return Admission.NO_SPACE;
    }
    state.counters.rejected += blocks;
    return Admission.REJECTED;
  }

  /** Reserves blocks if they are free, without eviction or wait; returns whether they were. */
  public boolean reserveFree(long blocks) {
    if (state.missing(blocks) > 0) {
      return false;
    }
    state.reserve(blocks);
    return true;
  }

  /**
   * Reserves blocks as {@link #reserveFree} does, for what is evicted and about to be free:
   * eviction ahead of demand does not wait for it.
   */
  public boolean reserveLeaving(long blocks) {
    boolean reserved = reserveFree(blocks);
    state.leave(reserved ? blocks : 0);
    return reserved;
  }

  /** Returns what {@link #reserveLeaving} has reserved. */
  public void unreserveLeaving(long blocks) {
    state.leave(-blocks);
    state.unreserve(blocks);
  }

  /** Returns reserved blocks: at most as many as are reserved. */
  public void unreserve(long blocks) {
    state.unreserve(blocks);
    executor.spaceFreed();
  }

  /**
   * Publishes an object: an entry without parent, not pinned. It takes its blocks, at least 1, from
   * those reserved. No resident may have its key.
   */
  public CacheEntry insert(long keyLow, long keyHigh, int blocks, RequestFacts facts) {
    CacheEntry entry = enter(keyLow, keyHigh, blocks, facts);
    state.publish(entry, state.clock.nanos());
    if (state.decidesOnCached) {
      state.admission.add(entry);
    }
    executor.operationEnded();
    return entry;
  }

  /**
   * Inserts an object of a request that is still running: it is pinned, and the policy does not
   * receive it before {@link #complete} or {@link #publish}. Otherwise as {@link #insert}.
   */
  public CacheEntry insertUnpublished(long keyLow, long keyHigh, int blocks, RequestFacts facts) {
    CacheEntry entry = enter(keyLow, keyHigh, blocks, facts);
    entry.createdNanos = state.clock.nanos();
    entry.lastNanos = entry.createdNanos;
    state.hold(entry);
    return entry;
  }

  private CacheEntry enter(long keyLow, long keyHigh, int blocks, RequestFacts facts) {
    if (blocks < 1 || state.index.find(keyLow, keyHigh) != null) {
      throw new IllegalArgumentException(
          blocks < 1 ? "an entry weighs '" + blocks + "' blocks" : "the key is resident");
    }
    state.unreserve(blocks);
    CacheEntry entry = state.slots.take();
    entry.reset(keyLow, keyHigh, null, 0, facts);
    entry.blocks = blocks;
    entry.lastOfRequest = true;
    state.enter(entry);
    return entry;
  }

  /** Publishes an object, inserted unpublished, that belongs to no request. Its pin ends. */
  public void publish(CacheEntry entry) {
    state.publish(entry, state.clock.nanos());
    unpin(entry);
    executor.operationEnded();
  }

  /**
   * Runs a request whose blocks are objects: the policy receives its start, the use or insertion of
   * each object, deepest first, and its end.
   *
   * @param path the objects of its first keys, each the parent of the next; those that were
   *     inserted unpublished are published, and their pins end
   * @param resident how many of the first ones were there
   * @param matched how many of these its client could use: all, unless its model is hybrid
   * @param from the first one that is used or published; an earlier part of the request, which has
   *     been completed, used those before it
   */
  public void complete(
      CacheRequest request, List<CacheEntry> path, int resident, int matched, int from) {
    requests.complete(request, path, resident, matched, from);
    executor.spaceFreed();
    executor.operationEnded();
  }

  /** Returns how many of the first chunks of a prompt, which are objects, all groups can serve. */
  public int usable(List<CacheEntry> path) {
    return requests.usable(path);
  }

  /** Makes an object the child of another one, which is not below it, and is evicted after it. */
  public void link(CacheEntry child, CacheEntry parent, int depth) {
    child.parent = parent;
    child.depth = depth;
    state.join(parent);
    if (child.references > 0) {
      pin(parent);
    }
  }

  /** Reverts {@link #link}: the child has depth 0 then. */
  public void unlink(CacheEntry child) {
    CacheEntry parent = requireNonNull(child.parent, "the entry has no parent");
    child.parent = null;
    child.depth = 0;
    state.leave(parent);
    if (child.references > 0) {
      unpin(parent);
    }
  }

  /** Makes a child so many blocks deeper: its chain has become longer before it, or shorter. */
  public void deepen(CacheEntry child, int blocks) {
    child.depth += blocks;
  }

  /**
   * Changes the weight of an object by blocks that are reserved, or are from then on if negative.
   * The policy is not told: it reads the weight.
   */
  public void reweigh(CacheEntry entry, long blocks) {
    if (entry.blocks + blocks < 1 || blocks > state.reserved()) {
      throw new IllegalArgumentException(
          "the weight of '%d' blocks cannot change by '%d', with '%d' reserved"
              .formatted(entry.blocks, blocks, state.reserved()));
    }
    state.reweigh(entry, (int) blocks);
  }

  /** Makes an object a chunk of a hybrid model without parts; null groups revert that. */
  public void regroup(CacheEntry entry, @Nullable ObjectGroups groups) {
    state.parts.regroup(entry, groups);
  }

  /** Records that some of the weight of a chunk of a hybrid model is that of a part. */
  public void weighPart(CacheEntry entry, int group, long more) {
    state.parts.weighPart(entry, group, (int) more);
  }

  /** Ranks the parts of an object that another node has sent, and that no request has used here. */
  public void rankReceived(CacheEntry entry) {
    state.parts.rankReceived(entry);
  }

  /** Records a use of a published object. */
  public void access(CacheEntry entry, RequestFacts facts) {
    state.use(entry, facts, null, state.clock.nanos());
    executor.operationEnded();
  }

  /** Records a miss of an object, which the policy receives if the object is of no request. */
  public void missed(long keyLow, boolean alone) {
    state.ghosts.onMissed(keyLow);
    if (alone) {
      state.events.emitMissed(keyLow);
    }
  }

  /** Returns whether the policy decides on what is cached. */
  public boolean decidesOnCached() {
    return state.decidesOnCached;
  }

  /** Lets the policy decide on an unpublished object of a request that is still running. */
  public void decideOn(CacheEntry entry, UndecidedBlocks undecided, int index) {
    state.admission.add(undecided, index, entry);
  }

  /**
   * Removes an object that was inserted unpublished, and which the policy has rejected. Returns
   * false if it is in use otherwise, and therefore stays.
   */
  public boolean discard(CacheEntry entry) {
    state.release(entry);
    if (entry.evictable()) {
      state.drop(entry, RemovalCause.NOT_ADMITTED, null);
      return true;
    }
    state.hold(entry);
    return false;
  }

  public void rejected(long blocks) {
    state.counters.rejected += blocks;
  }

  /**
   * Frees blocks, if so many are evictable. Entries that weigh several blocks may free more than
   * requested. May release the owner's lock.
   */
  public long evict(long blocks, Demand.Reason reason, RequestFacts asker) {
    return executor.evict(blocks, reason, asker, null);
  }

  /**
   * Evicts until at most so many blocks are occupied, if possible. May release the owner's lock.
   */
  public long evictTo(long targetBlocks, Demand.Reason reason) {
    return evict(occupiedBlocks() - targetBlocks, reason, RequestFacts.UNKNOWN);
  }

  /** Changes the capacity, and evicts what no longer fits. May release the owner's lock. */
  public long resize(long capacityBlocks) {
    state.capacity(capacityBlocks);
    executor.resized(capacityBlocks);
    return evictTo(capacityBlocks, Demand.Reason.RESIZE);
  }

  public @Nullable CacheEntry find(long keyLow, long keyHigh) {
    return state.index.find(keyLow, keyHigh);
  }

  public @Nullable CacheEntry find(long keyLow) {
    return state.index.find(keyLow);
  }

  public void pin(CacheEntry entry) {
    state.hold(entry);
  }

  public void unpin(CacheEntry entry) {
    state.release(entry);
    executor.spaceFreed();
  }

  /**
   * Removes an entry that a client deleted or that expired. Returns false if it is pinned or has
   * resident children, and therefore stays.
   */
  public boolean remove(CacheEntry entry, RemovalCause cause) {
    if (!entry.resident() || !entry.evictable()) {
      return false;
    }
    state.drop(entry, cause, null);
    state.events.settle();
    executor.spaceFreed();
    return true;
  }

  /** Does the same, but so many of its blocks stay reserved, because they are still being read. */
  public boolean removeReserving(CacheEntry entry, long blocks, RemovalCause cause) {
    if (!entry.resident() || !entry.evictable()) {
      return false;
    }
    state.reserve(blocks);
    return remove(entry, cause);
  }

  /**
   * Closes the active policy. If it throws, that is recorded as the last fault. May release the
   * owner's lock; a policy that does not return is not waited for.
   */
  @Override
  public void close() {
    executor.close();
  }
}
