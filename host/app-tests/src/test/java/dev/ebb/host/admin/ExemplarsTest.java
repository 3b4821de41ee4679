package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import dev.ebb.host.testing.OtlpCollector;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.util.SafeEncoder;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Exemplars of the histograms of latencies: traces in which slow steps can be found. */
class ExemplarsTest {

  private static final String OPEN_METRICS = "application/openmetrics-text;version=1.0.0";

  /** Name, bound, count; then the trace, the span, the value and the time. */
  private static final Pattern EXEMPLAR =
      Pattern.compile(
          "(ebb_\\w+)_bucket\\{le=\"([^\"]+)\"} (\\d+) # "
              + "\\{span_id=\"([0-9a-f]{16})\",trace_id=\"([0-9a-f]{32})\"} (\\S+) (\\S+)");

  @TempDir private Path home;

  private AdminProcess start(OtlpCollector collector) {
    return AdminProcess.start(
        home, "ebb.tracing { endpoint = \"%s\", timeout = 2 s }\n".formatted(collector.url()));
  }

  private static void send(AdminProcess process, String... words) {
    process
        .jedis()
        .sendCommand(
            () -> SafeEncoder.encode("EBB.REQUEST"),
            Stream.of(words).map(SafeEncoder::encode).toArray(byte[][]::new));
  }

  /** A request that reads a value and stores another. */
  private static void request(AdminProcess process, int number, String flags) {
    String key = "k" + number;
    String trace = "00-%032x-%016x-%s".formatted(number, number, flags);
    process.put(key, 10_000);
    send(process, "BEGIN", "r" + number, "TRACEPARENT", trace, "KEYS", key, key + "/1");
    process.put(key + "/1", 10_000);
    process.jedis().get(SafeEncoder.encode(key));
    send(process, "END", "r" + number);
  }

  private static AdminProcess.Answer scrape(AdminProcess process, String accepted) {
    return process.send(process.request("/metrics").header("Accept", accepted).GET());
  }

  @Test
  void aBucketNamesASampledSpanWhoseTimeIsInIt() {
    try (OtlpCollector collector = OtlpCollector.start()) {
      List<Matcher> found;
      try (AdminProcess process = start(collector)) {
        for (int i = 1; i <= 50; i++) {
          // Every second trace is not recorded.
          request(process, i, i % 2 == 0 ? "01" : "00");
        }
        // Spans are built by the thread that sends them.
        Awaiting.until(() -> collector.spans().size() == 25);
        AdminProcess.Answer answer = scrape(process, OPEN_METRICS);
        assertThat(answer.response().headers().firstValue("Content-Type"))
            .hasValue("application/openmetrics-text; version=1.0.0; charset=utf-8");
        assertThat(answer.body()).endsWith("# EOF\n");
        found =
            answer
                .body()
                .lines()
                .filter(line -> line.contains(" # "))
                .map(EXEMPLAR::matcher)
                .toList();
      }
      assertThat(found).allMatch(Matcher::matches);
      assertThat(found.stream().map(each -> each.group(1)).collect(Collectors.toSet()))
          .containsExactlyInAnyOrder(
              "ebb_read_seconds", "ebb_storage_seconds", "ebb_allocation_seconds");
      Set<String> spans = new HashSet<>();
      collector.spans().forEach(span -> spans.add(span.traceId() + span.spanId()));
      assertThat(spans).hasSize(25);
      assertThat(found)
          .allSatisfy(each -> {
            assertThat(spans).contains(each.group(5) + each.group(4));
            double most = each.group(2).equals("+Inf") ? 1e6 : Double.parseDouble(each.group(2));
            assertThat(Double.parseDouble(each.group(6)))
                .isGreaterThan(most > 1e-6 ? most / 2 : 0)
                .isLessThanOrEqualTo(most);
          });
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "*/*                                                        | false",
        "text/plain;version=0.0.4                                   | false",
        "application/openmetrics-text;q=0.2, text/plain;q=0.5       | false",
        "application/openmetrics-text;q=0                           | false",
        "application/openmetrics-text; version=1.0.0                | true",
        "application/openmetrics-text;q=0.5,text/plain;q=0.3,*/*    | true"
      })
  void theFormatIsTheOneThatTheClientPrefers(String accepted, boolean openMetrics) {
    try (AdminProcess process = AdminProcess.start(home, "")) {
      AdminProcess.Answer answer = scrape(process, accepted);
      assertThat(answer.body().endsWith("# EOF\n")).isEqualTo(openMetrics);
      assertThat(answer.response().headers().firstValue("Content-Type").orElse(""))
          .startsWith(openMetrics ? "application/openmetrics-text" : "text/plain; version=0.0.4");
    }
  }

  /** Prometheus reads all metrics in the format that it prefers, and keeps the exemplars. */
  @Test
  void prometheusStoresThem() throws Exception {
    assumeThat(
            Stream.of(System.getenv("PATH").split(":"))
                .map(folder -> Path.of(folder, "prometheus")))
        .as("no Prometheus here to scrape the metrics")
        .anyMatch(Files::isExecutable);
    int port = FreePort.any();
    try (OtlpCollector collector = OtlpCollector.start();
        AdminProcess process = start(collector)) {
      request(process, 7, "01");
      Path config =
          Files.writeString(
              home.resolve("prometheus.yml"),
              """
              scrape_configs:
                - job_name: ebb
                  scrape_interval: 1s
                  static_configs: [{targets: ["127.0.0.1:%d"]}]
              """
                  .formatted(process.address().getPort()));
      Process prometheus =
          new ProcessBuilder(
                  "prometheus",
                  "--config.file=" + config,
                  "--storage.tsdb.path=" + home.resolve("tsdb"),
                  "--enable-feature=exemplar-storage",
                  "--web.listen-address=127.0.0.1:" + port)
              .redirectErrorStream(true)
              .redirectOutput(home.resolve("prometheus.log").toFile())
              .start();
      try {
        String query =
            "/api/v1/query_exemplars?query=ebb_read_seconds_bucket&start=0&end=9999999999";
        Awaiting.until(() -> ask(process, port, query).contains("%032x".formatted(7)));
        // Prometheus accepts each line: a wrong one fails the whole scrape.
        assertThat(ask(process, port, "/api/v1/targets")).contains("\"lastError\":\"\"");
        JsonNode up =
            new ObjectMapper().readTree(ask(process, port, "/api/v1/query?query=ebb_hits_total"));
        assertThat(up.at("/data/result/0/value/1").asString()).isEqualTo("1");
      } finally {
        prometheus.destroy();
        prometheus.waitFor();
      }
    }
  }

  private static String ask(AdminProcess process, int port, String path) {
    try {
      return process
          .send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).GET())
          .body();
    } catch (AssertionError notYet) {
      return "";
    }
  }
}
