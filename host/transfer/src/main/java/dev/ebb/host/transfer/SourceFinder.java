package dev.ebb.host.transfer;

import org.jspecify.annotations.Nullable;

/** Finds the values that a node sends. */
@FunctionalInterface
public interface SourceFinder {

  /**
   * Opens a value. Called on threads of the server, several at a time.
   *
   * @param key the value's key, up to 1 MiB
   * @param read whether a client of the other node reads it; true once for each value, not for its
   *     further parts
   * @return null if this node has no such value; otherwise the server closes it
   */
  @Nullable TransferSource open(byte[] key, boolean read);
}
