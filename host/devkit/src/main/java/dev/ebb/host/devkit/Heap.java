package dev.ebb.host.devkit;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** The heap of this process, in bytes. */
final class Heap {

  private static final int MOST_COLLECTIONS = 4;

  private Heap() {}

  /**
   * Returns the live bytes: the minimum of several collections, because one may miss garbage. The
   * first one that finds no more is the last one.
   */
  static long used() {
    long used = usedAfterCollection();
    long next = usedAfterCollection();
    for (int i = 2; i < MOST_COLLECTIONS && next < used; i++) {
      used = next;
      next = usedAfterCollection();
    }
    return Math.min(used, next);
  }

  private static long usedAfterCollection() {
    Runtime runtime = Runtime.getRuntime();
    System.gc();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  /** Returns the bytes allocated by this thread so far; -1 if this JVM does not count them. */
  static long allocatedHere() {
    return ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads
            && threads.isThreadAllocatedMemorySupported()
        ? threads.getCurrentThreadAllocatedBytes()
        : -1;
  }
}
