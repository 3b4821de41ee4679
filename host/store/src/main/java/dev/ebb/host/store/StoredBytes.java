package dev.ebb.host.store;

import static java.util.Objects.requireNonNull;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The bytes of one value: in the pool, or on the heap for an attachment. */
final class StoredBytes {

  static final StoredBytes NOWHERE = new StoredBytes(new int[0], SmallArena.NONE);

  final int[] blocks;
  final long smallUnit;
  private final byte @Nullable [] heap;

  StoredBytes(int[] blocks, long smallUnit) {
    this.blocks = blocks;
    this.smallUnit = smallUnit;
    heap = null;
  }

  /** Creates bytes that take nothing of the pool; not to be changed. */
  StoredBytes(byte[] heap) {
    blocks = new int[0];
    smallUnit = SmallArena.NONE;
    this.heap = heap;
  }

  /** Returns contiguous bytes from an offset on, at most so many. */
  ByteBuffer piece(ObjectMemory memory, long offset, int most) {
    if (heap != null) {
      return ByteBuffer.wrap(heap, (int) offset, most).slice().asReadOnlyBuffer();
    }
    if (smallUnit != SmallArena.NONE) {
      return memory
          .segment()
          .asSlice(smallUnit * ObjectMemory.UNIT_BYTES + offset, most)
          .asByteBuffer();
    }
    long start =
        (long) blocks[(int) (offset / ObjectMemory.BLOCK_BYTES)] * ObjectMemory.BLOCK_BYTES
            + offset % ObjectMemory.BLOCK_BYTES;
    long bytes = Math.min(most, inOnePiece(blocks, blocks.length, offset, most));
    return memory.segment().asSlice(start, bytes).asByteBuffer();
  }

  /**
   * Returns how many bytes are contiguous from an offset on.
   *
   * @param most where to stop searching; the result may be more
   */
  static long inOnePiece(int[] blocks, int count, long offset, long most) {
    int index = (int) (offset / ObjectMemory.BLOCK_BYTES);
    long bytes = ObjectMemory.BLOCK_BYTES - offset % ObjectMemory.BLOCK_BYTES;
    while (bytes < most && index + 1 < count && blocks[index + 1] == blocks[index] + 1) {
      bytes += ObjectMemory.BLOCK_BYTES;
      index++;
    }
    return bytes;
  }

  /** Copies bytes on the heap to a slot of the pool. */
  StoredBytes copy(ObjectMemory memory, long unit) {
    StoredBytes copy = new StoredBytes(new int[0], unit);
    copy.fill(memory, requireNonNull(heap));
    return copy;
  }

  /** Fills a slot, or the beginning of the first block. */
  void fill(ObjectMemory memory, byte[] content) {
    slot(memory, content.length).put(content);
  }

  /** Copies bytes of a slot or of one block to the heap. */
  byte[] toArray(ObjectMemory memory, long length) {
    byte[] array = new byte[(int) length];
    slot(memory, array.length).get(array);
    return array;
  }

  private ByteBuffer slot(ObjectMemory memory, int bytes) {
    // A long key, or a small heap, can make a small value take whole blocks.
    long start =
        smallUnit == SmallArena.NONE
            ? (long) blocks[0] * ObjectMemory.BLOCK_BYTES
            : smallUnit * ObjectMemory.UNIT_BYTES;
    return memory.segment().asSlice(start, bytes).asByteBuffer();
  }

  void free(ObjectMemory memory) {
    if (smallUnit != SmallArena.NONE) {
      memory.freeSmall(smallUnit);
    }
    memory.freeBlocks(blocks, blocks.length);
  }
}
