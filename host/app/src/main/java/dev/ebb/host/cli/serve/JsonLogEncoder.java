package dev.ebb.host.cli.serve;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import dev.ebb.host.cli.output.ServerLog;
import dev.ebb.host.http.Json;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Formats an event of the log as a JSON object on one line, with its time in UTC. */
final class JsonLogEncoder {

  private JsonLogEncoder() {}

  static byte[] encode(ILoggingEvent event) {
    Map<String, @Nullable Object> line =
        ServerLog.json(
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
}
