package dev.ebb.host.admin;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.ebb.host.cache.policy.Gauges;
import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.PluginJarBuilder;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A policy whose {@code gauges()} returns wrong values does not break what shows them. */
class WrongGaugesTest {

  private static final String SOURCE =
      """
      package acme;

      import dev.ebb.spi.*;
      import java.util.*;

      public final class Wrong implements BlockPolicyProvider {
        public String name() { return "wrong"; }

        public BlockPolicy<?> create(PolicyContext context) { return new Policy(); }

        static final class Policy extends RankedBlockPolicy {
          protected double rank(Entry entry) { return entry.accesses(); }

          public Map<String, Double> gauges() {
            Map<String, Double> gauges = new LinkedHashMap<>();
            gauges.put("right", 7.0);
            WRONG;
            return gauges;
          }
        }
      }
      """;

  @RegisterExtension final LogLines log = new LogLines(Gauges.class.getName());

  @TempDir private Path home;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "gauges.put(null, 1.0);",
        "gauges.put(\"wrong\", null);",
        "gauges.put(\"wrong\", Double.POSITIVE_INFINITY);",
        "gauges.put(\" \", 1.0);",
        "((Map) gauges).put(\"wrong\", \"text\");",
        "((Map) gauges).put(1, 1.0);",
        "gauges.put(\"x\\u0000\\n\".repeat(10_000), 1.0);",
        "for (int i = 0; i < 1_000; i++) { gauges.put(\"g\" + i, 1.0); }",
      })
  void whatIsWrongIsLeftOutAndTheRestIsShown(String wrong) {
    try (AdminProcess process = start(wrong, "")) {
      awaitGauge(process, "right");
      assertAllServed(process);
      assertThat(process.get("/metrics").body())
          .doesNotContain("gauge=\"wrong\"")
          .hasSizeLessThan(60_000);
      assertThat(process.get("/api/v1/stats").json().at("/policy/gauges/right").doubleValue())
          .isEqualTo(7);
      assertWarnedOnce();
      assertThat(process.serving().policy()).isEqualTo("wrong");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "if (true) { return null; }",
        "if (true) { throw new IllegalStateException(\"no gauges today\"); }",
        "if (true) { throw new StackOverflowError(); }"
      })
  void aMapThatCannotBeReadLeavesThoseOfTheHost(String wrong) {
    String probation = "ebb.eviction.min-access-count = 2";
    try (AdminProcess process = start(wrong, probation)) {
      awaitGauge(process, "probation-blocks");
      assertAllServed(process);
      assertWarnedOnce();
      assertThat(process.serving().policy()).isEqualTo("wrong");
    }
  }

  private AdminProcess start(String wrong, String settings) {
    PluginJarBuilder.plugin("wrong")
        .provider("acme.Wrong", SOURCE.replace("WRONG;", wrong))
        .writeTo(Configs.plugins(home), "wrong.jar");
    return AdminProcess.start(home, settings + "\nebb.eviction.policy = wrong\n");
  }

  /** The policy's thread reads gauges about once a second, while it has something to do. */
  private static void awaitGauge(AdminProcess process, String gauge) {
    Storm.of(process);
    Awaiting.until(() -> {
      process.put("key", 60_000);
      return process.get("/metrics").body().contains("gauge=\"" + gauge + "\"");
    });
  }

  private static void assertAllServed(AdminProcess process) {
    for (String path : List.of("/metrics", "/api/v1/stats", "/api/v1/policy", "/")) {
      assertThat(process.get(path).status()).as(path).isEqualTo(200);
    }
  }

  private void assertWarnedOnce() {
    assertThat(log.events())
        .singleElement()
        .satisfies(warning -> {
          assertThat(warning.getLevel()).isEqualTo(Level.WARN);
          assertThat(requireNonNull(warning.getFormattedMessage())).contains("policy=wrong");
        });
  }
}
