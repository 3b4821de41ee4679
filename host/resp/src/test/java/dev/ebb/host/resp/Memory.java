package dev.ebb.host.resp;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;

/** What the process uses beside the pool. */
final class Memory {

  /** What comes and goes without meaning: caches of buffers, classes, other threads. */
  static final long NOISE = 16 << 20;

  private Memory() {}

  /** Objects in use. */
  static long heapBytes() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  /** Buffers of connections, those in caches included. */
  static long directBytes() {
    return ((ByteBufAllocatorMetricProvider) ByteBufAllocator.DEFAULT).metric().usedDirectMemory();
  }
}
