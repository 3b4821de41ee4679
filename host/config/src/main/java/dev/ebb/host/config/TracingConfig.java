package dev.ebb.host.config;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.Section;
import dev.ebb.host.config.key.Setting;
import dev.ebb.host.config.key.ValueType;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code ebb.tracing}: the spans of requests.
 *
 * @param endpoint where they are sent, by OTLP over HTTP; null for nowhere
 * @param timeout the longest time to send some
 */
public record TracingConfig(
    @Nullable URI endpoint,
    Map<String, String> headers,
    double sampleRatio,
    int maxTraces,
    String serviceName,
    int maxQueueSize,
    Duration timeout) {

  public static final ConfigKey<Double> SAMPLE_RATIO =
      ConfigKey.live("tracing.sample-ratio", ValueType.number(0, 1));
  private static final ConfigKey<List<Setting>> HEADERS =
      ConfigKey.fixed("tracing.headers", ValueType.HEADERS);

  static final Section<TracingConfig> SECTION =
      new Section<>(TracingConfig.class, "tracing")
          .fixed("endpoint", ValueType.OPTIONAL_URL)
          .read(TracingConfig::headers, HEADERS)
          .key(SAMPLE_RATIO)
          .fixed("max-traces-per-second", ValueType.integer(1, 1_000_000))
          .fixed("service-name", ValueType.NAME)
          .fixed("max-queue-size", ValueType.integer(1, 1_000_000))
          .fixed("timeout", ValueType.INTERVAL);

  private static final Pattern HEADER =
      Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}): *([\\x20-\\x7e]{1,8192})");

  public TracingConfig {
    headers = Map.copyOf(headers);
  }

  private static Map<String, String> headers(ConfigReader reader) {
    Map<String, String> headers = new HashMap<>();
    reader
        .each(HEADERS, TracingConfig::header)
        .forEach(header -> headers.put(header.group(1), header.group(2)));
    return headers;
  }

  private static MatchResult header(Setting header) {
    Matcher parts = HEADER.matcher(header.string());
    if (!parts.matches()) {
      throw header.wrong(
          "must be an HTTP header in printable ASCII, such as \"Authorization: Bearer abc\"");
    }
    return parts.toMatchResult();
  }

  /** Returns whether a path is that of a header, whose value may be a secret, or of all of them. */
  public static boolean holdsHeader(String path) {
    return path.startsWith(HEADERS.path());
  }

  /** Returns the number of headers, because their text must not be shown. */
  @Override
  public String toString() {
    return "TracingConfig[endpoint=%s, %d headers]".formatted(endpoint, headers.size());
  }
}
