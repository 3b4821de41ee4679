package dev.ebb.testkit;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** Measures the bytes that a call allocates. */
final class Garbage {

  private static final int WARM_UP = 300;
  private static final int MEASURED = 50;

  private Garbage() {}

  /** Returns the bytes that a warm call allocates at least; -1 if this JVM cannot measure it. */
  static long perCall(Runnable call) {
    if (!(ManagementFactory.getThreadMXBean() instanceof ThreadMXBean threads)
        || !threads.isThreadAllocatedMemorySupported()) {
      return -1;
    }
    for (int i = 0; i < WARM_UP; i++) {
      call.run();
    }
    long least = Long.MAX_VALUE;
    for (int i = 0; i < MEASURED; i++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      call.run();
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return least;
  }
}
