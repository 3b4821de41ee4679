package dev.ebb.host.pool;

import dev.ebb.host.lifecycle.Ticker;
import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Compacts a pool from time to time, in slices between which other threads get the pool's lock. */
public final class BackgroundCompaction implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(BackgroundCompaction.class);
  private static final long PAUSE_MILLIS = 1;
  private static final Duration LONGEST_SLICE = Duration.ofMinutes(1);

  private final KvPool pool;
  private final double threshold;
  private final Supplier<CompactionReport> slice;
  private final Ticker ticker;

  /**
   * Starts the compaction with the caller's slices. The caller knows which blocks must not move.
   *
   * @param pool the pool to compact; it outlives this
   * @param threshold the fragmentation above which one slice follows another, 0 to 1
   */
  public BackgroundCompaction(
      KvPool pool, double threshold, Duration interval, Supplier<CompactionReport> slice) {
    this.pool = pool;
    this.threshold = threshold;
    this.slice = slice;
    ticker = new Ticker("ebb-compaction-" + pool.device().name(), interval, this::compact);
  }

  private void compact() {
    long bytes = 0;
    CompactionReport report;
    double before = pool.stats().fragmentation();
    do {
      report = slice.get();
      bytes += report.bytesMoved();
    } while (report.blocksMoved() > 0
        // A round that moves as many bytes as the pool holds makes no progress.
        && bytes < (long) pool.blocks() * pool.layout().blockBytes()
        && report.fragmentationAfter() > threshold
        && pause());
    if (bytes > 0) {
      LOG.info(
          "compacted device={} bytes={} fragmentation-before={} fragmentation-after={}",
          pool.device().name(),
          bytes,
          before,
          report.fragmentationAfter());
    }
  }

  private static boolean pause() {
    try {
      Thread.sleep(PAUSE_MILLIS);
      return true;
    } catch (InterruptedException closedOrPlugin) {
      return false;
    }
  }

  /** Stops after the current slice. */
  @Override
  public void close() {
    ticker.close(LONGEST_SLICE);
  }
}
