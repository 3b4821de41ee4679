package dev.ebb.host.cache;

import static java.util.Objects.requireNonNull;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.RemovalCause;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The cache core: which blocks are resident, which of them are in use, and which are evicted.
 *
 * <p>A request runs in three steps: {@link #begin} matches the longest resident prefix and pins it,
 * {@link #admit} makes room for the rest and pins that, {@link #finish} publishes and releases.
 * Pins always cover a whole path from the root, so that what is not pinned can be evicted, leaf by
 * leaf: the evictable count is a subtraction.
 *
 * <p>Only unpinned leaves can be evicted. The policy chooses the order, and each of its answers is
 * checked.
 *
 * <p>A cache is used by one thread at a time. {@link InlineBlockCache} runs its policy on that
 * thread, and everything can be repeated exactly. {@link ThreadedBlockCache} runs it on a thread of
 * its own, under an owner's lock.
 */
public abstract class BlockCache implements AutoCloseable {

  private final CacheState state;
  private final PolicyExecutor executor;
  private final RequestSteps requests;

  BlockCache(CacheState state, PolicyExecutor executor) {
    this.state = state;
    this.executor = executor;
    requests = new RequestSteps(state, executor);
  }

  /**
   * Activates a policy: it receives the residents, coldest first, and then every event. The one
   * before serves until then. On threads of their own, the one before is closed on its thread once
   * it is out of force, and this call gives the lock up while it waits.
   *
   * @param name its name, for messages
   * @param incoming a policy that holds nothing
   * @throws PolicyFault if it fails to take over; the old policy then stays active
   */
  public void install(String name, BlockPolicy<?> incoming) {
    install(new PolicyCandidate(name, incoming));
  }

  /**
   * The same, with a listener that learns when the policy is closed.
   *
   * @param candidate a policy that holds nothing
   * @throws PolicyFault if it fails to take over; the old policy then stays active
   */
  public void install(PolicyCandidate candidate) {
    PendingSwitch pending = executor.begin(candidate);
    pending.await();
    pending.publish();
  }

  /**
   * Begins to activate a policy, without waiting for it. At most one takeover is under way: on
   * threads of their own, another one waits for it, and gives the lock up.
   *
   * @param candidate a policy that holds nothing
   * @return to be published or cancelled
   * @throws PolicyFault if it fails immediately; it is closed then
   * @throws IllegalStateException if the cache is closed; then the policy is not
   */
  public PendingSwitch begin(PolicyCandidate candidate) {
    return executor.begin(candidate);
  }

  /**
   * Adds a watcher of the event stream. It receives events before the policy does, but only when
   * they are handed over. Components that must act immediately use {@link #onRemoval}.
   *
   * @param watcher receives every later event
   */
  public void watch(EventConsumer watcher) {
    state.events.watch(watcher);
  }

  /**
   * Informs the owner immediately of each entry that is removed.
   *
   * @param listener frees what the owner holds for it
   */
  public void onRemoval(RemovalListener listener) {
    state.onRemoval(requireNonNull(listener, "listener is null"));
  }

  /**
   * Logs removals. To be called before {@link #install}.
   *
   * @param log receives every removal for capacity or because time was up, and every run
   * @param names what the owner calls an entry; asked while the entry leaves, and the array is
   *     kept; null if there is no name
   */
  public void log(EvictionLog log, Function<CacheEntry, byte @Nullable []> names) {
    state.counters.log(requireNonNull(log, "log is null"), requireNonNull(names, "names is null"));
  }

  /**
   * Reports every run of evictions.
   *
   * @param listener receives the report when the run is over; quick, and does not call the cache
   */
  public void onPass(Consumer<EvictionPass> listener) {
    state.counters.onPass(listener);
  }

  /**
   * Reports every policy that breaks its contract, before another takes over.
   *
   * @param listener receives the fault; quick, and does not call the cache
   */
  public void onFault(Consumer<PolicyFault> listener) {
    state.counters.onFault(listener);
  }

  /**
   * A request arrives: matches the longest resident prefix, and pins it.
   *
   * @param request filled with its keys; owned by the cache until {@link #finish}
   * @return matched blocks
   */
  public int begin(CacheRequest request) {
    return requests.begin(request);
  }

  /**
   * Appends a block to a request that has begun: what an answer adds to the prompt. A block is
   * found or made by {@link #admit}, not matched.
   *
   * @param request a request that has begun
   * @param keyLow lower 64 bits of its key
   * @param keyHigh upper 64 bits
   */
  public void extend(CacheRequest request, long keyLow, long keyHigh) {
    requests.extend(request, keyLow, keyHigh);
  }

  /**
   * Makes room for the blocks that did not match, front to back, evicting as needed, and pins them.
   * What does not fit because nothing more can be evicted is left out. A block that another request
   * has published meanwhile is adopted: used as it is, and the use counted as an access. May give
   * the owner's lock up.
   *
   * @param request a request that has begun
   * @return admitted blocks, adopted ones included
   */
  public int admit(CacheRequest request) {
    return requests.admit(request, request.blocks());
  }

  /**
   * The same for the first blocks of a request only: the others have no content.
   *
   * @param request a request that has begun
   * @param limit blocks from the front, at most {@code request.blocks()}
   * @return admitted blocks, adopted ones included
   */
  public int admit(CacheRequest request, int limit) {
    return requests.admit(request, limit);
  }

  /**
   * A request is over: publishes what was admitted, touches what was matched or adopted, deepest
   * first, and releases it all.
   *
   * @param request a request that has begun
   */
  public void finish(CacheRequest request) {
    requests.finish(request);
  }

  /**
   * Sets blocks aside for an object that is being made, evicting as needed. All or nothing: what
   * cannot succeed is not begun. May give the owner's lock up.
   *
   * @param blocks how many, 0 or more
   * @param asker the client that needs the room
   * @return false, with nothing reserved, if not so many are free or evictable
   */
  public boolean reserve(long blocks, RequestFacts asker) {
    if (!executor.makeRoom(blocks, asker)) {
      return false;
    }
    state.reserve(blocks);
    return true;
  }

  /**
   * Sets blocks aside if they are free: evicts nothing, waits for nobody.
   *
   * @param blocks how many, 0 or more
   * @return false, with nothing reserved, if not so many are free
   */
  public boolean reserveFree(long blocks) {
    if (state.missing(blocks) > 0) {
      return false;
    }
    state.reserve(blocks);
    return true;
  }

  /**
   * Gives reserved blocks back.
   *
   * @param blocks at most as many as are reserved
   */
  public void unreserve(long blocks) {
    state.unreserve(blocks);
  }

  /**
   * Publishes an object: an entry without parent that weighs as many blocks as were reserved for
   * it.
   *
   * @param keyLow lower 64 bits of its key; no resident may have this key
   * @param keyHigh upper 64 bits
   * @param blocks what it weighs, taken from those reserved, at least 1
   * @param facts the client that made it
   * @return the entry, not pinned
   */
  public CacheEntry insert(long keyLow, long keyHigh, int blocks, RequestFacts facts) {
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
    state.publish(entry, state.clock.nanos());
    return entry;
  }

  /**
   * Notes a use of an object.
   *
   * @param entry a resident entry that was published
   * @param facts the client that used it
   */
  public void access(CacheEntry entry, RequestFacts facts) {
    state.use(entry, facts, state.clock.nanos());
  }

  /**
   * Notes that an object was asked for and is not resident.
   *
   * @param keyLow lower 64 bits of its key
   */
  public void missed(long keyLow) {
    state.ghosts.onMissed(keyLow);
  }

  /**
   * Frees blocks, if so many can be evicted. Of entries that weigh several blocks, more may be
   * evicted than asked for. May give the owner's lock up.
   *
   * @param blocks how many to free
   * @param reason why
   * @param asker the client that needs the room
   * @return blocks freed
   */
  public long evict(long blocks, Demand.Reason reason, RequestFacts asker) {
    return executor.evict(blocks, reason, asker);
  }

  /**
   * Evicts until at most so many blocks are resident or reserved, if so many can be evicted. May
   * give the owner's lock up.
   *
   * @param targetBlocks blocks to keep, 0 or more
   * @param reason why
   * @return blocks freed
   */
  public long evictTo(long targetBlocks, Demand.Reason reason) {
    return evict(occupiedBlocks() - targetBlocks, reason, RequestFacts.UNKNOWN);
  }

  /**
   * Changes the capacity, and evicts what no longer fits. May give the owner's lock up.
   *
   * @param capacityBlocks the new capacity, at least 1
   * @return blocks freed
   */
  public long resize(long capacityBlocks) {
    state.capacity(capacityBlocks);
    executor.resized(capacityBlocks);
    return evictTo(capacityBlocks, Demand.Reason.RESIZE);
  }

  /**
   * Finds an entry.
   *
   * @param keyLow lower 64 bits of its key
   * @param keyHigh upper 64 bits
   * @return the entry, or null if it is not resident
   */
  public @Nullable CacheEntry find(long keyLow, long keyHigh) {
    return state.index.find(keyLow, keyHigh);
  }

  /**
   * Keeps an entry and all before it resident until {@link #unpin}.
   *
   * @param entry a resident entry
   */
  public void pin(CacheEntry entry) {
    for (CacheEntry on = entry; on != null; on = on.parent) {
      state.hold(on);
    }
  }

  /**
   * Takes back one {@link #pin}.
   *
   * @param entry the entry that was pinned
   */
  public void unpin(CacheEntry entry) {
    for (CacheEntry on = entry; on != null; on = on.parent) {
      state.release(on);
    }
  }

  /**
   * Removes an entry that a client or the passing of time makes useless.
   *
   * @param entry a resident entry
   * @param cause why
   * @return false if it is pinned or has resident children, and therefore stays
   */
  public boolean remove(CacheEntry entry, RemovalCause cause) {
    if (!entry.resident() || !entry.evictable()) {
      return false;
    }
    state.drop(entry, cause, null);
    state.events.settle();
    return true;
  }

  /**
   * The same, and its blocks stay reserved: somebody still reads them.
   *
   * @param entry a resident entry
   * @param cause why
   * @return false if it is pinned or has resident children, and therefore stays
   */
  public boolean removeReserving(CacheEntry entry, RemovalCause cause) {
    if (!entry.resident() || !entry.evictable()) {
      return false;
    }
    state.reserve(entry.blocks);
    return remove(entry, cause);
  }

  /**
   * The name of the active policy.
   *
   * @return the name given to {@link #install}, or {@code "builtin-lru"}
   */
  public String policyName() {
    state.events.settle();
    return state.policyName;
  }

  /**
   * Returns how many entries the active policy reports, after all events so far. May give the
   * owner's lock up.
   *
   * @return entries, or -1 if it does not answer
   */
  public long policySize() {
    Long size = executor.ask(PolicyConsumer::size);
    return size == null ? -1 : size;
  }

  /**
   * Returns how the active policy rates an entry. May give the owner's lock up.
   *
   * @param entry a resident entry
   * @return what it says; null if it does not know the entry, or does not answer
   */
  public @Nullable Explanation explain(CacheEntry entry) {
    int slot = entry.slot;
    return executor.ask(policy -> policy.explain(entry, slot));
  }

  /**
   * The entry of a slot.
   *
   * @param slot its slot, 0 or more
   * @return the resident entry; null if there is none
   */
  public @Nullable CacheEntry at(int slot) {
    CacheEntry entry = slot < state.slots.used() ? state.slots.at(slot) : null;
    return entry == null || !entry.resident() ? null : entry;
  }

  /**
   * The keys of a resident entry and of all before it.
   *
   * @param slot its slot
   * @return low and high half of each key, the root's first
   * @throws IllegalArgumentException if nothing resident has this slot
   */
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

  /**
   * Returns the window of evicted entries.
   *
   * @return as given at the start
   */
  public GhostWindow ghosts() {
    return state.ghosts;
  }

  /**
   * The cache in numbers.
   *
   * @return as of now
   */
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
        notAdmitted(),
        counters.faults(),
        counters.lifetimes.copy(),
        counters.passTimes.copy(),
        executor.thread(),
        executor.gauges());
  }

  /**
   * Returns the fault of the last active policy that failed.
   *
   * @return the fault, or null if none did
   */
  public @Nullable PolicyFault lastFault() {
    return executor.lastFault();
  }

  /**
   * Returns the capacity.
   *
   * @return blocks
   */
  public long capacityBlocks() {
    return state.capacity();
  }

  /**
   * Returns the number of resident blocks.
   *
   * @return blocks
   */
  public long residentBlocks() {
    return state.resident();
  }

  /**
   * Returns the number of resident entries.
   *
   * @return entries, whatever their size
   */
  public int residentEntries() {
    return state.index.size();
  }

  /**
   * Returns the number of occupied blocks: resident and reserved.
   *
   * @return blocks, at most the capacity unless that was lowered
   */
  public long occupiedBlocks() {
    return state.occupied();
  }

  /**
   * Returns the number of blocks that could be freed, leaf by leaf.
   *
   * @return blocks
   */
  public long evictableBlocks() {
    return state.evictable();
  }

  /**
   * Returns the number of evicted entries.
   *
   * @return the count since the start
   */
  public long evictions() {
    return state.counters.entries(RemovalCause.EVICTED);
  }

  /**
   * Returns how many offered entries could not be evicted.
   *
   * @return the count since the start
   */
  public long refusals() {
    return state.counters.refusals;
  }

  /**
   * Returns how many blocks of requests were not admitted because nothing more could be evicted.
   *
   * @return the count since the start
   */
  public long notAdmitted() {
    return requests.notAdmitted();
  }

  /**
   * Closes the active policy. One that throws is noted as the last fault: nothing depends on it.
   * May give the owner's lock up; one that does not come back is not waited for.
   */
  @Override
  public void close() {
    executor.close();
  }

  /** Returns the table of residents, for checks. */
  SlotTable slots() {
    return state.slots;
  }
}
