package dev.ebb.host.disk;

/**
 * Receives which values a disk has. Called in the order of the changes of a hash, while a part of
 * the index is locked: implementations return quickly.
 */
@FunctionalInterface
public interface DiskListener {

  DiskListener NONE = (hash, present) -> {};

  /**
   * Reports that a value can be read, or not any more; also of an announced one that is not added.
   */
  void changed(long hash, boolean present);
}
