package dev.ebb.host.cache.index;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.stats.EvictedBy;
import dev.ebb.host.cache.stats.EvictionReason;
import dev.ebb.host.cache.stats.GhostWindow;
import dev.ebb.spi.Demand;
import dev.ebb.spi.PartChoice;
import dev.ebb.spi.PolicyClock;
import dev.ebb.spi.RemovalCause;
import org.jspecify.annotations.Nullable;

/**
 * The state of the cache: resident entries, pins, and free room. Writes each change to the event
 * stream.
 *
 * <p>Pins always cover a whole path from the root, so that unpinned entries can be evicted, leaf by
 * leaf: the evictable count is a subtraction.
 */
public final class CacheState {

  /** How many parts that are in use are passed over at a time. */
  private static final int MOST_USED = 16;

  public final PrefixIndex index = new PrefixIndex();
  public final SlotTable slots = new SlotTable();
  public final EventStream events = new EventStream();
  public final EvictionCounters counters = new EvictionCounters();
  public final PartOrder parts = new PartOrder();
  public final AdmissionQueue admission = new AdmissionQueue(this);
  public final GhostWindow ghosts;
  public final PolicyClock clock;

  /** The consumer whose policy is active, 0 if none is. */
  public int activeId;

  public String policyName = BuiltInLru.NAME;

  /** The active policy decides on blocks that are cached already. */
  public boolean decidesOnCached;

  /** Requests wait for space. */
  public boolean spaceAwaited;

  /** Null if requests may evict entries of higher priority. */
  private @Nullable ProtectedEntries protectedEntries;

  private final boolean keepsSlots;
  private @Nullable RemovalListener removalListener;
  private long capacity;
  private long resident;
  private long reserved;

  /** Reserved blocks that are about to be free: no others need be evicted for them. */
  private long leaving;

  private long pinned;
  private long evictableEntries;
  private long tick;
  private long made;

  /** If it keeps slots, others free that of a removed entry once all consumers know. */
  public CacheState(
      long capacityBlocks, PolicyClock clock, GhostWindow ghosts, boolean keepsSlots) {
    capacity(capacityBlocks);
    this.clock = clock;
    this.ghosts = ghosts;
    this.keepsSlots = keepsSlots;
  }

  public void onRemoval(RemovalListener listener) {
    removalListener = listener;
  }

  /** Evicts higher-priority entries for a request only if nothing else is evictable. */
  public void respectPriority() {
    protectedEntries = new ProtectedEntries(this);
  }

  public boolean respectsPriority() {
    return protectedEntries != null;
  }

  /** Records that another policy is active, or none. */
  public void activate(int id, String name) {
    activeId = id;
    policyName = name;
    if (protectedEntries != null) {
      protectedEntries.forgetAll();
    }
  }

  /** Returns the number of the last event. */
  public long tick() {
    return tick;
  }

  public long capacity() {
    return capacity;
  }

  public void capacity(long blocks) {
    if (blocks < 1) {
      throw new IllegalArgumentException("capacity is " + blocks + " blocks, must be at least 1");
    }
    capacity = blocks;
  }

  public long resident() {
    return resident;
  }

  public long reserved() {
    return reserved;
  }

  public long occupied() {
    return resident + reserved;
  }

  /** Returns the occupied blocks without those that are about to be free. */
  public long staying() {
    return occupied() - leaving;
  }

  /** Returns the blocks beyond the capacity with so many more; negative if there is room. */
  public long missing(long blocks) {
    return resident + reserved + blocks - capacity;
  }

  public long evictable() {
    return resident - pinned;
  }

  /** Returns how many entries were ever made: shows whether there is a new one. */
  long made() {
    return made;
  }

  public void reserve(long blocks) {
    reserved += blocks;
  }

  public void unreserve(long blocks) {
    if (blocks < 0 || blocks > reserved) {
      throw new IllegalArgumentException(
          "'%d' blocks are not reserved, only %d".formatted(blocks, reserved));
    }
    reserved -= blocks;
  }

  /** Records that so many of the reserved blocks are about to be free; negative if they are. */
  public void leave(long blocks) {
    leaving += blocks;
  }

  public void enter(CacheEntry entry) {
    index.add(entry);
    resident += entry.blocks;
    ChunkParts of = entry.parts;
    parts.wrote(of == null ? entry.blocks : of.fullWeight());
    evictableEntries++;
    made++;
  }

  public void reweigh(CacheEntry entry, int blocks) {
    reserved -= blocks;
    weigh(entry, blocks);
  }

  void weigh(CacheEntry entry, int blocks) {
    resident += blocks;
    pinned += entry.references > 0 ? blocks : 0;
    if (protectedEntries != null) {
      protectedEntries.count(entry, blocks);
    }
    entry.blocks += blocks;
  }

  public void publish(CacheEntry entry, long now) {
    entry.createdNanos = now;
    entry.lastNanos = now;
    entry.createdTick = ++tick;
    entry.lastTick = tick;
    if (protectedEntries != null) {
      protectedEntries.used(entry, now);
    }
    // Making room in the batch may activate another policy, which receives the announced
    // entries.
    events.emit(EventBatch.Kind.INSERTED, entry);
    slots.publish(entry);
  }

  /** Records a use by a request, or by a client that states none: that retains nothing. */
  public void use(CacheEntry entry, RequestFacts facts, @Nullable Retention retained, long now) {
    entry.accesses++;
    entry.lastNanos = now;
    entry.lastTick = ++tick;
    entry.usedBy(facts, retained, now);
    if (protectedEntries != null) {
      protectedEntries.used(entry, now);
    }
    events.emit(EventBatch.Kind.ACCESSED, entry);
  }

  /** Pins an entry. A pinned child pins its parent once, however often it is pinned itself. */
  public void hold(CacheEntry entry) {
    if (entry.evictable()) {
      notEvictable(entry);
    }
    for (CacheEntry on = entry; on != null && on.references++ == 0; on = on.parent) {
      pinned += on.blocks;
    }
  }

  public void release(CacheEntry entry) {
    for (CacheEntry on = entry; on != null && --on.references == 0; on = on.parent) {
      pinned -= on.blocks;
      evictableIfLeaf(on);
    }
  }

  public void join(CacheEntry parent) {
    if (parent.evictable()) {
      notEvictable(parent);
    }
    parent.children++;
    parent.childrenSeen++;
  }

  private void notEvictable(CacheEntry entry) {
    evictableEntries--;
    if (protectedEntries != null) {
      protectedEntries.forget(entry);
    }
  }

  /** Answers the active policy that its offer cannot be evicted, or is protected. */
  public void refuse(CacheEntry entry) {
    if (entry.evictable() && protectedEntries != null) {
      counters.protectedRefusals++;
      protectedEntries.setAside(entry);
    } else {
      counters.refusals++;
    }
    entry.asideOf = activeId;
    events.emit(EventBatch.Kind.REFUSED, entry);
  }

  /** Evicts parts of chunks that go before whole chunks; returns how much was freed. */
  public long thin(long blocks, EvictedBy by) {
    long freed = 0;
    for (int used = 0; freed < blocks && used < MOST_USED; ) {
      ChunkParts.Part part = parts.next(capacity);
      if (part == null) {
        return freed;
      }
      long more = dropPart(part, by);
      freed += more;
      if (more == 0) {
        used++;
        parts.later(part);
      }
    }
    return freed;
  }

  /** Proposes the part that goes next, or none. Returns false if there are no parts. */
  public boolean propose(PartChoice choice) {
    return parts.propose(capacity, choice);
  }

  /** Evicts a part that a policy chose. Returns 0 if it is missing, protected or in use. */
  public long thin(CacheEntry entry, int group, int level, EvictedBy by) {
    ChunkParts of = entry.parts();
    ChunkParts.Part part = of == null || protects(entry, level) ? null : of.evictable(group);
    return part == null ? 0 : dropPart(part, by);
  }

  /** Evicts a part of a chunk, and what nobody could use then; returns 0 if it is in use. */
  long dropPart(ChunkParts.Part part, EvictedBy by) {
    CacheEntry entry = part.entry;
    ChunkParts of = requireNonNull(entry.parts());
    int weight = of.weight(part.group);
    if (weight == entry.blocks) {
      return entry.evictable() ? drop(entry, RemovalCause.EVICTED, by) : 0;
    }
    if (removalListener != null && !removalListener.thins(entry, part.group)) {
      return 0;
    }
    counters.thinned(entry, part.group, weight, by, policyName, clock);
    parts.remove(part);
    of.weigh(part.group, -weight);
    of.settled |= !of.received;
    weigh(entry, -weight);
    return weight + dropUseless(entry, by);
  }

  /** Removes an entry, and the chunks before it that nobody could use then; returns the blocks. */
  public long drop(CacheEntry entry, RemovalCause cause, @Nullable EvictedBy by) {
    CacheEntry parent = entry.parent;
    long freed = entry.blocks;
    remove(entry, cause, by, EvictionReason.CHOSEN);
    return parent != null && parent.isUseless()
        ? freed + dropUseless(parent, by == null ? EvictedBy.BACKGROUND : by)
        : freed;
  }

  /**
   * Evicts a chunk of a hybrid model at which no prompt can go on, unless there are chunks behind
   * it; then the one before it, and so on.
   */
  long dropUseless(@Nullable CacheEntry last, EvictedBy by) {
    long freed = 0;
    CacheEntry on = last;
    while (on != null && on.isUseless()) {
      CacheEntry parent = on.parent;
      freed += on.blocks;
      remove(on, RemovalCause.EVICTED, by, EvictionReason.UNUSABLE);
      on = parent;
    }
    return freed;
  }

  private void remove(
      CacheEntry entry, RemovalCause cause, @Nullable EvictedBy by, EvictionReason reason) {
    long record = counters.removed(entry, cause, by, reason, policyName, clock);
    index.remove(entry);
    resident -= entry.blocks;
    entry.undecided = null;
    parts.removeAll(entry);
    notEvictable(entry);
    if (protectedEntries != null) {
      protectedEntries.count(entry, -entry.blocks);
      entry.level = ProtectedEntries.NO_LEVEL;
    }
    if (cause.forCapacity()) {
      ghosts.onEvicted(entry.keyLow, entry.blocks);
    }
    if (removalListener != null) {
      removalListener.removed(entry, cause);
    }
    // A policy that takes over while the batch makes room receives the entry, and then its
    // removal.
    boolean published = entry.announced;
    if (published) {
      events.emitRemoved(entry, cause, record);
    }
    slots.remove(entry);
    if (!keepsSlots || !published) {
      slots.giveBack(entry);
    }
    if (entry.parent != null) {
      leave(entry.parent);
    }
  }

  public void leave(CacheEntry parent) {
    if (--parent.children == 0) {
      evictableIfLeaf(parent);
    }
  }

  private void evictableIfLeaf(CacheEntry entry) {
    if (!entry.evictable()) {
      return;
    }
    evictableEntries++;
    if (entry.asideOf != 0) {
      boolean ofThisPolicy = entry.asideOf == activeId;
      entry.asideOf = 0;
      if (ofThisPolicy) {
        events.emit(EventBatch.Kind.RELEASED, entry);
      }
    }
  }

  /** Returns the level up to which a request evicts entries while there are others. */
  public int evictionLevel(Demand.Reason reason, int priority) {
    return reason == Demand.Reason.ALLOCATION || reason == Demand.Reason.BACKGROUND
        ? ProtectedEntries.level(priority)
        : ProtectedEntries.ALL;
  }

  /** Returns whether an evictable entry is not for requests of a level: there are others. */
  public boolean protects(CacheEntry entry, int level) {
    return protectedEntries != null
        && protectedEntries.protects(entry, level)
        && !(protectedEntries.isLastResort(entry)
            && protectedEntries.asideCount() == evictableEntries - 1);
  }

  /**
   * Releases one entry that was set aside and that a level may evict, if there is any. If all
   * evictable entries are protected from the level, it releases the one to evict nevertheless.
   */
  public void releaseProtected(int level) {
    if (protectedEntries == null) {
      return;
    }
    protectedEntries.advance(clock.nanos());
    CacheEntry entry = protectedEntries.firstFor(level);
    CacheEntry lastResort = null;
    if (entry == null && onlyProtected()) {
      counters.protectedEvictions++;
      lastResort = protectedEntries.firstFor(ProtectedEntries.ALL);
      entry = lastResort;
    }
    protectedEntries.lastResort(lastResort);
    if (entry != null) {
      protectedEntries.forget(entry);
      entry.asideOf = 0;
      events.emit(EventBatch.Kind.RELEASED, entry);
    }
  }

  /** Returns whether all evictable entries are set aside because they are protected. */
  public boolean onlyProtected() {
    return protectedEntries != null
        && protectedEntries.asideCount() > 0
        && protectedEntries.asideCount() == evictableEntries;
  }

  /** Returns whether nothing can be evicted for a level but what is protected from it. */
  public boolean onlyProtected(int level) {
    return onlyProtected() && requireNonNull(protectedEntries).firstFor(level) == null;
  }
}
