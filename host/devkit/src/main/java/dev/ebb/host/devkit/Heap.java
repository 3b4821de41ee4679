package dev.ebb.host.devkit;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** The heap of this process, in bytes. */
final class Heap {

  private Heap() {}

  /** Returns the live bytes: the minimum of several collections, because one may miss garbage. */
  static long used() {
    Runtime runtime = Runtime.getRuntime();
    long used = Long.MAX_VALUE;
    for (int i = 0; i < 4; i++) {
      System.gc();
      used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
    }
    return used;
  }

  /** Returns the bytes allocated by this thread so far; -1 if this JVM does not count them. */
  static long allocatedHere() {
    return ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads
            && threads.isThreadAllocatedMemorySupported()
        ? threads.getCurrentThreadAllocatedBytes()
        : -1;
  }
}
