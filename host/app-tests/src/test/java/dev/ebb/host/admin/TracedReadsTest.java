package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import dev.ebb.host.testing.OtlpCollector;
import dev.ebb.host.testing.OtlpCollector.Received;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.util.SafeEncoder;

/** Reads for a request that another node or the disk answers are spans of its trace. */
@Timeout(180)
class TracedReadsTest {

  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";

  @TempDir private Path home;

  private AdminProcess start(String name, OtlpCollector collector, String settings)
      throws IOException {
    return AdminProcess.start(
        Files.createDirectory(home.resolve(name)),
        "ebb.tracing { endpoint = \"%s\", timeout = 2 s }\n".formatted(collector.url()) + settings);
  }

  private AdminProcess node(String name, OtlpCollector collector, int port, int seed)
      throws IOException {
    return start(
        name,
        collector,
        """
        ebb.cluster {
          enabled = true, node = "%s", port = %d, transfer-port = %d, seeds = ["127.0.0.1:%d"]
          replicas = 0
        }
        """
            .formatted(name, port, FreePort.any(), seed));
  }

  private static Object send(AdminProcess process, String... words) {
    return process
        .jedis()
        .sendCommand(
            () -> SafeEncoder.encode("EBB.REQUEST"),
            Stream.of(words).map(SafeEncoder::encode).toArray(byte[][]::new));
  }

  private static Object begin(AdminProcess process, String flags, String key) {
    String trace = "00-%s-00f067aa0ba902b7-%s".formatted(TRACE, flags);
    return send(process, "BEGIN", "r", "TRACEPARENT", trace, "KEYS", key);
  }

  private static byte[] get(AdminProcess process, String key) {
    return process.jedis().get(key.getBytes(StandardCharsets.UTF_8));
  }

  private static Received only(OtlpCollector collector, String name) {
    List<Received> found =
        collector.spans().stream().filter(span -> span.name().equals(name)).toList();
    assertThat(found).hasSize(1);
    return found.getFirst();
  }

  private static void assertChild(Received child, Received request, long bytes) {
    assertThat(request.traceId()).isEqualTo(TRACE);
    assertThat(child.traceId()).isEqualTo(TRACE);
    assertThat(child.parentId()).isEqualTo(request.spanId());
    assertThat(child.startNanos()).isLessThanOrEqualTo(child.endNanos());
    assertThat(child.attributes())
        .containsEntry("ebb.read.found", true)
        .containsEntry("ebb.read.bytes", bytes);
  }

  @Test
  void aReadOfAnotherNodeIsASpanOfThatNode() throws IOException {
    int seed = FreePort.any();
    try (OtlpCollector first = OtlpCollector.start();
        OtlpCollector second = OtlpCollector.start()) {
      try (AdminProcess a = node("a", first, seed, seed);
          AdminProcess b = node("b", second, FreePort.any(), seed)) {
        a.put("k/0", 100_000);
        a.put("k/1", 100_000);
        // The second trace is not recorded.
        for (String flags : List.of("01", "00")) {
          String key = flags.equals("01") ? "k/0" : "k/1";
          Awaiting.until(() -> (Long) begin(b, flags, key) == 1);
          assertThat(get(b, key)).hasSize(100_000);
          send(b, "END", "r");
        }
      }
      List<Received> requests =
          second.spans().stream()
              .filter(span -> !span.attributes().get("ebb.chunks.peer_read").equals(0L))
              .toList();
      assertThat(requests).hasSize(1);
      Received peer = only(first, "kv_cache.peer_read");
      assertThat(peer.kind()).isEqualTo("SERVER");
      assertChild(peer, requests.getFirst(), 100_000);
    }
  }

  @Test
  void aReadOfTheDiskIsASpan() throws IOException {
    String disk =
        "ebb.tiers.disk { path = \"%s\", size = 300 MiB }\n".formatted(home.resolve("tier"));
    try (OtlpCollector collector = OtlpCollector.start()) {
      try (AdminProcess process = start("a", collector, disk)) {
        process.put("a/0", 100_000);
        for (int i = 0; i < 60; i++) {
          process.put("other" + i, 100_000);
        }
        Awaiting.until(() -> (Long) begin(process, "01", "a/0") == 1);
        assertThat(get(process, "a/0")).hasSize(100_000);
        send(process, "END", "r");
      }
      Received request =
          collector.spans().stream()
              .filter(span -> Long.valueOf(1).equals(span.attributes().get("ebb.chunks.disk_read")))
              .findFirst()
              .orElseThrow();
      Received read = only(collector, "kv_cache.disk_read");
      assertThat(read.kind()).isEqualTo("INTERNAL");
      assertChild(read, request, 100_000);
    }
  }
}
