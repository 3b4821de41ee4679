package dev.ebb.host.disk.tier;

import dev.ebb.host.cache.stats.Histogram;
import dev.ebb.host.disk.DiskOutage;
import dev.ebb.host.disk.format.ReadBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that read from a disk. A read that is not done in time counts as a miss. After
 * several of them in a row, the disk is not read for a while.
 */
final class DiskReads implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(DiskReads.class);

  private static final int THREADS = 8;
  private static final int MOST_QUEUED = 1 << 12;
  private static final int MOST_LATE = 4;
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long CLOSE_MILLIS = TimeUnit.SECONDS.toMillis(2);

  private final String file;
  private final Duration timeout;
  private final BlockingQueue<Consumer<ReadBuffer>> queue = new ArrayBlockingQueue<>(MOST_QUEUED);
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicInteger lateInARow = new AtomicInteger();
  private volatile long pausedNanos;
  private volatile boolean paused;
  private volatile @Nullable DiskOutage outage;
  private volatile boolean closed;

  final LongAdder late = new LongAdder();

  /** Nanoseconds until a read was done, late ones too. Guarded by itself. */
  private final Histogram latency = new Histogram();

  DiskReads(String file, Duration timeout) {
    this.file = file;
    this.timeout = timeout;
    for (int i = 0; i < THREADS; i++) {
      Thread thread = new Thread(this::run, "disk-read-" + i);
      thread.setDaemon(true);
      threads.add(thread);
    }
  }

  void start() {
    threads.forEach(Thread::start);
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
    boolean queued =
        areInTime()
            && !closed
            && queue.offer(buffer -> {
              if (!result.isDone()) {
                complete(result, read, drop, buffer);
              }
            });
    if (!queued) {
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
      Consumer<T> drop,
      ReadBuffer buffer) {
    T value = null;
    try {
      value = read.apply(buffer);
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
    late.increment();
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

  private void run() {
    try (ReadBuffer buffer = new ReadBuffer()) {
      while (!closed) {
        Consumer<ReadBuffer> next = queue.poll(100, TimeUnit.MILLISECONDS);
        if (next != null) {
          next.accept(buffer);
        }
      }
    } catch (InterruptedException unexpected) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    closed = true;
    try {
      for (Thread thread : threads) {
        thread.join(CLOSE_MILLIS);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
