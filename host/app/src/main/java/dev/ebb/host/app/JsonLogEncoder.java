package dev.ebb.host.app;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import dev.ebb.host.http.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Formats an event of the log as a JSON object on one line, with its time in UTC. */
public final class JsonLogEncoder {

  private JsonLogEncoder() {}

  static byte[] encode(ILoggingEvent event) {
    Map<String, @Nullable Object> line =
        line(
            event.getInstant(),
            event.getLevel().toString(),
            event.getLoggerName(),
            event.getFormattedMessage());
    IThrowableProxy thrown = event.getThrowableProxy();
    if (thrown != null) {
      Map<String, @Nullable Object> error = new LinkedHashMap<>();
      error.put("class", thrown.getClassName());
      error.put("message", thrown.getMessage());
      error.put("stack", ThrowableProxyUtil.asString(thrown));
      line.put("error", error);
    }
    return (Json.text(line) + "\n").getBytes(StandardCharsets.UTF_8);
  }

  /** Returns a warning of now, without a line end. */
  public static String warning(String logger, String message) {
    return Json.text(line(Instant.now(), "WARN", logger, message));
  }

  private static Map<String, @Nullable Object> line(
      Instant time, String level, String logger, @Nullable String message) {
    Map<String, @Nullable Object> line = new LinkedHashMap<>();
    line.put("time", time.toString());
    line.put("level", level);
    line.put("logger", logger);
    line.put("message", message);
    return line;
  }
}
