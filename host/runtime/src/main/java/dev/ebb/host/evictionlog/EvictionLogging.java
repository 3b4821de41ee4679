package dev.ebb.host.evictionlog;

import dev.ebb.host.cache.index.EvictionLog;
import dev.ebb.host.config.EbbConfig;
import dev.ebb.host.config.EvictionLogConfig;
import dev.ebb.host.errors.UserError;
import org.jspecify.annotations.Nullable;

/** Writes evictions to a file while the configuration enables it. */
public final class EvictionLogging implements AutoCloseable {

  private final EvictionLog evictions;
  private @Nullable EvictionFile file;

  /** Creates logging that is off until {@link #apply} enables it. */
  public EvictionLogging(EvictionLog evictions) {
    this.evictions = evictions;
  }

  public synchronized void apply(EbbConfig config) {
    EvictionLogConfig log = config.evictionLog();
    if (!log.enabled()) {
      close();
    } else if (file == null) {
      file = start(log);
    }
  }

  private EvictionFile start(EvictionLogConfig log) {
    try {
      return EvictionFile.start(evictions, log);
    } catch (NoClassDefFoundError missing) {
      throw new UserError(
          "ebb.eviction.log 'true' needs the artifact logback-core, which is not on the class path;"
              + " add it, or set ebb.eviction.log to 'false'");
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
