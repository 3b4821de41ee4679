package dev.ebb.host.pool;

import dev.ebb.host.device.Slab;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Optional;

/** The bytes of a pool's blocks. Thread-safe. */
public final class BlockMemory {

  private final KvPool pool;
  private final Slab slab;
  private final long blockBytes;

  BlockMemory(KvPool pool, Slab slab) {
    this.pool = pool;
    this.slab = slab;
    blockBytes = pool.layout().blockBytes();
  }

  /**
   * Reads a block's bytes. Not ordered against a thread that writes the block.
   *
   * @param offset the first byte in the block
   * @param target receives its size in bytes
   */
  public void read(int block, long offset, MemorySegment target) {
    synchronized (pool.lock) {
      slab.read(place(block, offset, target.byteSize(), "read"), target);
    }
  }

  /**
   * Writes a block's bytes. Not for a shared block: see {@link KvPool#writable}.
   *
   * @param offset the first byte in the block
   * @param source provides its size in bytes
   */
  public void write(int block, long offset, MemorySegment source) {
    synchronized (pool.lock) {
      slab.write(place(block, offset, source.byteSize(), "written"), source);
    }
  }

  private long place(int block, long offset, long bytes, String what) {
    pool.checked.checkAllocated(block, what);
    Objects.checkFromIndexSize(offset, bytes, blockBytes);
    return block * blockBytes + offset;
  }

  /** Returns a block's address in its device's address space; valid while the block is pinned. */
  public long address(int block) {
    pool.checked.checkNumber(block);
    return slab.address() + block * blockBytes;
  }

  /**
   * Returns the memory itself, for kernels over many blocks. Block {@code id} begins at {@code id *
   * blockBytes}. The user must keep the blocks in place.
   */
  public Slab slab() {
    return slab;
  }

  /**
   * Returns a block's bytes, if the JVM can reach them; valid while the block is pinned.
   *
   * @return the block; empty on a GPU
   */
  public Optional<MemorySegment> segment(int block) {
    pool.checked.checkNumber(block);
    return slab.segment().map(memory -> memory.asSlice(block * blockBytes, blockBytes));
  }
}
