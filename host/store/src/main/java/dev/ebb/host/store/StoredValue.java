package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.cache.CacheEntry;
import dev.ebb.host.store.key.ObjectKey;
import dev.ebb.spi.NodeList;
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
 * <p>As a node it is in the list of {@link LookupLeases} while a lookup holds it.
 */
final class StoredValue extends NodeList.Node<StoredValue> {

  static final long NEVER = Long.MAX_VALUE;

  private static final int[] NO_BLOCKS = {};

  final ObjectKey key;
  final long length;

  /** The pool memory charged for it; 0 for an attachment. */
  long units;

  /** The blocks of its bytes; while it is written, some at the end may not be allocated yet. */
  int[] blocks = NO_BLOCKS;

  /** The slot of a small value's bytes. */
  long smallUnit = SmallArena.NONE;

  /** The bytes of an attachment, or of a value that may become one; never changed in place. */
  byte @Nullable [] heap;

  /** Null until it is visible, once it has been removed, and for an attachment or a shard. */
  @Nullable CacheEntry entry;

  @Nullable StoredValue attachment;

  /** The other workers' values of its chunk. */
  List<StoredValue> shards = List.of();

  /** The owner of an attachment or a shard that has not been removed. */
  @Nullable StoredValue owner;

  EntryState state = EntryState.CREATING;

  int readers;

  /** Lookups whose read is awaited; 0 if it has no lease. */
  int lookups;

  /** The request that made it; null once the policy has received it, and if there is none. */
  @Nullable ObservedRequest request;

  /** Requests that found it last and have not been completed. */
  int holds;

  /** How often it was read, lately: it starts again after 255. */
  byte reads;

  /** The value before it in its chain, if that is resident. */
  @Nullable StoredValue parent;

  /** The key of the value before it, which is missing; none if there is none. */
  long predecessor = Predecessors.NONE;

  @Nullable StoredValue firstChild;

  // Siblings: values with the same (possibly absent) parent.
  @Nullable StoredValue nextSibling;
  @Nullable StoredValue previousSibling;

  /** The values of its request that follow the same parent in an order not known yet. */
  @Nullable List<StoredValue> group;

  /** Nothing before it is known to be missing. */
  boolean reachable = true;

  /** The end of its lease, by the clock of intervals; valid while it has one. */
  long leaseEnd;

  /** Operators' pins; empty for nearly all values. */
  List<PinNote> pins = List.of();

  /** Wall-clock milliseconds. */
  long expiresAt = NEVER;

  /** Set once, before it is visible. */
  long version;

  /** Its note in the expiry queue; null if it has none. */
  Lifetimes.@Nullable Note note;

  /** The owner of a pin, its start and its end, in wall-clock milliseconds. */
  record PinNote(String owner, long since, long expiresAt) {}

  StoredValue(ObjectKey key, long length, long units) {
    this.key = key;
    this.length = length;
    this.units = units;
  }

  /** Returns a copy on the heap, to be an attachment. */
  StoredValue heapCopy(ObjectMemory memory) {
    StoredValue copy = new StoredValue(key, length, 0);
    byte[] bytes = new byte[(int) length];
    memory.read(position(0), bytes.length).get(bytes);
    copy.heap = bytes;
    copy.expiresAt = expiresAt;
    copy.version = version;
    return copy;
  }

  /** Returns whether it is visible. */
  boolean visible() {
    return entry != null || owner != null;
  }

  /** Returns the unit of caching and eviction: the value itself, or what it belongs to. */
  StoredValue whole() {
    return owner == null ? this : owner.whole();
  }

  /** Returns whether it is the value of one more worker, of a chunk whose entry another one has. */
  boolean isShard() {
    return owner != null && units > 0;
  }

  /** Returns the weight of a visible value with its shards, in the pool's units. */
  int weight() {
    return requireNonNull(entry).blocks();
  }

  /** Returns the pool memory of a visible value with its shards. */
  long wholeBytes() {
    return weight() * (long) ObjectMemory.UNIT_BYTES;
  }

  /** Returns the first one that fits of this value and its shards; null if none does. */
  @Nullable StoredValue shard(Predicate<StoredValue> wanted) {
    if (wanted.test(this)) {
      return this;
    }
    for (StoredValue shard : shards) {
      if (wanted.test(shard)) {
        return shard;
      }
    }
    return null;
  }

  long chargedBytes() {
    return units * ObjectMemory.UNIT_BYTES;
  }

  /** Returns whether it takes a slot of the pool, not whole blocks. */
  boolean isSmall() {
    return units <= ObjectMemory.SMALL_UNITS;
  }

  /** Makes the list of blocks long enough for some more. */
  void expect(int count) {
    if (count > blocks.length) {
      long whole = units / ObjectMemory.BLOCK_UNITS;
      blocks = Arrays.copyOf(blocks, (int) Math.min(whole, Math.max(count, 2L * blocks.length)));
    }
  }

  /** Returns the position of a byte in the pool's memory. */
  long position(long offset) {
    return smallUnit != SmallArena.NONE
        ? smallUnit * ObjectMemory.UNIT_BYTES + offset
        : (long) blocks[(int) (offset / ObjectMemory.BLOCK_BYTES)] * ObjectMemory.BLOCK_BYTES
            + offset % ObjectMemory.BLOCK_BYTES;
  }

  /**
   * Returns how many bytes of the pool are contiguous from an offset on.
   *
   * @param count allocated blocks
   * @param most where to stop searching; the result may be more
   */
  long inOnePiece(int count, long offset, long most) {
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
  List<MemoryRange> ranges(long base) {
    List<MemoryRange> ranges = new ArrayList<>();
    for (long at = 0; at < length; ) {
      long count = Math.min(length - at, inOnePiece(blocks.length, at, length - at));
      ranges.add(new MemoryRange(base + position(at), count));
      at += count;
    }
    return ranges;
  }

  /** Returns contiguous bytes from an offset on, at most so many. */
  ByteBuffer piece(ObjectMemory memory, long offset, int most) {
    return heap != null
        ? ByteBuffer.wrap(heap, (int) offset, most).slice().asReadOnlyBuffer()
        : memory.read(
            position(offset), (int) Math.min(most, inOnePiece(blocks.length, offset, most)));
  }

  /** Moves bytes from the heap to the allocated memory of the pool: a slot, or the first block. */
  void fill(ObjectMemory memory, byte[] bytes) {
    memory.write(position(0), MemorySegment.ofArray(bytes));
    heap = null;
  }

  /**
   * Frees its memory in the pool.
   *
   * @param count allocated blocks
   */
  void free(ObjectMemory memory, int count) {
    if (smallUnit != SmallArena.NONE) {
      memory.freeSmall(smallUnit);
      smallUnit = SmallArena.NONE;
    }
    memory.freeBlocks(blocks, count);
    blocks = NO_BLOCKS;
  }
}
