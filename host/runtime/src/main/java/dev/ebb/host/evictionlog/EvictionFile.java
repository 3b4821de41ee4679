package dev.ebb.host.evictionlog;

import dev.ebb.host.cache.index.EvictionLog;
import dev.ebb.host.errors.UserError;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes every eviction and eviction run to a file, on its own thread. It reads the bounded logs,
 * so evictions never wait for the file. Evictions that the file cannot take in time are dropped and
 * counted.
 */
public final class EvictionFile implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(EvictionFile.class);
  private static final long INTERVAL_MILLIS = 200;
  private static final long TIMEOUT_MILLIS = 2_000;

  private final EvictionCursor evictions;
  private final PassCursor passes;
  private final RollingFile file;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final Thread thread;
  private long missed;

  private EvictionFile(EvictionLog log, RollingFile file) {
    this.file = file;
    evictions = EvictionCursor.atEnd(log);
    passes = new PassCursor(log);
    thread = Thread.ofPlatform().name("eviction-log").daemon().unstarted(this::run);
  }

  /**
   * Starts the writer.
   *
   * @param log the evictions
   * @param file the log file
   * @return a writer of all evictions from now on
   * @throws UserError if the file cannot be written
   */
  public static EvictionFile start(EvictionLog log, LogFile file) {
    EvictionFile writer = new EvictionFile(log, new RollingFile(file));
    writer.thread.start();
    return writer;
  }

  private void run() {
    try {
      while (!isOver()) {
        write();
      }
      write();
    } finally {
      file.close();
    }
  }

  /**
   * Waits for the next round and returns whether the writer is closed. An interrupt does not end
   * the writer, because a plugin can interrupt any thread.
   */
  private boolean isOver() {
    try {
      return stopping.await(INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException byAPlugin) {
      return stopping.getCount() == 0;
    }
  }

  private void write() {
    evictions.read().forEach(record -> file.write(EvictionLine.of(record)));
    passes.read().forEach(pass -> file.write(EvictionLine.of(pass)));
    if (evictions.missed() > missed) {
      LOG.warn("eviction log left some out count={}", evictions.missed() - missed);
      missed = evictions.missed();
    }
  }

  /** Writes the remaining evictions and stops. Does not wait for a disk that hangs. */
  @Override
  public void close() {
    stopping.countDown();
    try {
      thread.join(TIMEOUT_MILLIS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    if (thread.isAlive()) {
      thread.interrupt();
    }
  }
}
