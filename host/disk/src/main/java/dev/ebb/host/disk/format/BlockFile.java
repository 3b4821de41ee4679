package dev.ebb.host.disk.format;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A file or block device that is read and written at positions. All calls of a log go through it,
 * so that tests can inject faults. Positions, sizes and memory addresses are multiples of {@link
 * DiskFormat#ALIGNMENT}.
 */
public interface BlockFile extends AutoCloseable {

  @FunctionalInterface
  interface Opener {

    /** Opens the file. If that fails, trying again later may help. */
    BlockFile open() throws IOException;
  }

  /** Fills the buffer from a position on; bytes after the end of the file are zero. */
  void read(ByteBuffer target, long position) throws IOException;

  /** Writes all remaining bytes of the buffer. */
  void write(ByteBuffer source, long position) throws IOException;

  /** Returns when everything written before survives a loss of power. */
  void force() throws IOException;

  /** Returns the size in bytes; 0 for a file that was just created. */
  long size() throws IOException;

  /** Sets the size of a file that is smaller; a block device stays as it is. */
  void extend(long bytes) throws IOException;

  /** Returns whether the page cache of the operating system is bypassed. */
  boolean isDirect();

  @Override
  void close();
}
