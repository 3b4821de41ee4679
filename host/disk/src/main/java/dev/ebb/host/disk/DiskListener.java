package dev.ebb.host.disk;

/**
 * Receives which values a disk has. Called in the order of the changes of a hash, while a part of
 * the index is locked: implementations return quickly.
 */
@FunctionalInterface
public interface DiskListener {

  /** Ignores everything. */
  DiskListener NONE = (hash, present) -> {};

  /**
   * Reports that a value can be read, or not any more, whatever the cause. That one was announced
   * and is not added is reported as well.
   *
   * @param hash that of its key
   */
  void changed(long hash, boolean present);
}
