package dev.ebb.host.errors;

import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/** Logs one kind of event at most every ten seconds, so that a client cannot fill a disk. */
public final class LogThrottle {

  private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(10);

  private long nextNanos = System.nanoTime();
  private long omitted;

  /** Logs an event with the number of those omitted before it, or omits it too. */
  public void log(LongConsumer line) {
    long before;
    synchronized (this) {
      long now = System.nanoTime();
      if (now - nextNanos < 0) {
        omitted++;
        return;
      }
      nextNanos = now + PERIOD_NANOS;
      before = omitted;
      omitted = 0;
    }
    line.accept(before);
  }
}
