package dev.ebb.host.pool;

import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Compacts a pool from time to time, in slices between which other threads get the pool's lock. */
public final class BackgroundCompaction implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(BackgroundCompaction.class);
  private static final long PAUSE_MILLIS = 1;

  private final KvPool pool;
  private final double threshold;
  private final Duration interval;
  private final Supplier<CompactionReport> slice;
  private final Thread thread;
  private volatile boolean closed;

  private BackgroundCompaction(
      KvPool pool, double threshold, Duration interval, Supplier<CompactionReport> slice) {
    this.pool = pool;
    this.threshold = threshold;
    this.interval = interval;
    this.slice = slice;
    thread =
        Thread.ofPlatform()
            .daemon()
            .name("ebb-compaction-" + pool.device().name())
            .unstarted(this::work);
  }

  /**
   * Starts the compaction.
   *
   * @param pool the pool to compact; it outlives this
   * @param threshold the fragmentation above which compaction begins and at which it stops, 0 to 1
   * @param sliceBytes the most bytes moved while the pool is locked, at least one block's
   */
  public static BackgroundCompaction start(
      KvPool pool, double threshold, Duration interval, long sliceBytes) {
    long bytes = Math.max(sliceBytes, pool.layout().blockBytes());
    return start(pool, threshold, interval, () -> pool.movement().compact(threshold, bytes));
  }

  /**
   * Starts the compaction with the caller's slices. The caller knows which blocks must not move.
   *
   * @param pool the pool to compact; it outlives this
   * @param threshold the fragmentation above which one slice follows another, 0 to 1
   */
  public static BackgroundCompaction start(
      KvPool pool, double threshold, Duration interval, Supplier<CompactionReport> slice) {
    BackgroundCompaction compaction = new BackgroundCompaction(pool, threshold, interval, slice);
    compaction.thread.start();
    return compaction;
  }

  private void work() {
    try {
      while (!closed) {
        round();
      }
    } catch (RuntimeException failed) {
      LOG.error("compaction stopped device={} reason={}", pool.device().name(), failed.toString());
    }
  }

  private void round() {
    try {
      Thread.sleep(interval);
      compact();
    } catch (InterruptedException closedOrPlugin) {
      // Only close() ends the thread: a plugin can interrupt any thread.
    }
  }

  private void compact() throws InterruptedException {
    long bytes = 0;
    CompactionReport report;
    double before = pool.stats().fragmentation();
    do {
      report = slice.get();
      bytes += report.bytesMoved();
      Thread.sleep(PAUSE_MILLIS);
      // A round that moves as many bytes as the pool holds makes no progress.
    } while (report.blocksMoved() > 0
        && bytes < (long) pool.blocks() * pool.layout().blockBytes()
        && report.fragmentationAfter() > threshold);
    if (bytes > 0) {
      LOG.info(
          "compacted device={} bytes={} fragmentation-before={} fragmentation-after={}",
          pool.device().name(),
          bytes,
          before,
          report.fragmentationAfter());
    }
  }

  /** Stops after the current slice. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
