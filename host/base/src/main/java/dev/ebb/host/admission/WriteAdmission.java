package dev.ebb.host.admission;

/**
 * Decides which of the values that memory evicts are written to the disk. The server and replays
 * use the same ones.
 */
public interface WriteAdmission {

  boolean admits(EvictedUse value);

  /** Reports a written value, if only because values behind it are on the disk; bytes or blocks. */
  default void written(long size) {}

  /** Reports that a value which may have been evicted is requested, or stored, again. */
  default void requested(long key) {}
}
