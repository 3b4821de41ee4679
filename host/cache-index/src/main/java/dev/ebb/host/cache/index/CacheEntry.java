package dev.ebb.host.cache.index;

import dev.ebb.host.group.ObjectGroups;
import dev.ebb.spi.Entry;
import dev.ebb.spi.Origin;
import org.jspecify.annotations.Nullable;

/**
 * A resident block or object. About a hundred bytes; written by {@link
 * dev.ebb.host.cache.BlockCache} alone.
 *
 * <table>
 * <caption>States</caption>
 * <tr><th>state<th>resident<th>filled<th>announced<th>references
 * <tr><td>being made, pinned by its request<td>yes<td>no<td>no<td>1 or more
 * <tr><td>filled, not published<td>yes<td>yes<td>no<td>1 or more
 * <tr><td>published, in use<td>yes<td>yes<td>yes<td>1 or more
 * <tr><td>published, evictable if it has no children<td>yes<td>yes<td>yes<td>0
 * <tr><td>removed; its slot lasts until all consumers have read it<td>no<td>-<td>-<td>0
 * </table>
 *
 * <p>An entry that the policy offers while it is in use is set aside until it is released.
 *
 * <p>The object of a removed entry may be reused for another one, so that a full cache makes no
 * garbage. A component that keeps an entry holds or pins it. A policy on its own thread reads
 * entries while the cache writes them, and may see a use before its event.
 *
 * <p>The fields that a use touches are declared together, since the JVM keeps the order of those of
 * one size: a full cache waits for memory, line by line.
 */
public final class CacheEntry implements Entry {

  static final int GONE = -1;

  public int depth;
  int childrenSeen;
  public long createdNanos;
  long createdTick;

  public long keyLow;
  public long keyHigh;
  public long lastNanos;
  public long lastTick;
  public int blocks = 1;
  public int slot = GONE;
  public int children;
  public int references;
  int accesses;

  /** The consumer whose offer of it was refused; it may offer it again once released. */
  public int asideOf;

  public boolean lastOfRequest;

  /** Published: the policy has received it, or is about to. */
  public boolean announced;

  /** Its content is complete, so other requests can use it. */
  boolean filled;

  /** In the cache. A slot may outlive that, until every consumer has read the removal. */
  public boolean resident;

  /** The level at which {@link ProtectedEntries} protects it, and the period of its last use. */
  byte level;

  int period;

  public @Nullable CacheEntry parent;
  public RequestFacts lastUse;

  /** How strongly clients have asked to keep it; null if none has. */
  private @Nullable Retention retention;

  /** Its place among the entries that are set aside because they are protected. */
  ProtectedEntries.@Nullable Aside aside;

  /** The blocks of its request that the policy has to decide on; null if it has decided. */
  @Nullable UndecidedBlocks undecided;

  /** Its parts, if its model has several object groups. */
  @Nullable ChunkParts parts;

  public CacheEntry() {
    lastUse = RequestFacts.UNKNOWN;
  }

  /** Initialises it: unannounced, unused except by the request that makes it. */
  public void reset(
      long keyLow, long keyHigh, @Nullable CacheEntry parent, int depth, RequestFacts lastUse) {
    this.keyLow = keyLow;
    this.keyHigh = keyHigh;
    this.parent = parent;
    this.depth = depth;
    blocks = 1;
    this.lastUse = lastUse;
    retention = null;
    children = 0;
    childrenSeen = 0;
    references = 0;
    accesses = 1;
    announced = false;
    filled = false;
    asideOf = 0;
    level = ProtectedEntries.NO_LEVEL;
    parts = null;
  }

  /** Records the attributes of the request that uses it, or has made it, and what that retains. */
  void usedBy(RequestFacts facts, @Nullable Retention stated, long nowNanos) {
    // Most users state the same attributes: then the garbage collector's card is not written.
    if (lastUse != facts) {
      lastUse = facts;
    }
    if (stated != null || retention != null) {
      retention = Retention.after(retention, stated, depth, nowNanos);
    }
  }

  public @Nullable ChunkParts parts() {
    return parts;
  }

  /** Makes it a chunk without parts, spare if no request needed them; null if it is not hybrid. */
  void parts(@Nullable ObjectGroups groups, boolean spare) {
    parts = groups == null ? null : new ChunkParts(this, groups, spare);
  }

  public boolean resident() {
    return resident;
  }

  public boolean published() {
    return announced;
  }

  /** Returns whether it can be evicted now: it is an unpinned leaf. */
  public boolean evictable() {
    return references == 0 && children == 0;
  }

  /** Returns whether it can be evicted, and no prompt can go on after it for want of its parts. */
  boolean isUseless() {
    return parts != null && parts.settled && announced && evictable() && !parts.isWhole();
  }

  /** Returns whether a request or a reader uses it, or an entry behind it. */
  public boolean pinned() {
    return references > 0;
  }

  /** Returns how many entries the end of a request that pins this one and all before it unpins. */
  public int pinnedByOne() {
    int count = 0;
    int pins = 1;
    for (CacheEntry on = this; on != null && on.references == pins; on = on.parent) {
      count++;
      // The request's own pin, and that of the child.
      pins = 2;
    }
    return count;
  }

  /** Returns its index in every consumer's arrays, recycled; -1 once all have read its removal. */
  public int slot() {
    return slot;
  }

  public @Nullable CacheEntry parent() {
    return parent;
  }

  /** Returns the upper 64 bits of its key; {@link #fingerprint} has the lower ones. */
  public long high() {
    return keyHigh;
  }

  /** Returns the attributes of its last user, shared by all entries of that use. */
  public RequestFacts lastUse() {
    return lastUse;
  }

  @Override
  public long fingerprint() {
    return keyLow;
  }

  @Override
  public Origin origin() {
    return Origin.NEW;
  }

  @Override
  public int blocks() {
    return blocks;
  }

  @Override
  public int groups() {
    ChunkParts of = parts;
    return of == null ? 1 : of.groups().size();
  }

  @Override
  public int window(int group) {
    ChunkParts of = parts;
    return of == null || group >= of.groups().size() ? 0 : of.groups().window(group);
  }

  @Override
  public int partBlocks(int group) {
    ChunkParts of = parts;
    if (of == null) {
      return blocks;
    }
    // A policy on its own thread may have asked before the groups changed.
    return group < of.groups().size() ? of.weight(group) : 0;
  }

  @Override
  public boolean partEvictable(int group) {
    ChunkParts of = parts;
    return of != null && of.evictable(group) != null;
  }

  @Override
  public int depth() {
    return depth;
  }

  @Override
  public boolean lastOfRequest() {
    return lastOfRequest;
  }

  @Override
  public int childrenSeen() {
    return childrenSeen;
  }

  @Override
  public int accesses() {
    return accesses;
  }

  @Override
  public long createdNanos() {
    return createdNanos;
  }

  @Override
  public long createdTick() {
    return createdTick;
  }

  @Override
  public long lastAccessNanos() {
    return lastNanos;
  }

  @Override
  public long lastAccessTick() {
    return lastTick;
  }

  @Override
  public long sequenceId() {
    return lastUse.sequenceId();
  }

  @Override
  public int turn() {
    return lastUse.turn();
  }

  @Override
  public long sequenceLength() {
    return lastUse.sequenceLength();
  }

  @Override
  public long maxSequenceLength() {
    return lastUse.maxSequenceLength();
  }

  @Override
  public int priority() {
    return lastUse.priority();
  }

  @Override
  public @Nullable String tenant() {
    return lastUse.tenant();
  }

  @Override
  public @Nullable String workload() {
    return lastUse.workload();
  }

  @Override
  public int hint() {
    return lastUse.hint();
  }

  @Override
  public long lifetimeHintNanos() {
    return lastUse.lifetimeNanos();
  }

  @Override
  public double recomputeCost() {
    return lastUse.recomputeCost();
  }

  @Override
  public int retention() {
    Retention of = retention;
    return of == null ? Retention.NONE : of.strength(depth);
  }

  @Override
  public long retainedUntilNanos() {
    Retention of = retention;
    return of == null ? Retention.FOREVER : of.untilNanos(depth);
  }

  @Override
  public String toString() {
    return "entry " + Long.toHexString(keyLow) + " depth=" + depth;
  }
}
