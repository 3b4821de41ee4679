package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.OtlpCollector;
import dev.ebb.host.testing.OtlpCollector.Received;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.util.SafeEncoder;

/** Spans of requests of clients, as a collector receives them. */
class TracedRequestsTest {

  @TempDir private Path home;

  private AdminProcess start(OtlpCollector collector, String settings) {
    return AdminProcess.start(
        home,
        "ebb.tracing { endpoint = \"%s\", max-queue-size = 20000, timeout = 2 s }\n"
                .formatted(collector.url())
            + settings);
  }

  private static Object request(AdminProcess process, String... words) {
    return process
        .jedis()
        .sendCommand(
            () -> SafeEncoder.encode("EBB.REQUEST"),
            Arrays.stream(words).map(SafeEncoder::encode).toArray(byte[][]::new));
  }

  private static String[] begin(String id, String trace, String span, List<String> keys) {
    List<String> words = new ArrayList<>(List.of("BEGIN", id));
    words.addAll(List.of("INPUT", "640", "TRACEPARENT", "00-%s-%s-01".formatted(trace, span)));
    words.add("KEYS");
    words.addAll(keys);
    return words.toArray(String[]::new);
  }

  private static final int REQUESTS = 2_000;

  /** What the server answers is what the spans say, for thousands of requests. */
  @Test
  void eachRequestIsASpanOfItsClientsTrace() {
    Random random = new Random(7);
    Map<String, Long> hits = new HashMap<>();
    Map<String, String> parents = new HashMap<>();
    try (OtlpCollector collector = OtlpCollector.start()) {
      try (AdminProcess process = start(collector, "")) {
        for (int i = 0; i < REQUESTS; i++) {
          int prompt = random.nextInt(REQUESTS / 5);
          List<String> keys = List.of("p" + prompt + "/0", "p" + prompt + "/1");
          String id = "r" + i;
          String parent = "%016x".formatted(i + 1);
          parents.put(id, parent);
          long found = (Long) request(process, begin(id, "%032x".formatted(i + 1), parent, keys));
          hits.put(id, found);
          for (String key : keys.subList((int) found, 2)) {
            process.put(key, 1_000);
          }
          request(process, "END", id, "OUTPUT", "3", "FINISH", "stop");
        }
        assertThat(process.get("/metrics").body())
            .contains("ebb_spans_dropped_total{reason=\"queue-full\"} 0.0");
      }
      List<Received> spans = collector.spans();
      assertThat(spans).hasSize(REQUESTS);
      assertThat(spans)
          .allSatisfy(span -> {
            Map<String, Object> is = span.attributes();
            String id = (String) is.get("ebb.request.id");
            assertThat(span.name()).isEqualTo("kv_cache.request");
            assertThat(span.kind()).isEqualTo("SERVER");
            assertThat(span.parentId()).isEqualTo(parents.get(id));
            assertThat(span.traceId()).endsWith(span.parentId());
            long found = hits.remove(id);
            assertThat(is)
                .containsEntry("ebb.chunks.requested", 2L)
                .containsEntry("ebb.chunks.hit", found)
                .containsEntry("ebb.chunks.memory_hit", found)
                .containsEntry("ebb.chunks.stored", 2 - found)
                .containsEntry("ebb.chunks.disk_read", 0L)
                .containsEntry("ebb.policy", "first")
                .containsEntry("ebb.request.inferred", false)
                .containsEntry("gen_ai.usage.input_tokens", 640L)
                .containsEntry("gen_ai.usage.output_tokens", 3L)
                .containsEntry("gen_ai.response.finish_reasons", List.of("stop"));
          });
      // Each request was counted once.
      assertThat(hits).isEmpty();
    }
  }

  @Test
  void theShareOfNewTracesChangesAtRunTime() {
    String ratio = "ebb.tracing.sample-ratio";
    try (OtlpCollector collector = OtlpCollector.start()) {
      try (AdminProcess process = start(collector, ratio + " = 0\n")) {
        for (String share : List.of("1", "0")) {
          int version = share.equals("1") ? 1 : 2;
          AdminProcess.Answer changed =
              process.call(
                  "PATCH",
                  "/api/v1/config",
                  "{\"version\":%d,\"changes\":{\"%s\":%s}}".formatted(version, ratio, share));
          assertThat(changed.status()).as(changed.body()).isEqualTo(200);
          for (int i = 0; i < 20; i++) {
            request(process, "BEGIN", share + i, "KEYS", "k");
            request(process, "END", share + i);
          }
        }
      }
      assertThat(collector.spans())
          .hasSize(20)
          .allMatch(span -> span.attributes().get("ebb.request.id").toString().startsWith("1"));
    }
  }

  @Test
  void evictionsForARequestAreCounted() {
    try (OtlpCollector collector = OtlpCollector.start()) {
      try (AdminProcess process = start(collector, "")) {
        for (int i = 0; i < 60; i++) {
          process.put("other" + i, 60_000);
        }
        request(process, begin("r", "%032x".formatted(1), "%016x".formatted(1), List.of("a")));
        // Far more than background eviction keeps free.
        process.put("a", 1_500_000);
        request(process, "END", "r");
      }
      assertThat(collector.spans())
          .singleElement()
          .satisfies(span -> {
            assertThat(span.attributes()).containsEntry("ebb.chunks.stored", 1L);
            assertThat((Long) span.attributes().get("ebb.evictions")).isGreaterThan(10);
          });
    }
  }

  @Test
  void requestsThatLookupsShowAreSpansToo() {
    try (OtlpCollector collector = OtlpCollector.start()) {
      try (AdminProcess process = start(collector, "")) {
        PrefixHitsTest.serve(process);
        PrefixHitsTest.serve(process);
      }
      assertThat(collector.spans())
          .extracting(span -> span.attributes().get("ebb.chunks.hit"))
          .containsExactly(0L, (long) PrefixHitsTest.CHUNKS);
      assertThat(collector.spans())
          .allSatisfy(span -> {
            assertThat(span.parentId()).isEmpty();
            assertThat(span.attributes())
                .containsEntry("ebb.request.inferred", true)
                .containsEntry("ebb.chunks.requested", (long) PrefixHitsTest.CHUNKS)
                .doesNotContainKey("ebb.request.id");
          });
    }
  }

  @Test
  void valuesFromTheDiskAreCounted() {
    String disk =
        "ebb.tiers.disk { path = \"%s\", size = 300 MiB }\n".formatted(home.resolve("tier"));
    try (OtlpCollector collector = OtlpCollector.start()) {
      try (AdminProcess process = start(collector, disk)) {
        process.put("a/0", 100_000);
        for (int i = 0; i < 60; i++) {
          process.put("other" + i, 100_000);
        }
        String[] begin = begin("r", "%032x".formatted(1), "%016x".formatted(1), List.of("a/0"));
        Awaiting.until(() -> (Long) request(process, begin) == 1);
        assertThat(process.jedis().get("a/0".getBytes(StandardCharsets.UTF_8))).hasSize(100_000);
        request(process, "END", "r");
      }
      // Until the disk had it, beginning the request again has ended the one before.
      assertThat(collector.spans().getLast().attributes())
          .containsEntry("ebb.chunks.hit", 1L)
          .containsEntry("ebb.chunks.memory_hit", 0L)
          .containsEntry("ebb.chunks.disk_read", 1L);
    }
  }

  /** Clients do not notice a collector that fails, and operators do. */
  @ParameterizedTest
  @EnumSource(names = "GOOD", mode = EnumSource.Mode.EXCLUDE)
  void aFailingCollectorCostsSpansOnly(OtlpCollector.Behaviour how) {
    try (OtlpCollector collector = OtlpCollector.start().behaving(how);
        AdminProcess process = start(collector, "ebb.tracing.max-queue-size = 100\n")) {
      for (int i = 0; i < 500; i++) {
        String[] begin =
            begin("r", "%032x".formatted(i + 1), "%016x".formatted(i + 1), List.of("k" + i));
        assertThat(request(process, begin)).isEqualTo(0L);
        process.put("k" + i, 100);
        request(process, "END", "r");
      }
      Awaiting.until(() ->
          process
              .get("/metrics")
              .body()
              .lines()
              .anyMatch(line ->
                  line.startsWith("ebb_spans_dropped_total{reason=\"not-sent\"}")
                      && !line.endsWith(" 0.0")));
      assertThat(process.jedis().get("k499".getBytes(StandardCharsets.UTF_8))).hasSize(100);
    }
  }
}
