package dev.ebb.host.config;

import dev.ebb.host.config.key.ConfigKey;
import dev.ebb.host.config.key.ConfigReader;
import dev.ebb.host.config.key.SectionKeys;
import dev.ebb.host.config.key.Setting;
import dev.ebb.host.config.key.ValueType;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  static final SectionKeys KEYS = new SectionKeys();

  public static final ConfigKey<Optional<URI>> ENDPOINT =
      KEYS.fixed("tracing.endpoint", ValueType.OPTIONAL_URL);
  static final ConfigKey<List<Setting>> HEADERS = KEYS.fixed("tracing.headers", ValueType.HEADERS);
  public static final ConfigKey<Double> SAMPLE_RATIO =
      KEYS.live("tracing.sample-ratio", ValueType.number(0, 1));
  static final ConfigKey<Integer> MAX_TRACES =
      KEYS.fixed("tracing.max-traces-per-second", ValueType.integer(1, 1_000_000));
  static final ConfigKey<String> SERVICE_NAME = KEYS.fixed("tracing.service-name", ValueType.NAME);
  static final ConfigKey<Integer> MAX_QUEUE_SIZE =
      KEYS.fixed("tracing.max-queue-size", ValueType.integer(1, 1_000_000));
  static final ConfigKey<Duration> TIMEOUT = KEYS.fixed("tracing.timeout", ValueType.INTERVAL);

  private static final Pattern HEADER =
      Pattern.compile("([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}): *([\\x20-\\x7e]{1,8192})");

  public TracingConfig {
    headers = Map.copyOf(headers);
  }

  static TracingConfig read(ConfigReader reader) {
    Map<String, String> headers = new HashMap<>();
    reader
        .each(HEADERS, TracingConfig::header)
        .forEach(header -> headers.put(header.group(1), header.group(2)));
    return new TracingConfig(
        reader.get(ENDPOINT).orElse(null),
        headers,
        reader.get(SAMPLE_RATIO),
        reader.get(MAX_TRACES),
        reader.get(SERVICE_NAME),
        reader.get(MAX_QUEUE_SIZE),
        reader.get(TIMEOUT));
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
