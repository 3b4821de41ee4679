package dev.ebb.host.transfer;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A value that a node can send. Its bytes do not change until it is closed. One thread uses it; a
 * value that is sent over several connections is opened once for each part.
 */
public interface TransferSource extends AutoCloseable {

  /** Returns the same header for all calls. */
  ValueHeader header();

  /**
   * Returns bytes of the value, as a direct buffer for a transfer without a copy.
   *
   * @param offset the first byte, less than the length
   * @param most the most bytes to return, at least 1
   * @return at least one byte, valid until the source is closed, in a buffer whose position the
   *     caller may move; empty if the value is not readable any more
   */
  ByteBuffer piece(long offset, int most);

  @Override
  void close();

  /** Finds the values that a node sends. */
  @FunctionalInterface
  interface Finder {

    /**
     * Opens a value. Called on threads of the server, several at a time.
     *
     * @param key the value's key, up to 1 MiB
     * @param read whether a client of the other node reads it; true once for each value, not for
     *     its further parts
     * @return null if this node has no such value; otherwise the server closes it
     */
    @Nullable TransferSource open(byte[] key, boolean read);
  }
}
