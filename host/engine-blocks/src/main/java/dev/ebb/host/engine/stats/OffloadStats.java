package dev.ebb.host.engine.stats;

/**
 * The counters of offloaded sequences since the start.
 *
 * @param stored preempted sequences whose K and V a server has stored
 * @param loaded sequences whose K and V were read back
 * @param failed attempts to store or to read back that failed or took too long
 */
public record OffloadStats(
    long stored, long storedBytes, long loaded, long loadedBytes, long failed) {

  public static final OffloadStats NONE = new OffloadStats(0, 0, 0, 0, 0);
}
