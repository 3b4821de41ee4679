package dev.ebb.host.pool;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.device.DeviceException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/**
 * Copies the bytes of blocks from one pool to another in pieces, and resumes where a copy failed.
 * The caller ensures that no block moves or is written meanwhile. Run by one thread at a time;
 * others may read its progress.
 */
public final class BlockTransfer {

  private final KvPool source;
  private final KvPool target;
  private final boolean checksum;
  private volatile int copied;
  private volatile long nanos;

  /**
   * Creates a transfer that has not begun.
   *
   * @param target the pool to copy to, of the same layout
   * @param checksum whether each copy is read back and compared
   */
  public BlockTransfer(KvPool source, KvPool target, boolean checksum) {
    this.source = requireNonNull(source, "source is null");
    this.target = requireNonNull(target, "target is null");
    this.checksum = checksum;
  }

  /**
   * Copies the next blocks.
   *
   * @param from the blocks of the source, at each run in the same order
   * @param to the same number of blocks of the target
   * @param maxBytes stops before more bytes than these are copied, but not before one block
   * @throws DeviceException if a copy failed or differs from its source; the next run goes on with
   *     the block that failed
   */
  public void run(int[] from, int[] to, long maxBytes) {
    long bytes = source.layout().blockBytes();
    long start = System.nanoTime() - nanos;
    try {
      int end = (int) Math.min(from.length, copied + Math.max(1, maxBytes / bytes));
      for (int next = copied; next < end; next++) {
        source.slab().transferTo(target.slab(), from[next] * bytes, to[next] * bytes, bytes);
        if (checksum) {
          compare(from[next], to[next]);
        }
        copied = next + 1;
      }
    } finally {
      nanos = System.nanoTime() - start;
    }
  }

  /** Returns how many blocks have arrived. */
  public int copied() {
    return copied;
  }

  /** Returns its progress. */
  public MigrationReport report(int blocks, MigrationReport.State state) {
    int done = copied;
    return new MigrationReport(
        blocks, done, (long) done * source.layout().blockBytes(), nanos, state);
  }

  private void compare(int original, int copy) {
    long expected = checksum(source, original);
    long found = checksum(target, copy);
    if (expected != found) {
      throw new DeviceException(
          "block '%d' arrived on %s as '%d' with checksum '%08x' instead of '%08x'; run the migration again"
              .formatted(original, target.device().name(), copy, found, expected));
    }
  }

  private static long checksum(KvPool pool, int block) {
    int bytes = pool.layout().blockBytes();
    CRC32C crc = new CRC32C();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment copy = pool.slab().segment().orElse(null);
      if (copy == null) {
        copy = arena.allocate(bytes);
        pool.slab().read((long) block * bytes, copy);
      } else {
        copy = copy.asSlice((long) block * bytes, bytes);
      }
      crc.update(copy.asByteBuffer());
    }
    return crc.getValue();
  }
}
