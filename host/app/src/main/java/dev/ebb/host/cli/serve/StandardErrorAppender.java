package dev.ebb.host.cli.serve;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.encoder.Encoder;
import dev.ebb.host.cli.output.ServerLog;
import dev.ebb.host.units.Plural;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Writes the log to standard error from a thread of its own, so that a pipe that nobody reads stops
 * nothing else. Lines without room are counted and dropped. It does not use {@code System.err},
 * which a plugin can replace.
 */
public final class StandardErrorAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {

  private static final long MOST_WAITING_BYTES = 1 << 20;
  private static final long FLUSH_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final OutputStream out = new FileOutputStream(FileDescriptor.err);
  private final BlockingQueue<byte[]> lines = new LinkedBlockingQueue<>();
  private final AtomicLong waitingBytes = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private @Nullable Encoder<ILoggingEvent> encoder;

  /** Creates an appender; the configuration of the log does. */
  public StandardErrorAppender() {}

  public void setEncoder(Encoder<ILoggingEvent> encoder) {
    this.encoder = encoder;
  }

  @Override
  public void start() {
    if (encoder == null) {
      addError("the appender '" + getName() + "' needs an encoder");
      return;
    }
    Thread.ofPlatform().daemon().name("ebb-log").start(this::run);
    Runtime.getRuntime().addShutdownHook(new Thread(this::flush, "ebb-log-flush"));
    super.start();
  }

  @Override
  protected void append(ILoggingEvent event) {
    byte[] line = line(event);
    if (waitingBytes.addAndGet(line.length) > MOST_WAITING_BYTES) {
      waitingBytes.addAndGet(-line.length);
      dropped.incrementAndGet();
    } else {
      lines.add(line);
    }
  }

  private void run() {
    while (true) {
      try {
        byte[] line = lines.take();
        write(line);
        waitingBytes.addAndGet(-line.length);
        long lost = lines.isEmpty() ? dropped.getAndSet(0) : 0;
        if (lost > 0) {
          write(line(dropped(lost)));
        }
      } catch (InterruptedException byAPlugin) {
        // A plugin can interrupt any thread.
      }
    }
  }

  private byte[] line(ILoggingEvent event) {
    if (ServerLog.isJson()) {
      return JsonLogEncoder.encode(event);
    }
    if (encoder == null) {
      return new byte[0];
    }
    byte[] time = ServerLog.prefix(event.getInstant()).getBytes(StandardCharsets.US_ASCII);
    byte[] text = encoder.encode(event);
    return ByteBuffer.allocate(time.length + text.length).put(time).put(text).array();
  }

  private LoggingEvent dropped(long lost) {
    LoggingEvent event = new LoggingEvent();
    event.setLoggerName("log");
    event.setLevel(Level.WARN);
    event.setMessage(
        Plural.of(lost, "line was", "lines were") + " dropped because standard error was not read");
    event.setInstant(Instant.now());
    return event;
  }

  private void write(byte[] bytes) {
    try {
      out.write(bytes);
    } catch (IOException closed) {
      dropped.incrementAndGet();
    }
  }

  /** Waits a moment for the lines of a process that ends. */
  private void flush() {
    long end = System.nanoTime() + FLUSH_NANOS;
    while (waitingBytes.get() > 0 && System.nanoTime() - end < 0) {
      try {
        Thread.sleep(5);
      } catch (InterruptedException byAPlugin) {
        // The time is limited anyway.
      }
    }
  }
}
