package dev.ebb.host.evictionlog;

import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.encoder.EchoEncoder;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.status.Status;
import ch.qos.logback.core.status.StatusListener;
import ch.qos.logback.core.util.Duration;
import ch.qos.logback.core.util.FileSize;
import dev.ebb.host.config.EvictionLogConfig;
import dev.ebb.host.errors.Reasons;
import dev.ebb.host.errors.UserError;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A line-oriented log file of bounded size with rotation. A write error is logged once and the file
 * is retried periodically. Lines written in the meantime are lost.
 */
final class RollingFile implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(RollingFile.class);

  /** The interval between size checks, because each check is a system call. */
  private static final Duration CHECK = Duration.buildByMilliseconds(500);

  private final ContextBase context = new ContextBase();
  private final RollingFileAppender<String> appender = new RollingFileAppender<>();
  private volatile boolean troubled;

  RollingFile(EvictionLogConfig settings) {
    String file = settings.file().toString();
    context.setName("evictions");
    StatusListener listener = status -> noticed(file, status);
    context.getStatusManager().add(listener);

    EchoEncoder<String> encoder = new EchoEncoder<>();
    encoder.setContext(context);
    encoder.start();

    appender.setContext(context);
    appender.setName("evictions");
    appender.setFile(file);
    appender.setEncoder(encoder);

    FixedWindowRollingPolicy rolling = new FixedWindowRollingPolicy();
    rolling.setContext(context);
    rolling.setParent(appender);
    rolling.setFileNamePattern(file.replace("%", "\\%") + ".%i");
    rolling.setMinIndex(1);
    rolling.setMaxIndex(settings.older());
    rolling.start();

    SizeBasedTriggeringPolicy<String> size = new SizeBasedTriggeringPolicy<>();
    size.setContext(context);
    size.setMaxFileSize(new FileSize(settings.fileBytes()));
    size.setCheckIncrement(CHECK);
    size.start();

    appender.setRollingPolicy(rolling);
    appender.setTriggeringPolicy(size);
    appender.start();
    if (!appender.isStarted()) {
      throw new UserError(
          "cannot write the eviction log '%s'; set ebb.eviction.log-file to a file that can be written"
              .formatted(file));
    }
  }

  void write(String line) {
    appender.doAppend(line);
  }

  private void noticed(String file, Status status) {
    if (status.getEffectiveLevel() >= Status.WARN && !troubled) {
      troubled = true;
      LOG.warn("eviction log has trouble file={} reason=\"{}\"", file, reason(status));
    }
  }

  /** The message of the library names the file, but not what is wrong with it. */
  static String reason(Status status) {
    Throwable failure = status.getThrowable();
    return failure == null ? status.getMessage() : Reasons.of(failure);
  }

  @Override
  public void close() {
    appender.stop();
    context.stop();
  }
}
