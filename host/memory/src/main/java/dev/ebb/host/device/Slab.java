package dev.ebb.host.device;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * One contiguous range of a device's memory. A block of {@code blockBytes} with the number {@code
 * id} lies at {@code address() + id * blockBytes}.
 *
 * <p>Every method returns when its bytes are in place. Methods may be called by many threads; who
 * may touch which bytes when is for the callers to agree on. Offsets and sizes that do not lie
 * within the slab are refused with {@link IndexOutOfBoundsException}, a closed slab with {@link
 * IllegalStateException}, failures of the device with {@link DeviceException}.
 */
public interface Slab extends AutoCloseable {

  /**
   * Where the memory is.
   *
   * @return the device that reserved it
   */
  Device device();

  /**
   * The slab's size.
   *
   * @return bytes
   */
  long bytes();

  /**
   * The slab's first byte.
   *
   * @return a pointer in the device's address space
   */
  long address();

  /**
   * The bytes, where the JVM can reach them.
   *
   * @return the whole slab; empty on a GPU
   */
  Optional<MemorySegment> segment();

  /**
   * Copies whole blocks within the slab. No block may be both a source and a target, and no target
   * may be named twice, so the order does not matter.
   *
   * @param moves which blocks go where
   * @param blockBytes the size of a block
   */
  void copyBlocks(BlockMoves moves, long blockBytes);

  /**
   * Reads into host memory, of any size.
   *
   * @param offset where in the slab to start
   * @param target receives {@code target.byteSize()} bytes
   */
  void read(long offset, MemorySegment target);

  /**
   * Writes from host memory, of any size.
   *
   * @param offset where in the slab to start
   * @param source provides {@code source.byteSize()} bytes
   */
  void write(long offset, MemorySegment source);

  /**
   * Copies to a slab of any device, another range of the same slab included.
   *
   * @param target the other slab
   * @param from where to start here
   * @param to where to start there
   * @param bytes how many; the two ranges do not overlap
   */
  void transferTo(Slab target, long from, long to, long bytes);

  /**
   * Packs the kept tokens of one block table to its front, lane by lane. What lies behind the last
   * kept token is unspecified afterwards.
   *
   * @param gather which tokens of which blocks
   */
  void gatherTokens(TokenGather gather);

  /** Frees the memory. Closing twice does nothing. */
  @Override
  void close();
}
