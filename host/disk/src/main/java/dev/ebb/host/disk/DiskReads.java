package dev.ebb.host.disk;

import dev.ebb.host.cache.stats.Histogram;
import dev.ebb.host.disk.format.ReadBuffer;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that read from a file: a disk that hangs must not occupy those of others. A read that
 * is not done in time counts as a miss. After several of them in a row, the disk is not read for a
 * while.
 */
final class DiskReads implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(DiskReads.class);

  private static final int THREADS = 8;
  private static final int MOST_QUEUED = 1 << 12;
  private static final int MOST_LATE = 4;
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long CLOSE_SECONDS = 10;

  /** The buffer of a thread. */
  private static final ScopedValue<ReadBuffer> BUFFER = ScopedValue.newInstance();

  private final String file;
  private final Duration timeout;
  private final DiskCounters counters;
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          THREADS,
          THREADS,
          0,
          TimeUnit.NANOSECONDS,
          new ArrayBlockingQueue<>(MOST_QUEUED),
          DiskReads::thread);
  private final AtomicInteger lateInARow = new AtomicInteger();
  private volatile long pausedNanos;
  private volatile boolean paused;
  private volatile @Nullable DiskOutage outage;

  /** Nanoseconds until a read was done, late ones too. Guarded by itself. */
  private final Histogram latency = new Histogram();

  DiskReads(String file, Duration timeout, DiskCounters counters) {
    this.file = file;
    this.timeout = timeout;
    this.counters = counters;
  }

  private static Thread thread(Runnable reads) {
    return Thread.ofPlatform()
        .daemon()
        .name("disk-read")
        .unstarted(() -> {
          try (ReadBuffer buffer = new ReadBuffer()) {
            ScopedValue.where(BUFFER, buffer).run(reads);
          }
        });
  }

  /** Returns whether the disk should be read: it has answered in time lately. */
  boolean areInTime() {
    return !paused || System.nanoTime() - pausedNanos > PAUSE_NANOS;
  }

  /** Returns why the disk is not read now; null if it is. */
  @Nullable DiskOutage outage() {
    return areInTime() ? null : outage;
  }

  Histogram latency() {
    synchronized (latency) {
      return latency.copy();
    }
  }

  private void took(long nanos) {
    synchronized (latency) {
      latency.add(nanos);
    }
  }

  /**
   * Completes with the result of a read by one of the threads; if that is late, it completes with
   * null, and the result is dropped.
   */
  <T> CompletableFuture<@Nullable T> read(
      Function<ReadBuffer, @Nullable T> read, Consumer<T> drop) {
    long begun = System.nanoTime();
    CompletableFuture<@Nullable T> result = new CompletableFuture<>();
    if (!areInTime()) {
      return CompletableFuture.completedFuture(null);
    }
    try {
      threads.execute(() -> {
        if (!result.isDone()) {
          complete(result, read, drop);
        }
      });
    } catch (RejectedExecutionException fullOrClosed) {
      return CompletableFuture.completedFuture(null);
    }
    return result
        .orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
        .handle((value, failure) -> {
          took(System.nanoTime() - begun);
          if (failure != null) {
            late();
          }
          return value;
        });
  }

  private <T> void complete(
      CompletableFuture<@Nullable T> result,
      Function<ReadBuffer, @Nullable T> read,
      Consumer<T> drop) {
    T value = null;
    try {
      value = read.apply(BUFFER.get());
    } catch (RuntimeException failed) {
      LOG.warn("value not read from the disk reason=\"{}\"", failed.toString());
    }
    if (result.complete(value)) {
      inTime();
    } else if (value != null) {
      drop.accept(value);
    }
  }

  private void inTime() {
    if (lateInARow.get() > 0) {
      lateInARow.set(0);
    }
    if (paused) {
      paused = false;
      LOG.info("disk tier is read again file={}", file);
    }
  }

  private void late() {
    counters.lateReads.increment();
    if (lateInARow.incrementAndGet() >= MOST_LATE) {
      pausedNanos = System.nanoTime();
      if (!paused) {
        paused = true;
        outage = DiskOutage.now("reads take longer than " + timeout.toMillis() + " ms");
        LOG.error(
            "disk tier not read file={} reason=\"reads take longer than {} ms\"; memory serves on,"
                + " and the disk is tried again every {} seconds",
            file,
            timeout.toMillis(),
            TimeUnit.NANOSECONDS.toSeconds(PAUSE_NANOS));
      }
    }
  }

  @Override
  public void close() {
    threads.shutdown();
    threads.getQueue().clear();
    try {
      var _ = threads.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
