package dev.ebb.host.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TracingConfigTest {

  @TempDir private Path home;

  @Test
  void itIsOffByDefault() {
    assertThat(Configs.defaults(home).orThrow().tracing().endpoint()).isNull();
  }

  @Test
  void everyKeyIsRead() {
    TracingConfig tracing =
        Configs.of(
                home,
                """
                ebb.tracing {
                  endpoint = "https://collector:4318/x", sample-ratio = 0.25, service-name = kv
                  max-traces-per-second = 50, max-queue-size = 7, timeout = 3 s, headers = ["Authorization: Bearer s3cret", "X-A: b"]
                }
                """)
            .orThrow()
            .tracing();
    assertThat(tracing)
        .isEqualTo(
            new TracingConfig(
                URI.create("https://collector:4318/x"),
                Map.of("Authorization", "Bearer s3cret", "X-A", "b"),
                0.25,
                50,
                "kv",
                7,
                Duration.ofSeconds(3)));
    assertThat(tracing.toString()).doesNotContain("s3cret");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "endpoint = \"collector:4318\" | ebb.tracing.endpoint = 'collector:4318' | http://127.0.0.1:4318",
        "endpoint = \"ftp://h\" | 'ftp://h' | http or https",
        "endpoint = \"http://user:pw@h\" | ebb.tracing.endpoint | http or https",
        "endpoint = \"http:// \" | ebb.tracing.endpoint | a URL",
        "sample-ratio = 1.5 | ebb.tracing.sample-ratio = '1.5' | 0 to 1",
        "max-traces-per-second = 0 | ebb.tracing.max-traces-per-second = '0' | from 1 to 1000000",
        "max-queue-size = 0 | ebb.tracing.max-queue-size = '0' | from 1 to 1000000",
        "timeout = 0 s | ebb.tracing.timeout = '0 s' | longer than 0",
        "headers = [\"a b: c\"] | ebb.tracing.headers[1] | an HTTP header",
        "headers = [\"A: x\\r\\nB: y\"] | ebb.tracing.headers[1] | printable ASCII",
        "headers = \"A: b\" | ebb.tracing.headers | a list of headers",
        "retries = 3 | ebb.tracing.retries | unknown key"
      })
  void mistakesAreExplained(String line, String key, String allowed) {
    assertThat(Configs.of(home, "ebb.tracing { %s }".formatted(line)).problems())
        .singleElement()
        .asString()
        .contains("ebb.conf:1", key, allowed)
        .doesNotContain("B: y");
  }
}
