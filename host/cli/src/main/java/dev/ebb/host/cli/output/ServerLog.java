package dev.ebb.host.cli.output;

import dev.ebb.host.config.LogConfig.LogFormat;
import dev.ebb.host.http.Json;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The form of the log of this process. The lines of servers have their time, so that they can be
 * compared with those of engines and clients; those of other commands do not.
 */
public final class ServerLog {

  /** ISO 8601, always with milliseconds. */
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSX", Locale.ROOT)
          .withZone(ZoneOffset.UTC);

  private static volatile @Nullable LogFormat format;

  private ServerLog() {}

  /** Makes all lines from now on those of a server. */
  public static void use(LogFormat serverFormat) {
    format = serverFormat;
  }

  /** Returns whether each line is a JSON object. */
  public static boolean isJson() {
    return format == LogFormat.JSON;
  }

  /** Returns what a line of text starts with: the time and a space, or nothing in a command. */
  public static String prefix(Instant time) {
    return format == null ? "" : TIME.format(time) + " ";
  }

  /** Returns a line that the command itself writes now, without a line end. */
  public static String line(String logger, String message) {
    Instant now = Instant.now();
    return isJson()
        ? Json.text(json(now, "WARN", logger, message))
        : prefix(now) + "ebb: " + message;
  }

  /** Returns the properties of a line in JSON, to which more can be added. */
  public static Map<String, @Nullable Object> json(
      Instant time, String level, String logger, @Nullable String message) {
    Map<String, @Nullable Object> line = new LinkedHashMap<>();
    line.put("time", time.toString());
    line.put("level", level);
    line.put("logger", logger);
    line.put("message", message);
    return line;
  }
}
