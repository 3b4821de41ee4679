package dev.ebb.host.evictionlog;

import dev.ebb.host.errors.UserError;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes every eviction and every run of evictions to a file, from a thread of its own that reads
 * the bounded logs: what the file cannot take in time is left out and counted, never waited for.
 */
public final class EvictionFile implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(EvictionFile.class);
  private static final long INTERVAL_MILLIS = 200;
  private static final long TIMEOUT_MILLIS = 2_000;

  private final EvictionCursor evictions;
  private final PassCursor passes;
  private final long blockBytes;
  private final RollingFile file;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final Thread thread;
  private long missed;

  private EvictionFile(EvictionSource source, RollingFile file) {
    this.file = file;
    evictions = EvictionCursor.atEnd(source.log());
    passes = new PassCursor(source.log());
    blockBytes = source.blockBytes();
    thread = Thread.ofPlatform().name("eviction-log").daemon().unstarted(this::run);
  }

  /**
   * Starts to write.
   *
   * @param source what leaves
   * @param file where to
   * @return a writer of everything that leaves from now on
   * @throws UserError if the file cannot be written
   */
  public static EvictionFile start(EvictionSource source, LogFile file) {
    EvictionFile writer = new EvictionFile(source, new RollingFile(file));
    writer.thread.start();
    return writer;
  }

  boolean troubled() {
    return file.troubled();
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

  /** Waits a while. A plugin can interrupt any thread, which ends nothing here. */
  private boolean isOver() {
    try {
      return stopping.await(INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException byAPlugin) {
      return stopping.getCount() == 0;
    }
  }

  private void write() {
    evictions.read().forEach(record -> file.write(EvictionLine.of(record, blockBytes)));
    passes.read().forEach(pass -> file.write(EvictionLine.of(pass, blockBytes)));
    if (evictions.missed() > missed) {
      LOG.warn("eviction log left some out count={}", evictions.missed() - missed);
      missed = evictions.missed();
    }
  }

  /** Writes what has left so far, and ends. A disk that hangs is not waited for. */
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
