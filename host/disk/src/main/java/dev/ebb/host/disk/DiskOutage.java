package dev.ebb.host.disk;

/**
 * A time in which a disk is not used.
 *
 * @param since wall-clock milliseconds
 * @param reason why, for operators
 */
public record DiskOutage(long since, String reason) {

  /** Returns one that begins now. */
  public static DiskOutage now(String reason) {
    return new DiskOutage(System.currentTimeMillis(), reason);
  }
}
