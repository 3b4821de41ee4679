package dev.ebb.host.devkit;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** What this process holds and makes on its heap, in bytes. */
final class Heap {

  private Heap() {}

  /** What is alive: the least of several, as what is garbage now may not have been seen as such. */
  static long used() {
    Runtime runtime = Runtime.getRuntime();
    long used = Long.MAX_VALUE;
    for (int i = 0; i < 4; i++) {
      System.gc();
      used = Math.min(used, runtime.totalMemory() - runtime.freeMemory());
    }
    return used;
  }

  /** What this thread has allocated so far; -1 if this JVM cannot tell. */
  static long allocatedHere() {
    return ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads
            && threads.isThreadAllocatedMemorySupported()
        ? threads.getCurrentThreadAllocatedBytes()
        : -1;
  }
}
