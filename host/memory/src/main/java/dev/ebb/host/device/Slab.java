package dev.ebb.host.device;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * One contiguous range of a device's memory. A block of {@code blockBytes} with the number {@code
 * id} lies at {@code address() + id * blockBytes}.
 *
 * <p>Every method returns when its bytes are in place. Thread-safe, except that callers must not
 * access the same bytes at the same time. Offsets and sizes that do not lie within the slab are
 * refused with {@link IndexOutOfBoundsException}, a closed slab with {@link IllegalStateException},
 * failures of the device with {@link DeviceException}.
 */
public interface Slab extends AutoCloseable {

  /** Returns the device that reserved the memory. */
  Device device();

  /** Returns the slab's size. */
  long bytes();

  /** Returns the address of the slab's first byte. */
  long address();

  /** Returns the whole memory, if the JVM can reach it; empty on a GPU. */
  Optional<MemorySegment> segment();

  /**
   * Returns the file through which other processes reach the memory.
   *
   * @return its range in the file; empty if the memory is of this process alone
   */
  default Optional<FileRange> shared() {
    return Optional.empty();
  }

  /**
   * Returns the handle with which other processes open the memory on the same GPU.
   *
   * @return the 64 bytes of a CUDA IPC handle; empty in host memory
   * @throws DeviceException if the driver does not export the memory
   */
  default Optional<byte[]> ipcHandle() {
    return Optional.empty();
  }

  /**
   * Copies whole blocks within the slab. No block may be both a source and a target, and no target
   * may be named twice, so the order does not matter.
   */
  void copyBlocks(BlockMoves moves, long blockBytes);

  /**
   * Reads a range into host memory.
   *
   * @param offset the first byte in the slab
   * @param target receives {@code target.byteSize()} bytes
   */
  void read(long offset, MemorySegment target);

  /**
   * Writes a range from host memory.
   *
   * @param offset the first byte in the slab
   * @param source provides {@code source.byteSize()} bytes
   */
  void write(long offset, MemorySegment source);

  /**
   * Copies a range to a slab of any device, or to another range of this one.
   *
   * @param bytes how many; the two ranges do not overlap
   */
  void transferTo(Slab target, long from, long to, long bytes);

  /**
   * Packs the kept tokens of one block table to its front, lane by lane. The bytes behind the last
   * kept token are unspecified afterwards.
   */
  void gatherTokens(TokenGather gather);

  /** Frees the memory. Closing twice does nothing. */
  @Override
  void close();
}
