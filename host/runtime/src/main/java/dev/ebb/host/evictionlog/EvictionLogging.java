package dev.ebb.host.evictionlog;

import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.EvictionLogConfig;
import org.jspecify.annotations.Nullable;

/** Writes evictions to a file while the configuration says so. */
public final class EvictionLogging implements AutoCloseable {

  private final EvictionSource source;
  private @Nullable EvictionFile file;

  /**
   * Logging that has not begun.
   *
   * @param source the evictions
   */
  public EvictionLogging(EvictionSource source) {
    this.source = source;
  }

  /**
   * Starts or ends to write.
   *
   * @param config says whether, and where
   */
  public synchronized void apply(EbbConfig config) {
    EvictionLogConfig log = config.evictionLog();
    if (!log.enabled()) {
      close();
    } else if (file == null) {
      file = EvictionFile.start(source, new LogFile(log.file(), log.fileBytes(), log.older()));
    }
  }

  @Override
  public synchronized void close() {
    if (file != null) {
      file.close();
      file = null;
    }
  }
}
