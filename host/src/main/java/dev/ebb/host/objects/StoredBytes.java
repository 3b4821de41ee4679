package dev.ebb.host.objects;

import java.nio.ByteBuffer;

/** Where the bytes of one value lie. */
final class StoredBytes {

  static final StoredBytes NOWHERE = new StoredBytes(new int[0], SmallArena.NONE);

  final int[] blocks;
  final long smallUnit;

  StoredBytes(int[] blocks, long smallUnit) {
    this.blocks = blocks;
    this.smallUnit = smallUnit;
  }

  /** Bytes that lie in one piece from an offset on, at most so many. */
  ByteBuffer piece(ObjectMemory memory, long offset, int most) {
    if (smallUnit != SmallArena.NONE) {
      return memory
          .segment()
          .asSlice(smallUnit * ObjectMemory.UNIT_BYTES + offset, most)
          .asByteBuffer();
    }
    int index = (int) (offset / ObjectMemory.BLOCK_BYTES);
    int inBlock = (int) (offset % ObjectMemory.BLOCK_BYTES);
    long start = (long) blocks[index] * ObjectMemory.BLOCK_BYTES + inBlock;
    int bytes = ObjectMemory.BLOCK_BYTES - inBlock;
    while (bytes < most && index + 1 < blocks.length && blocks[index + 1] == blocks[index] + 1) {
      bytes += ObjectMemory.BLOCK_BYTES;
      index++;
    }
    return memory.segment().asSlice(start, Math.min(bytes, most)).asByteBuffer();
  }

  void free(ObjectMemory memory) {
    if (smallUnit != SmallArena.NONE) {
      memory.freeSmall(smallUnit);
    }
    memory.freeBlocks(blocks, blocks.length);
  }
}
