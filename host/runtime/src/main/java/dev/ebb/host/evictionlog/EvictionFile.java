package dev.ebb.host.evictionlog;

import dev.ebb.host.cache.index.EvictionLog;
import dev.ebb.host.cache.stats.EvictionPass;
import dev.ebb.host.config.EvictionLogConfig;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.lifecycle.Ticker;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes every eviction and eviction run to a file, on its own thread. It reads the bounded logs,
 * so evictions never wait for the file. Evictions that the file cannot take in time are dropped and
 * counted.
 */
public final class EvictionFile implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(EvictionFile.class);
  private static final Duration INTERVAL = Duration.ofMillis(200);
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  private final EvictionLog log;
  private final EvictionCursor evictions;
  private final RollingFile file;
  private final Ticker ticker;

  /** Passes have no sequence numbers. */
  private @Nullable EvictionPass lastPass;

  private long missed;

  private EvictionFile(EvictionLog log, RollingFile file) {
    this.log = log;
    this.file = file;
    evictions = EvictionCursor.atEnd(log);
    lastPass = log.passes(1).stream().findFirst().orElse(null);
    ticker = new Ticker("eviction-log", INTERVAL, this::write);
  }

  /**
   * Starts a writer of all evictions from now on.
   *
   * @throws UserError if the file cannot be written
   */
  public static EvictionFile start(EvictionLog log, EvictionLogConfig file) {
    return new EvictionFile(log, new RollingFile(file));
  }

  private void write() {
    evictions.read().forEach(record -> file.write(EvictionLine.of(record)));
    newPasses().forEach(pass -> file.write(EvictionLine.of(pass)));
    if (evictions.missed() > missed) {
      LOG.warn("eviction log left some out count={}", evictions.missed() - missed);
      missed = evictions.missed();
    }
  }

  private List<EvictionPass> newPasses() {
    List<EvictionPass> passes = log.passes(Integer.MAX_VALUE);
    int from = passes.size();
    while (from > 0 && passes.get(from - 1) != lastPass) {
      from--;
    }
    lastPass = passes.isEmpty() ? lastPass : passes.getLast();
    return passes.subList(from, passes.size());
  }

  /** Writes the remaining evictions and stops. Does not wait for a disk that hangs. */
  @Override
  public void close() {
    ticker.close(this::writeRest, TIMEOUT);
  }

  private void writeRest() {
    try {
      write();
    } finally {
      file.close();
    }
  }
}
