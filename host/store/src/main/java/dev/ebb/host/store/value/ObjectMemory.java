package dev.ebb.host.store.value;

import dev.ebb.host.device.Device;
import dev.ebb.host.device.DeviceException;
import dev.ebb.host.device.FileRange;
import dev.ebb.host.device.Slab;
import dev.ebb.host.pool.KvPool;
import dev.ebb.host.pool.runs.RunAllocator;
import dev.ebb.host.units.ByteSize;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of all values: blocks of 64 KiB, not necessarily adjacent, and slots for small values.
 * The unit is 1 KiB. Not thread-safe, except for its bytes.
 */
public final class ObjectMemory implements AutoCloseable {

  public static final int UNIT_BYTES = 1 << 10;
  public static final int BLOCK_BYTES = 1 << 16;
  public static final int BLOCK_UNITS = BLOCK_BYTES / UNIT_BYTES;

  /** Half a block: the largest value that shares one. */
  public static final int SMALL_UNITS = BLOCK_UNITS / 2;

  /** Up to this size a key is charged with its value. */
  private static final int TOGETHER_UNITS = 4;

  private final Slab slab;

  /** The memory, if the JVM can reach it; null on a GPU, where bytes are copied. */
  private final @Nullable MemorySegment segment;

  private final long units;
  private final RunAllocator blocks;
  private final SmallArena small;

  public ObjectMemory(Device device, long bytes) {
    long count = bytes / BLOCK_BYTES;
    if (count < 1 || count > RunAllocator.MAX_BLOCKS) {
      throw new DeviceException(
          "a pool of '%s' would have '%d' blocks of %s, but needs 1 to %d; change ebb.pool.size"
              .formatted(
                  ByteSize.format(bytes),
                  count,
                  ByteSize.format(BLOCK_BYTES),
                  RunAllocator.MAX_BLOCKS));
    }
    units = count * BLOCK_UNITS;
    slab = device.reserve(count * BLOCK_BYTES);
    segment = slab.segment().orElse(null);
    blocks = new RunAllocator((int) count, KvPool.DEFAULT_SHORT_RUN);
    small = new SmallArena(blocks);
  }

  /**
   * Returns the charge of a value: units of one slot, or of whole blocks. A slot is as large as its
   * block has room for, cut into as many of them.
   *
   * @param beside its data on the heap: its key, an attachment. The first 1 KiB of that is free for
   *     a value above 4 KiB, so that one of 64 KiB takes one block, and one of 32 KiB half
   */
  public static long unitsFor(long length, long beside) {
    long together = Math.max(1, Math.ceilDiv(length + beside, UNIT_BYTES));
    if (together <= TOGETHER_UNITS) {
      return together;
    }
    long bytes = length + Math.max(0, beside - UNIT_BYTES);
    long units = Math.ceilDiv(bytes, UNIT_BYTES);
    return units <= SMALL_UNITS
        ? BLOCK_UNITS / (BLOCK_UNITS / units)
        : Math.ceilDiv(bytes, BLOCK_BYTES) * BLOCK_UNITS;
  }

  public long units() {
    return units;
  }

  public Optional<FileRange> shared() {
    return slab.shared();
  }

  public Optional<byte[]> ipcHandle() {
    return slab.ipcHandle();
  }

  public Device device() {
    return slab.device();
  }

  public long bytes() {
    return slab.bytes();
  }

  /** Returns the memory of bytes, to be written; null if they must be copied. */
  public @Nullable ByteBuffer place(long position, long bytes) {
    return segment == null ? null : segment.asSlice(position, bytes).asByteBuffer();
  }

  public void write(long position, MemorySegment from) {
    if (segment == null) {
      slab.write(position, from);
    } else {
      MemorySegment.copy(from, 0, segment, position, from.byteSize());
    }
  }

  /** Returns bytes to be read: the memory itself, or a copy if the JVM cannot reach it. */
  public ByteBuffer read(long position, int bytes) {
    ByteBuffer place = place(position, bytes);
    if (place != null) {
      return place;
    }
    byte[] copy = new byte[bytes];
    slab.read(position, MemorySegment.ofArray(copy));
    return ByteBuffer.wrap(copy);
  }

  /** Allocates the slot of a small value, or its next blocks, side by side if possible. */
  public boolean allocate(StoredValue value, int from, int count) {
    if (value.isSmall()) {
      value.smallUnit = small.allocate((int) value.units());
      return value.smallUnit != SmallArena.NONE;
    }
    int[] into = value.blocks;
    int first = blocks.allocate(count);
    if (first == RunAllocator.NONE) {
      return blocks.allocateScattered(into, from, count);
    }
    for (int i = 0; i < count; i++) {
      into[from + i] = first + i;
    }
    return true;
  }

  public void freeBlocks(int[] numbers, int count) {
    for (int first = 0; first < count; ) {
      int next = first + 1;
      while (next < count && numbers[next] == numbers[next - 1] + 1) {
        next++;
      }
      blocks.free(numbers[first], next - first);
      first = next;
    }
  }

  public void freeSmall(long unit) {
    small.free(unit);
  }

  public int freeBlocks() {
    return blocks.freeBlocks();
  }

  /** Returns the memory's own view of each block, on which values mark theirs. */
  public MemoryMap map(String name) {
    MemoryMap map = new MemoryMap(name, blocks.blocks());
    for (int block = 0; block < blocks.blocks(); block++) {
      if (blocks.isFree(block)) {
        map.set(block, MemoryUse.FREE);
      } else if (small.owns(block)) {
        map.set(block, MemoryUse.SMALL);
      }
    }
    return map;
  }

  public MemoryMap.Summary summary(String name) {
    return new MemoryMap.Summary(
        name,
        blocks.blocks(),
        blocks.freeBlocks(),
        small.pages(),
        BLOCK_BYTES,
        blocks.fragmentation(),
        blocks.largestRun());
  }

  @Override
  public void close() {
    slab.close();
  }
}
