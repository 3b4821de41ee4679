package dev.ebb.host.gpuverify;

import java.util.Arrays;

/** Runs a task often enough to measure its time. */
final class Timing {

  private static final int LEAST_RUNS = 5;
  private static final int MOST_RUNS = 200;

  private final long nanosecondsEach;

  Timing(boolean quick) {
    nanosecondsEach = quick ? 1_000_000 : 1_000_000_000;
  }

  /** Returns the median of several runs after a discarded one. */
  double seconds(Runnable work) {
    work.run();
    long[] runs = new long[MOST_RUNS];
    int count = 0;
    long begun = System.nanoTime();
    while (count < LEAST_RUNS
        || (count < MOST_RUNS && System.nanoTime() - begun < nanosecondsEach)) {
      long start = System.nanoTime();
      work.run();
      runs[count++] = System.nanoTime() - start;
    }
    Arrays.sort(runs, 0, count);
    return runs[count / 2] / 1e9;
  }
}
