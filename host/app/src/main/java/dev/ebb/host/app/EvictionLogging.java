package dev.ebb.host.app;

import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.EvictionLogConfig;
import dev.ebb.host.evictionlog.EvictionFile;
import dev.ebb.host.evictionlog.EvictionSource;
import dev.ebb.host.evictionlog.LogFile;
import org.jspecify.annotations.Nullable;

/** Writes evictions to a file while the configuration says so. */
final class EvictionLogging implements AutoCloseable {

  private final EvictionSource source;
  private @Nullable EvictionFile file;

  EvictionLogging(EvictionSource source) {
    this.source = source;
  }

  synchronized void apply(EbbConfig config) {
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
