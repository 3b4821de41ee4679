package dev.ebb.host.transfer;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Delays the parts of background transfers: while reads are in progress, up to a limit, and to keep
 * the rate. After parts have waited that long, none waits for reads for as long again: otherwise
 * endless reads would let only a few small values per second pass. Bytes are charged as they
 * arrive; the next part waits until the debt is paid.
 */
final class BackgroundPacer {

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final int SMALLEST_PART = 256 << 10;
  private static final int LARGEST_PART = 4 << 20;

  private final long waitNanos;
  private final LongSupplier clock;
  private long rate;
  private long paidAt;
  private int reads;

  private int waiting;

  /** Until this time no part waits for reads. */
  private long freeUntil;

  /**
   * Creates a pacer of bytes per second, 0 for no limit; each part waits for reads only so long.
   */
  BackgroundPacer(long rate, long waitNanos, LongSupplier clock) {
    this.rate = rate;
    this.waitNanos = waitNanos;
    this.clock = clock;
    paidAt = clock.getAsLong();
    freeUntil = paidAt;
  }

  synchronized void rate(long bytesPerSecond) {
    rate = bytesPerSecond;
    paidAt = clock.getAsLong();
    notifyAll();
  }

  synchronized void readStarted() {
    reads++;
  }

  synchronized void readEnded() {
    reads--;
    if (reads == 0) {
      notifyAll();
    }
  }

  /** Returns the bytes of a part: little enough that each part takes at most a quarter second. */
  synchronized int part() {
    return rate == 0 ? LARGEST_PART : Math.clamp(rate / 4, SMALLEST_PART, LARGEST_PART);
  }

  /** Waits until a part of a background transfer may start, or a time limit ends. */
  synchronized void await(long deadline) throws InterruptedException {
    long start = clock.getAsLong();
    while (true) {
      long now = clock.getAsLong();
      long wait = Math.min(delay(now, start), deadline - now);
      if (wait <= 0) {
        started(now, start);
        return;
      }
      waiting++;
      try {
        TimeUnit.NANOSECONDS.timedWait(this, wait);
      } finally {
        waiting--;
      }
    }
  }

  /** Notes that a part starts that has waited since a time. */
  synchronized void started(long now, long since) {
    if (reads > 0 && now - since >= waitNanos) {
      freeUntil = now + waitNanos;
    }
  }

  synchronized int waiting() {
    return waiting;
  }

  /** Returns how long a part that has waited since a time must still wait. */
  synchronized long delay(long now, long since) {
    boolean free = reads == 0 || freeUntil - now > 0;
    long forReads = free ? 0 : since + waitNanos - now;
    return Math.max(forReads, rate == 0 ? 0 : paidAt - now);
  }

  synchronized void charge(long bytes) {
    if (rate > 0) {
      long now = clock.getAsLong();
      long from = paidAt - now < 0 ? now : paidAt;
      paidAt = from + (long) ((double) bytes / rate * SECOND);
    }
  }
}
