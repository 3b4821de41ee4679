package dev.ebb.host.engine;

import dev.ebb.host.device.MemoryMonitor;

/**
 * A device's available memory, looked up ten times a second at most: a look costs more than a step.
 * Not safe for use by many threads.
 */
public final class AvailableMemory {

  private static final long INTERVAL_NANOS = 100_000_000;

  private final MemoryMonitor monitor;
  private long seenAt;
  private long bytes;
  private boolean seen;

  /**
   * Nothing looked up yet.
   *
   * @param monitor who looks
   */
  public AvailableMemory(MemoryMonitor monitor) {
    this.monitor = monitor;
  }

  /**
   * The memory that could be had.
   *
   * @return bytes, as of the last look
   */
  public long bytes() {
    long now = System.nanoTime();
    if (!seen || now - seenAt > INTERVAL_NANOS) {
      bytes = monitor.availableBytes();
      seenAt = now;
      seen = true;
    }
    return bytes;
  }
}
