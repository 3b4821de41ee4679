package dev.ebb.host.store.value;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.index.CacheEntry;
import dev.ebb.host.store.chain.ChainedValue;
import dev.ebb.host.store.key.ObjectKey;
import dev.ebb.host.store.stats.EntryState;
import dev.ebb.host.store.stats.EntryStates;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A value, from the announcement by a client until it is removed and read by no one: its bytes, its
 * cache entry and its pins. Its writer fills it without a lock; everything else is guarded by the
 * partition's lock.
 *
 * <p>The small second value of an engine's chunk is an attachment of the first. It has no entry,
 * takes no pool memory, and is removed with its owner.
 *
 * <p>Of a chunk that has a value for each worker, the value that was stored first has the entry,
 * which weighs as much as all of them. The others are its shards: removed with it, and it with
 * them.
 *
 * <p>As a node it is in the list of leased values while a lookup holds it.
 */
public final class StoredValue extends ChainedValue {

  public static final long NEVER = Long.MAX_VALUE;

  private static final int[] NO_BLOCKS = {};

  /** The pool memory charged for it; 0 for an attachment. */
  private long units;

  /** Its bytes were evicted, and the entry is kept for its shards. */
  private boolean withdrawn;

  /** The blocks of its bytes; while it is written, some at the end may not be allocated yet. */
  int[] blocks = NO_BLOCKS;

  /** The slot of a small value's bytes. */
  long smallUnit = SmallArena.NONE;

  /** The bytes of an attachment, or of a value that may become one; never changed in place. */
  private byte @Nullable [] heap;

  private @Nullable StoredValue attachment;

  /** The other workers' values of its chunk. */
  private List<StoredValue> shards = List.of();

  /** The owner of an attachment or a shard that has not been removed. */
  private @Nullable StoredValue owner;

  private EntryState state = EntryState.CREATING;
  private int readers;

  /** Lookups whose read is awaited; 0 if it has no lease. */
  private int lookups;

  /** The end of its lease, by the clock of intervals; valid while it has one. */
  private long leaseEnd;

  /** Operators' pins; empty for nearly all values. */
  private List<PinNote> pins = List.of();

  /** Wall-clock milliseconds. */
  private long expiresAt = NEVER;

  private long version;

  /** It was read from the disk, and no hit of it has been counted since. */
  private boolean restored;

  /** Its note in the expiry queue; null if it has none. */
  Lifetimes.@Nullable Note note;

  /** The owner of a pin, its start and its end, in wall-clock milliseconds. */
  public record PinNote(String owner, long since, long expiresAt) {}

  public StoredValue(ObjectKey key, long length, long units) {
    super(key, length);
    this.units = units;
  }

  /** Returns a copy on the heap, to be an attachment. */
  public StoredValue heapCopy(ObjectMemory memory) {
    StoredValue copy = new StoredValue(key, length, 0);
    byte[] bytes = new byte[(int) length];
    memory.read(position(0), bytes.length).get(bytes);
    copy.heap = bytes;
    copy.stamp(version, expiresAt);
    return copy;
  }

  /** Returns a value of its own with the same bytes on the heap, which takes no pool memory. */
  public StoredValue alone() {
    StoredValue copy = new StoredValue(key, length, 0);
    copy.heap = heap;
    copy.stamp(version, expiresAt);
    return copy;
  }

  public void waitOnHeap() {
    heap = new byte[(int) length];
  }

  public void stamp(long newVersion, long newExpiresAt) {
    version = newVersion;
    expiresAt = newExpiresAt;
  }

  public void restore() {
    restored = true;
  }

  public boolean takeRestored() {
    boolean was = restored;
    restored = false;
    return was;
  }

  void expiresAt(long at) {
    expiresAt = at;
  }

  public void enter(EntryState next, EntryStates states) {
    state = states.changed(state, next);
  }

  public void becomeEntry(CacheEntry newEntry) {
    entry = newEntry;
  }

  public void loseEntry() {
    entry = null;
  }

  public void attach(StoredValue value) {
    attachment = value;
    value.owner = this;
    value.units = 0;
  }

  public @Nullable StoredValue detach() {
    StoredValue detached = attachment;
    attachment = null;
    if (detached != null) {
      detached.owner = null;
    }
    return detached;
  }

  public void join(StoredValue shard) {
    if (shards.isEmpty()) {
      shards = new ArrayList<>();
    }
    shards.add(shard);
    shard.owner = this;
  }

  public void leave(StoredValue shard) {
    shards.remove(shard);
    shard.owner = null;
  }

  public List<StoredValue> disband() {
    List<StoredValue> former = shards;
    shards = List.of();
    former.forEach(shard -> shard.owner = null);
    return former;
  }

  /** Records that its bytes were freed; it keeps the entry for its shards. */
  public void withdraw() {
    withdrawn = true;
    units = 0;
    expiresAt = NEVER;
  }

  /** Returns whether its bytes were evicted, and it only keeps the entry for its shards. */
  public boolean isWithdrawn() {
    return withdrawn;
  }

  public boolean opened() {
    return readers++ == 0;
  }

  public boolean closed() {
    return --readers == 0;
  }

  /** Counts a read, for the requests that found it. */
  public void wasRead() {
    whole().reads++;
  }

  /** Adds lookups to its lease, which then ends later. */
  public void lease(int more, long end) {
    lookups += more;
    leaseEnd = end;
  }

  /** Counts a read of a leased value; returns whether no more are awaited. */
  public boolean readLeased() {
    return --lookups == 0;
  }

  public void release() {
    lookups = 0;
  }

  public void pin(List<PinNote> notes) {
    pins = List.copyOf(notes);
  }

  public @Nullable CacheEntry entry() {
    return entry;
  }

  public long units() {
    return units;
  }

  public byte @Nullable [] heap() {
    return heap;
  }

  public @Nullable StoredValue attachment() {
    return attachment;
  }

  public List<StoredValue> shards() {
    return shards;
  }

  public @Nullable StoredValue owner() {
    return owner;
  }

  public EntryState state() {
    return state;
  }

  public int readers() {
    return readers;
  }

  public int lookups() {
    return lookups;
  }

  public long leaseEnd() {
    return leaseEnd;
  }

  public List<PinNote> pins() {
    return pins;
  }

  public long expiresAt() {
    return expiresAt;
  }

  public long version() {
    return version;
  }

  public boolean isPublished() {
    return request == null;
  }

  /** Returns whether it may be an attachment: it must fit a slot if its owner is removed first. */
  public boolean isAttachable() {
    return key.isAttachment()
        && length <= HeapCharge.ATTACHMENT_BYTES
        && HeapCharge.poolUnits(key, length) <= ObjectMemory.SMALL_UNITS;
  }

  public boolean visible() {
    return entry != null || owner != null;
  }

  /** Returns the unit of caching and eviction: the value itself, or what it belongs to. */
  public StoredValue whole() {
    return owner == null ? this : owner.whole();
  }

  /** Returns whether it is the value of one more worker, of a chunk whose entry another one has. */
  public boolean isShard() {
    return owner != null && units > 0;
  }

  @Override
  public int weight() {
    return requireNonNull(entry).blocks();
  }

  @Override
  public List<StoredValue> objects() {
    if (shards.isEmpty()) {
      return withdrawn ? List.of() : List.of(this);
    }
    List<StoredValue> objects = new ArrayList<>(shards);
    if (!withdrawn) {
      objects.addFirst(this);
    }
    return objects;
  }

  /** Returns the pool memory of a visible value with its shards. */
  public long wholeBytes() {
    return weight() * (long) ObjectMemory.UNIT_BYTES;
  }

  /** Returns the first one that fits of this value and its shards; null if none does. */
  public @Nullable StoredValue shard(Predicate<StoredValue> wanted) {
    if (!withdrawn && wanted.test(this)) {
      return this;
    }
    for (StoredValue shard : shards) {
      if (wanted.test(shard)) {
        return shard;
      }
    }
    return null;
  }

  public long chargedBytes() {
    return units * ObjectMemory.UNIT_BYTES;
  }

  public boolean isSmall() {
    return units <= ObjectMemory.SMALL_UNITS;
  }

  public boolean hasSlot() {
    return smallUnit != SmallArena.NONE;
  }

  /** Makes the list of blocks long enough for some more. */
  public void expect(int count) {
    if (count > blocks.length) {
      long whole = units / ObjectMemory.BLOCK_UNITS;
      blocks = Arrays.copyOf(blocks, (int) Math.min(whole, Math.max(count, 2L * blocks.length)));
    }
  }

  /** Returns the position of a byte in the pool's memory. */
  public long position(long offset) {
    return smallUnit != SmallArena.NONE
        ? smallUnit * ObjectMemory.UNIT_BYTES + offset
        : (long) blocks[(int) (offset / ObjectMemory.BLOCK_BYTES)] * ObjectMemory.BLOCK_BYTES
            + offset % ObjectMemory.BLOCK_BYTES;
  }

  /** Returns how many bytes of the pool are contiguous from an offset on, or enough of them. */
  public long inOnePiece(int count, long offset, long most) {
    if (smallUnit != SmallArena.NONE) {
      return chargedBytes() - offset;
    }
    int index = (int) (offset / ObjectMemory.BLOCK_BYTES);
    long bytes = ObjectMemory.BLOCK_BYTES - offset % ObjectMemory.BLOCK_BYTES;
    while (bytes < most && index + 1 < count && blocks[index + 1] == blocks[index] + 1) {
      bytes += ObjectMemory.BLOCK_BYTES;
      index++;
    }
    return bytes;
  }

  /** Returns where its bytes lie in the pool, in order, from a base on. */
  public List<MemoryRange> ranges(long base) {
    List<MemoryRange> ranges = new ArrayList<>();
    for (long at = 0; at < length; ) {
      long count = Math.min(length - at, inOnePiece(blocks.length, at, length - at));
      ranges.add(new MemoryRange(base + position(at), count));
      at += count;
    }
    return ranges;
  }

  /** Returns contiguous bytes from an offset on, at most so many. */
  public ByteBuffer piece(ObjectMemory memory, long offset, int most) {
    return heap != null
        ? ByteBuffer.wrap(heap, (int) offset, most).slice().asReadOnlyBuffer()
        : memory.read(
            position(offset), (int) Math.min(most, inOnePiece(blocks.length, offset, most)));
  }

  /** Moves bytes from the heap to the allocated memory of the pool: a slot, or the first block. */
  public void fill(ObjectMemory memory, byte[] bytes) {
    memory.write(position(0), MemorySegment.ofArray(bytes));
    heap = null;
  }

  public void free(ObjectMemory memory) {
    free(memory, blocks.length);
  }

  /** Frees its slot, or so many allocated blocks. */
  public void free(ObjectMemory memory, int count) {
    if (smallUnit != SmallArena.NONE) {
      memory.freeSmall(smallUnit);
      smallUnit = SmallArena.NONE;
    }
    memory.freeBlocks(blocks, count);
    blocks = NO_BLOCKS;
  }
}
