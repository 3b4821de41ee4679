package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.Awaiting;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What the numbers count. */
class ServedMetricsTest {

  private static final long TIMEOUT_NANOS = 60_000_000_000L;

  @TempDir private Path home;

  private static double value(AdminProcess process, String sample) {
    String text = process.get("/metrics").body();
    Matcher matcher = Pattern.compile("(?m)^" + Pattern.quote(sample) + " (\\S+)$").matcher(text);
    return matcher.find() ? Double.parseDouble(matcher.group(1)) : Double.NaN;
  }

  private static double evicted(AdminProcess process, String policy) {
    double sum = 0;
    for (String by : new String[] {"background", "demand", "fallback"}) {
      double value =
          value(process, "ebb_evictions_total{by=\"%s\",policy=\"%s\"}".formatted(by, policy));
      sum += Double.isNaN(value) ? 0 : value;
    }
    return sum;
  }

  @Test
  void evictionsAreCountedUnderThePolicyThatWasActive() {
    try (AdminProcess process = AdminProcess.start(home, "")) {
      Storm.of(process);
      // Nobody has looked before the change.
      process.call("PUT", "/api/v1/policy", "{\"policy\": \"third\"}");
      double underFirst = evicted(process, "first");
      assertThat(underFirst).isPositive();
      Storm.of(process);
      assertThat(evicted(process, "third")).isPositive();
      assertThat(evicted(process, "first")).isEqualTo(underFirst);
    }
  }

  @Test
  void whatATenantLosesIsCountedByCause() {
    try (AdminProcess process = AdminProcess.start(home, "")) {
      process.put("model@1@0@0001@ann", 100);
      process.put("model@1@0@0001@ann", 200);
      process.put("model@1@0@0002@ann", 200);
      process.jedis().del("model@1@0@0002@ann");

      String sample = "ebb_tenant_removals_total{cause=\"%s\",tenant=\"ann\"}";
      assertThat(value(process, sample.formatted("replaced"))).isEqualTo(1);
      assertThat(value(process, sample.formatted("deleted"))).isEqualTo(1);
      assertThat(value(process, sample.formatted("evicted"))).isZero();
      JsonNode removals = process.get("/api/v1/stats").json().at("/tenants/0/removals");
      assertThat(removals.get("replaced").intValue()).isOne();
      assertThat(removals.has("evicted")).isFalse();
    }
  }

  @Test
  void kvEventsArePublishedIfTheyAreEnabled() {
    String settings =
        "ebb.server.kv-events { enabled = true, endpoint = \"tcp://127.0.0.1:*\", topic = kv }";
    try (AdminProcess process = AdminProcess.start(home, settings)) {
      assertThat(process.serving().kvEventsEndpoint()).startsWith("tcp://127.0.0.1:");
      process.put("m@1@0@1f@halfkv_bytes", 1_000);
      process.put("m@1@0@1f@halfmetadata", 28);
      process.jedis().del("m@1@0@1f@halfkv_bytes");
      // The start, the chunk, and its end.
      Awaiting.until(() -> value(process, "ebb_kv_events_total") == 3);
      assertThat(value(process, "ebb_kv_events_dropped_total")).isZero();
      assertThat(value(process, "ebb_kv_event_batches_total")).isBetween(1.0, 3.0);
    }
    try (AdminProcess process = AdminProcess.start(home, "")) {
      assertThat(process.serving().kvEventsEndpoint()).isNull();
      assertThat(value(process, "ebb_kv_events_total")).isNaN();
    }
  }

  @Test
  void whatWasNotKeptIsACauseToo() {
    try (AdminProcess process =
        AdminProcess.start(home, "ebb.eviction.policy = none\nebb.pool.size = 1 MiB")) {
      for (int i = 0; i < 30; i++) {
        process.put("key-" + i, 60_000);
      }
      double notKept = value(process, "ebb_not_admitted_total");
      assertThat(notKept).isPositive();
      assertThat(value(process, "ebb_removals_total{cause=\"not-admitted\"}")).isEqualTo(notKept);
      assertThat(value(process, "ebb_removed_bytes_total{cause=\"not-admitted\"}"))
          .isEqualTo(notKept * (64 << 10));
    }
  }

  @Test
  void latenciesOfReadsAndAllocationsAreMeasuredAndTheLastOnesHaveQuantiles() {
    try (AdminProcess process = AdminProcess.start(home, "")) {
      process.put("key", 100_000);
      process.jedis().get("key");
      process.jedis().get("absent");

      assertThat(value(process, "ebb_read_seconds_count")).isEqualTo(1);
      assertThat(value(process, "ebb_read_seconds_bucket{le=\"+Inf\"}")).isEqualTo(1);
      assertThat(value(process, "ebb_allocation_seconds_count")).isPositive();
      long end = System.nanoTime() + TIMEOUT_NANOS;
      JsonNode reading = process.get("/api/v1/stats").json().at("/latencies/reading");
      while (reading.get("p50").isNull() && System.nanoTime() < end) {
        process.jedis().get("key");
        Awaiting.pause();
        reading = process.get("/api/v1/stats").json().at("/latencies/reading");
      }
      assertThat(reading.get("p50").doubleValue()).isPositive();
      assertThat(reading.get("p99").doubleValue())
          .isGreaterThanOrEqualTo(reading.get("p50").doubleValue());
    }
  }
}
