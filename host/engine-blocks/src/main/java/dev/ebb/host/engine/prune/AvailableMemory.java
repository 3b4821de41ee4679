package dev.ebb.host.engine.prune;

import dev.ebb.host.device.MemoryMonitor;

/**
 * A device's available memory, measured at most ten times a second, because a measurement costs
 * more than a step. Not thread-safe.
 */
public final class AvailableMemory {

  private static final long INTERVAL_NANOS = 100_000_000;

  private final MemoryMonitor monitor;
  private long seenAt;
  private long bytes;
  private boolean seen;

  /** Creates it without a measurement. */
  public AvailableMemory(MemoryMonitor monitor) {
    this.monitor = monitor;
  }

  /** Returns the available memory in bytes, as of the last measurement. */
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
