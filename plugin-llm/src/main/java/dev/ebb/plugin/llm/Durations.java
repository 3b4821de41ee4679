package dev.ebb.plugin.llm;

import java.util.Arrays;

/** The last durations that were observed, in order, at most 1,000. */
final class Durations {

  private static final int MOST = 1_000;

  private long[] recent = new long[16];
  private long[] sorted = new long[16];
  private int size;
  private int oldest;

  int size() {
    return size;
  }

  void add(long nanos) {
    if (size == MOST) {
      int place = Arrays.binarySearch(sorted, 0, size, recent[oldest]);
      System.arraycopy(sorted, place + 1, sorted, place, size - place - 1);
      size--;
    } else if (size == recent.length) {
      int length = Math.min(2 * size, MOST);
      recent = Arrays.copyOf(recent, length);
      sorted = Arrays.copyOf(sorted, length);
    }
    recent[oldest] = nanos;
    oldest = (oldest + 1) % MOST;
    int found = Arrays.binarySearch(sorted, 0, size, nanos);
    int place = found < 0 ? -found - 1 : found;
    System.arraycopy(sorted, place, sorted, place + 1, size - place);
    sorted[place] = nanos;
    size++;
  }

  /**
   * Returns the time to wait that is worth most: the share of the durations that are not longer,
   * times the benefit, less the time itself.
   *
   * @param benefitNanos what is saved if the wait was long enough
   * @return 0 if no wait is worth its time; the shortest of equals
   */
  long bestWait(double benefitNanos) {
    long best = 0;
    double most = 0;
    for (int i = 0; i < size; i++) {
      double worth = (i + 1.0) / size * benefitNanos - sorted[i];
      if (worth > most) {
        most = worth;
        best = sorted[i];
      }
    }
    return best;
  }
}
