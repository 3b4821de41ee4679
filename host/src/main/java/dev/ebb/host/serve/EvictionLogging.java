package dev.ebb.host.serve;

import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.EvictionLogConfig;
import dev.ebb.host.evictions.EvictionFile;
import dev.ebb.host.evictions.EvictionSource;
import dev.ebb.host.evictions.LogFile;
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
