package dev.ebb.host.cache;

import dev.ebb.spi.BlockPolicy;
import dev.ebb.spi.Demand;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.RemovalCause;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The cache core: which blocks are resident, who uses them, and who leaves.
 *
 * <p>A request runs in three steps: {@link #begin} matches the longest resident prefix and pins it,
 * {@link #admit} makes room for the rest and pins that, {@link #finish} publishes and releases.
 * Pins always cover a whole path from the root, so that what is not pinned can leave, leaf by leaf:
 * the evictable count is a subtraction.
 *
 * <p>Only unpinned leaves leave. The policy says in which order, and is checked at every answer.
 */
public final class BlockCache implements AutoCloseable {

  /** What to do when the policy breaks its contract. */
  public enum OnFault {
    /** Throw the {@link PolicyFault} to the caller. */
    FAIL,
    /** Let {@link TickOrder} take over. No entry is lost. */
    FALL_BACK
  }

  private final PolicyClock clock;
  private final GhostWindow ghosts;
  private final OnFault onFault;
  private final PrefixIndex index = new PrefixIndex();
  private final SlotTable residents = new SlotTable();
  private final EventBatch batch = new EventBatch();
  private final EvictionDemand demand = new EvictionDemand();
  private final List<EventConsumer> watchers = new ArrayList<>();

  private PolicyConsumer<?> policy;
  private boolean requestsHeard;
  private @Nullable PolicyTimer timer;
  private @Nullable Consumer<EvictionPass> passListener;
  private @Nullable PolicyFault lastFault;
  private long capacity;
  private long resident;
  private long reserved;
  private long pinned;
  private long tick;
  private long evictions;
  private long refusals;
  private long notAdmitted;

  /** Entries ever made: tells whether there is something new since a request began. */
  private long made;

  /**
   * An empty cache, ordered by {@link TickOrder} until a policy is installed.
   *
   * @param capacityBlocks how many blocks may be resident, at least 1
   * @param clock the time that entries record
   * @param ghosts remembers what was evicted
   * @param onFault what to do when the policy breaks its contract
   */
  public BlockCache(long capacityBlocks, PolicyClock clock, GhostWindow ghosts, OnFault onFault) {
    this.capacity = checkCapacity(capacityBlocks);
    this.clock = clock;
    this.ghosts = ghosts;
    this.onFault = onFault;
    policy = new PolicyConsumer<>("tick-order", new TickOrder(), residents, null);
  }

  /**
   * Puts a policy in force: it receives the residents, coldest first, and then every event.
   *
   * @param name its name, for messages
   * @param incoming a policy that holds nothing
   * @throws PolicyFault if it fails to take over; the old policy then stays in force
   */
  public void install(String name, BlockPolicy<?> incoming) {
    flush();
    PolicyConsumer<?> next = new PolicyConsumer<>(name, incoming, residents, timer);
    List<CacheEntry> handedOver = new ArrayList<>();
    residents.forEach(entry -> {
      if (entry.announced) {
        handedOver.add(entry);
      }
    });
    handedOver.sort(Comparator.comparingLong(entry -> entry.lastTick));
    try {
      for (CacheEntry entry : handedOver) {
        entry.handedOver = true;
        next.insert(entry, entry.slot);
      }
    } catch (Throwable thrown) {
      throw next.fault(thrown);
    }
    handedOver.forEach(entry -> entry.aside = false);
    policy = next;
    requestsHeard =
        next.hearsRequests() || watchers.stream().anyMatch(EventConsumer::hearsRequests);
  }

  /**
   * Adds a watcher of the event stream.
   *
   * @param watcher receives every later event
   */
  public void watch(EventConsumer watcher) {
    flush();
    watchers.add(watcher);
    requestsHeard |= watcher.hearsRequests();
  }

  /**
   * Samples what the policy costs. To be called before {@link #install}.
   *
   * @param policyTimer collects the samples
   */
  public void time(PolicyTimer policyTimer) {
    timer = policyTimer;
  }

  /**
   * Reports every run of evictions.
   *
   * @param listener receives the report when the run is over
   */
  public void onPass(Consumer<EvictionPass> listener) {
    passListener = listener;
  }

  /**
   * A request arrives: matches the longest resident prefix, and pins it.
   *
   * @param request filled with its keys; owned by the cache until {@link #finish}
   * @return matched blocks
   */
  public int begin(CacheRequest request) {
    int matched = 0;
    request.madeBefore = made;
    CacheEntry[] path = request.path;
    int blocks = request.blocks();
    while (matched < blocks) {
      CacheEntry entry = index.find(request.keyLow(matched), request.keyHigh(matched));
      if (entry == null) {
        break;
      }
      if (!entry.announced) {
        request.madeBefore = CacheRequest.UNKNOWN;
        break;
      }
      hold(entry);
      path[matched++] = entry;
    }
    request.matched = matched;
    request.held = matched;
    request.running = true;
    for (int i = matched; i < blocks; i++) {
      ghosts.onMissed(request.keyLow(i));
    }
    if (requestsHeard) {
      emit(EventBatch.Kind.BEGAN, request);
    }
    return matched;
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
    if (requestsHeard) {
      // Whoever heard that the request began is to see it as it was then.
      flush();
    }
    request.add(keyLow, keyHigh);
    request.madeBefore = CacheRequest.UNKNOWN;
  }

  /**
   * Makes room for the blocks that did not match, front to back, evicting as needed, and pins them.
   * What does not fit because nothing more can leave is left out. A block that another request has
   * published meanwhile is adopted: used as it is, and the use counted as an access.
   *
   * @param request a request that has begun
   * @return admitted blocks, adopted ones included
   */
  public int admit(CacheRequest request) {
    return admit(request, request.blocks());
  }

  /**
   * The same for the first blocks of a request only: the others have no content.
   *
   * @param request a request that has begun
   * @param limit blocks from the front, at most {@code request.blocks()}
   * @return admitted blocks, adopted ones included
   */
  public int admit(CacheRequest request, int limit) {
    int blocks = Math.max(request.held, Objects.checkIndex(limit, request.blocks() + 1));
    CacheEntry next = adopt(request, blocks);
    // Another running request is making the next block: it will publish it, not we. What is not
    // resident has no resident block behind it, so only the first one has to be looked for.
    int missing = next == null ? blocks - request.held : 0;
    long free = capacity - occupiedBlocks();
    if (missing > free) {
      evict(missing - free, Demand.Reason.ALLOCATION, request.facts());
      free = Math.max(0, capacity - occupiedBlocks());
    }
    int end = request.held + (int) Math.min(missing, free);
    while (request.held < end) {
      int depth = request.held;
      CacheEntry parent = depth == 0 ? null : request.path[depth - 1];
      CacheEntry entry = residents.take();
      entry.reset(request.keyLow(depth), request.keyHigh(depth), parent, depth, request.facts());
      entry.references = 1;
      pinned++;
      if (parent != null) {
        parent.children++;
        parent.childrenSeen++;
      }
      enter(entry);
      request.path[depth] = entry;
      request.held++;
    }
    notAdmitted += blocks - request.held;
    return request.admitted();
  }

  /** Holds what has been published since; returns what ends that, null if it is not resident. */
  private @Nullable CacheEntry adopt(CacheRequest request, int blocks) {
    if (request.madeBefore == made) {
      return null;
    }
    while (request.held < blocks) {
      int depth = request.held;
      CacheEntry entry = index.find(request.keyLow(depth), request.keyHigh(depth));
      if (entry == null || !entry.announced) {
        return entry;
      }
      hold(entry);
      request.path[depth] = entry;
      request.held++;
    }
    return null;
  }

  /**
   * A request is over: publishes what was admitted, touches what was matched or adopted, deepest
   * first, and releases it all.
   *
   * @param request a request that has begun
   */
  public void finish(CacheRequest request) {
    CacheEntry[] path = request.path;
    RequestFacts facts = request.facts();
    long now = clock.nanos();
    int last = request.blocks() - 1;
    for (int i = request.held - 1; i >= 0; i--) {
      CacheEntry entry = path[i];
      entry.lastNanos = now;
      entry.lastTick = ++tick;
      entry.lastOfRequest = i == last;
      if (entry.announced) {
        entry.accesses++;
        entry.lastUse = facts;
        emit(EventBatch.Kind.ACCESSED, entry);
      } else {
        entry.createdNanos = now;
        entry.createdTick = tick;
        // Making room in the batch may bring in another policy, which is told of what is announced.
        emit(EventBatch.Kind.INSERTED, entry);
        entry.announced = true;
      }
    }
    if (requestsHeard) {
      emit(EventBatch.Kind.ENDED, request);
    }
    for (int i = request.held - 1; i >= 0; i--) {
      release(path[i]);
    }
    request.running = false;
    // A policy that hears of requests hears of them while they last. Another one gets many requests
    // at once, always before it is asked for a victim.
    if (requestsHeard) {
      flush();
    }
  }

  /**
   * Sets blocks aside for an object that is being made, evicting as needed. All or nothing: what
   * cannot succeed is not begun.
   *
   * @param blocks how many, 0 or more
   * @param asker who needs the room
   * @return false, with nothing reserved, if not so many are free or can leave
   */
  public boolean reserve(long blocks, RequestFacts asker) {
    long missing = occupiedBlocks() + blocks - capacity;
    if (missing > 0
        && (missing > evictableBlocks()
            || evict(missing, Demand.Reason.ALLOCATION, asker) < missing)) {
      return false;
    }
    reserved += blocks;
    return true;
  }

  /**
   * Gives reserved blocks back.
   *
   * @param blocks at most as many as are reserved
   */
  public void unreserve(long blocks) {
    checkReserved(blocks);
    reserved -= blocks;
  }

  /**
   * Publishes an object: an entry without parent that weighs as many blocks as were reserved for
   * it.
   *
   * @param keyLow lower 64 bits of its key; no resident may have this key
   * @param keyHigh upper 64 bits
   * @param blocks what it weighs, taken from those reserved, at least 1
   * @param facts who made it
   * @return the entry, not pinned
   */
  public CacheEntry insert(long keyLow, long keyHigh, int blocks, RequestFacts facts) {
    if (blocks < 1 || index.find(keyLow, keyHigh) != null) {
      throw new IllegalArgumentException(
          blocks < 1 ? "an entry weighs '" + blocks + "' blocks" : "the key is resident");
    }
    unreserve(blocks);
    CacheEntry entry = residents.take();
    entry.reset(keyLow, keyHigh, null, 0, facts);
    entry.blocks = blocks;
    entry.createdNanos = clock.nanos();
    entry.lastNanos = entry.createdNanos;
    entry.createdTick = ++tick;
    entry.lastTick = tick;
    entry.lastOfRequest = true;
    enter(entry);
    emit(EventBatch.Kind.INSERTED, entry);
    entry.announced = true;
    return entry;
  }

  /**
   * Notes a use of an object.
   *
   * @param entry a resident entry that was published
   * @param facts who used it
   */
  public void access(CacheEntry entry, RequestFacts facts) {
    entry.accesses++;
    entry.lastNanos = clock.nanos();
    entry.lastTick = ++tick;
    entry.lastUse = facts;
    emit(EventBatch.Kind.ACCESSED, entry);
  }

  /**
   * Notes that an object was asked for and is not resident.
   *
   * @param keyLow lower 64 bits of its key
   */
  public void missed(long keyLow) {
    ghosts.onMissed(keyLow);
  }

  /**
   * Frees blocks, if so many can leave. Of entries that weigh several blocks, more may leave than
   * asked for.
   *
   * @param blocks how many to free
   * @param reason why
   * @param asker who needs the room
   * @return blocks freed
   */
  public long evict(long blocks, Demand.Reason reason, RequestFacts asker) {
    long wanted = Math.min(blocks, evictableBlocks());
    if (wanted <= 0 || policy.policy() instanceof NoEviction) {
      return 0;
    }
    flush();
    boolean timed = timer != null && timer.passDue();
    long start = timed || passListener != null ? System.nanoTime() : 0;
    long before = occupiedBlocks();
    long entriesBefore = evictions;
    long refusedBefore = refusals;
    demand.set(wanted, reason, asker);
    long freed = 0;
    while (freed < wanted) {
      try {
        int blocksFreed = evictOne();
        freed += blocksFreed;
        evictions++;
        demand.freed(blocksFreed);
      } catch (PolicyFault fault) {
        fallBack(fault);
      }
    }
    if (timed && timer != null) {
      timer.pass(start, freed);
    }
    if (passListener != null) {
      passListener.accept(
          new EvictionPass(
              policy.name(),
              reason,
              blocks,
              freed,
              evictions - entriesBefore,
              refusals - refusedBefore,
              before,
              occupiedBlocks(),
              System.nanoTime() - start));
    }
    return freed;
  }

  /**
   * Evicts until at most so many blocks are resident or reserved, if so many can leave.
   *
   * @param targetBlocks blocks to keep, 0 or more
   * @param reason why
   * @return blocks freed
   */
  public long evictTo(long targetBlocks, Demand.Reason reason) {
    return evict(occupiedBlocks() - targetBlocks, reason, RequestFacts.UNKNOWN);
  }

  /**
   * Changes the capacity, and evicts what no longer fits.
   *
   * @param capacityBlocks the new capacity, at least 1
   * @return blocks freed
   */
  public long resize(long capacityBlocks) {
    capacity = checkCapacity(capacityBlocks);
    flush();
    try {
      policy.policy().resized(capacityBlocks);
    } catch (Throwable thrown) {
      fallBack(policy.fault(thrown));
    }
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
    return index.find(keyLow, keyHigh);
  }

  /**
   * Keeps an entry and all before it resident until {@link #unpin}.
   *
   * @param entry a resident entry
   */
  public void pin(CacheEntry entry) {
    for (CacheEntry on = entry; on != null; on = on.parent) {
      hold(on);
    }
  }

  /**
   * Takes back one {@link #pin}.
   *
   * @param entry the entry that was pinned
   */
  public void unpin(CacheEntry entry) {
    for (CacheEntry on = entry; on != null; on = on.parent) {
      release(on);
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
    drop(entry, cause);
    flush();
    return true;
  }

  /**
   * The name of the policy in force.
   *
   * @return the name given to {@link #install}, or {@code "tick-order"}
   */
  public String policyName() {
    flush();
    return policy.name();
  }

  /**
   * The policy in force, which has seen all events so far.
   *
   * @return the policy
   */
  public BlockPolicy<?> policy() {
    flush();
    return policy.policy();
  }

  /**
   * What made the last policy fail.
   *
   * @return the fault, or null if none did
   */
  public @Nullable PolicyFault lastFault() {
    return lastFault;
  }

  /**
   * How many blocks may be resident.
   *
   * @return blocks
   */
  public long capacityBlocks() {
    return capacity;
  }

  /**
   * How many blocks are resident.
   *
   * @return blocks
   */
  public long residentBlocks() {
    return resident;
  }

  /**
   * How many entries are resident.
   *
   * @return entries, whatever their size
   */
  public int residentEntries() {
    return index.size();
  }

  /**
   * How many blocks nobody else can have: those of residents, and those reserved.
   *
   * @return blocks, at most the capacity unless that was lowered
   */
  public long occupiedBlocks() {
    return resident + reserved;
  }

  /**
   * How many blocks could be freed, leaf by leaf, if everything that is not pinned left.
   *
   * @return blocks
   */
  public long evictableBlocks() {
    return resident - pinned;
  }

  /**
   * How many entries were evicted.
   *
   * @return the count since the start
   */
  public long evictions() {
    return evictions;
  }

  /**
   * How many offers could not leave.
   *
   * @return the count since the start
   */
  public long refusals() {
    return refusals;
  }

  /**
   * How many blocks of requests were not admitted because nothing more could leave.
   *
   * @return the count since the start
   */
  public long notAdmitted() {
    return notAdmitted;
  }

  /**
   * Closes the policy in force. One that throws is noted as the last fault: nothing depends on it.
   */
  @Override
  public void close() {
    try {
      policy.policy().close();
    } catch (Throwable thrown) {
      lastFault = policy.fault(thrown);
    }
  }

  private int evictOne() {
    while (true) {
      CacheEntry victim = policy.victim(demand);
      if (victim == null) {
        throw new PolicyFault(
            "policy '%s' offers nothing, though %d of %d blocks can leave"
                .formatted(policy.name(), evictableBlocks(), resident),
            "");
      }
      if (victim.evictable()) {
        int blocks = victim.blocks;
        drop(victim, RemovalCause.EVICTED);
        flush();
        return blocks;
      }
      refusals++;
      victim.aside = true;
      policy.refused(victim);
    }
  }

  private void enter(CacheEntry entry) {
    index.add(entry);
    resident += entry.blocks;
    made++;
  }

  private void drop(CacheEntry entry, RemovalCause cause) {
    index.remove(entry);
    resident -= entry.blocks;
    if (cause.forCapacity()) {
      ghosts.onEvicted(entry.keyLow);
    }
    room();
    batch.addRemoved(entry, cause);
    residents.giveBack(entry);
    CacheEntry parent = entry.parent;
    if (parent != null && --parent.children == 0) {
      releaseIfAside(parent);
    }
  }

  private void hold(CacheEntry entry) {
    if (entry.references++ == 0) {
      pinned += entry.blocks;
    }
  }

  private void release(CacheEntry entry) {
    if (--entry.references == 0) {
      pinned -= entry.blocks;
      releaseIfAside(entry);
    }
  }

  private void releaseIfAside(CacheEntry entry) {
    if (entry.aside && entry.evictable()) {
      entry.aside = false;
      emit(EventBatch.Kind.RELEASED, entry);
    }
  }

  private void emit(EventBatch.Kind kind, CacheEntry entry) {
    room();
    batch.add(kind, entry);
  }

  private void emit(EventBatch.Kind kind, CacheRequest request) {
    room();
    batch.add(kind, request);
  }

  private void room() {
    if (batch.isFull()) {
      flush();
    }
  }

  private void flush() {
    if (batch.size() == 0) {
      return;
    }
    for (int i = 0; i < watchers.size(); i++) {
      watchers.get(i).accept(batch);
    }
    try {
      policy.accept(batch);
    } catch (PolicyFault fault) {
      batch.clear();
      fallBack(fault);
    }
    batch.clear();
  }

  private void fallBack(PolicyFault fault) {
    lastFault = fault;
    if (onFault == OnFault.FAIL || policy.policy() instanceof TickOrder) {
      throw fault;
    }
    batch.clear();
    install("tick-order", new TickOrder());
  }

  private void checkReserved(long blocks) {
    if (blocks < 0 || blocks > reserved) {
      throw new IllegalArgumentException(
          "'%d' blocks are not reserved, only %d".formatted(blocks, reserved));
    }
  }

  private static long checkCapacity(long blocks) {
    if (blocks < 1) {
      throw new IllegalArgumentException("capacity is " + blocks + " blocks, must be at least 1");
    }
    return blocks;
  }
}
