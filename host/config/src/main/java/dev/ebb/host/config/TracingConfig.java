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
 * @param headers sent with them
 * @param sampleRatio the share of traces that begin here and are recorded
 * @param maxTraces how many such traces are recorded in a second at most
 * @param maxQueueSize how many spans may wait to be sent
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
      KEYS.key("tracing.endpoint", "\"\"", ValueType.OPTIONAL_URL)
          .fixed(
              "OpenTelemetry collector that receives [spans of requests](tracing.md) by OTLP over"
                  + " HTTP, such as `\"http://127.0.0.1:4318\"`; empty: no tracing.");
  static final ConfigKey<List<Setting>> HEADERS =
      KEYS.key("tracing.headers", "[]", ValueType.HEADERS)
          .fixed("HTTP headers for the collector: `[\"Authorization: Bearer \"${TOKEN}]`.");
  public static final ConfigKey<Double> SAMPLE_RATIO =
      KEYS.key("tracing.sample-ratio", "1", ValueType.number(0, 1))
          .live(
              "Share of the traces that begin here and are recorded. A client's `traceparent`"
                  + " takes precedence.");
  static final ConfigKey<Integer> MAX_TRACES =
      KEYS.key("tracing.max-traces-per-second", "1000", ValueType.integer(1, 1_000_000))
          .fixed(
              "Traces that begin here and are recorded in a second at most, so that tracing costs"
                  + " little of a busy server. More are counted only.");
  static final ConfigKey<String> SERVICE_NAME =
      KEYS.key("tracing.service-name", "ebb", ValueType.NAME)
          .fixed("The `service.name` of the spans.");
  static final ConfigKey<Integer> MAX_QUEUE_SIZE =
      KEYS.key("tracing.max-queue-size", "8192", ValueType.integer(1, 1_000_000))
          .fixed("Spans that may wait to be sent. More are dropped and counted.");
  static final ConfigKey<Duration> TIMEOUT =
      KEYS.key("tracing.timeout", "10 s", ValueType.INTERVAL)
          .fixed("Longest time to send some spans, with all attempts.");

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
