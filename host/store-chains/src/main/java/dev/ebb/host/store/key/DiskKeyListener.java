package dev.ebb.host.store.key;

/**
 * Receives which values are on the disk of this node. A value is announced with its key, and
 * reported by a number afterwards, because the disk does not keep keys in memory. Implementations
 * return quickly.
 */
public interface DiskKeyListener {

  DiskKeyListener NONE = new DiskKeyListener() {};

  /** Reports that a value is about to be written. */
  default void announced(long number, byte[] key) {}

  default void stored(long number) {}

  default void removed(long number) {}
}
