package dev.ebb.host.engine;

import dev.ebb.host.device.MemoryMonitor;

/** A device's available memory, looked up now and then: a look costs more than a step. */
final class AvailableMemory {

  private static final long INTERVAL_NANOS = 100_000_000;

  private final MemoryMonitor monitor;
  private long seenAt;
  private long bytes;
  private boolean seen;

  AvailableMemory(MemoryMonitor monitor) {
    this.monitor = monitor;
  }

  long bytes() {
    long now = System.nanoTime();
    if (!seen || now - seenAt > INTERVAL_NANOS) {
      bytes = monitor.availableBytes();
      seenAt = now;
      seen = true;
    }
    return bytes;
  }
}
