package dev.ebb.llama.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.OtlpCollector;
import dev.ebb.host.testing.OtlpCollector.Received;
import dev.ebb.llama.testing.Engine;
import dev.ebb.llama.testing.TinyModel;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Spans of completions, as a collector receives them. */
class TracedCompletionsTest {

  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String PARENT = "00f067aa0ba902b7";

  @TempDir private Path folder;
  private OtlpCollector collector;
  private TestServer server;

  @BeforeEach
  void open() throws IOException {
    Engine.assumeRuns();
    collector = OtlpCollector.start();
    Path config = TestServer.configure(folder);
    Files.writeString(
        config,
        "ebb.tracing.endpoint = \"%s\"\n".formatted(collector.url()),
        StandardOpenOption.APPEND);
    server =
        TestServer.start(new TinyModel().write(folder.resolve("tiny.gguf")), config, 256, 2, "lru");
  }

  private List<Received> spans() {
    server.close();
    collector.close();
    return collector.spans();
  }

  private HttpResponse<String> send(Map<String, ?> body) throws Exception {
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client.send(
          server
              .request("/v1/completions")
              .header("Content-Type", "application/json")
              .header("traceparent", "00-%s-%s-01".formatted(TRACE, PARENT))
              .POST(HttpRequest.BodyPublishers.ofString(TestServer.JSON.writeValueAsString(body)))
              .build(),
          HttpResponse.BodyHandlers.ofString());
    }
  }

  @Test
  void aCompletionIsASpanOfItsClientsTrace() throws Exception {
    int[] prompt = IntStream.range(10, 30).toArray();
    Map<String, ?> body =
        Map.of(
            "prompt", prompt, "max_tokens", 5, "temperature", 0.0, "ignore_eos", true, "seed", 7);
    assertThat(send(body)).extracting(HttpResponse::statusCode, HttpResponse::body).startsWith(200);
    HttpResponse<String> second = send(body);

    List<Received> spans = spans();
    assertThat(spans)
        .hasSize(2)
        .allSatisfy(span -> {
          assertThat(span.name()).isEqualTo("text_completion tiny");
          assertThat(span.kind()).isEqualTo("SERVER");
          assertThat(span.traceId()).isEqualTo(TRACE);
          assertThat(span.parentId()).isEqualTo(PARENT);
          assertThat(span.error()).isNull();
          assertThat(span.attributes())
              .containsEntry("gen_ai.operation.name", "text_completion")
              .containsEntry("gen_ai.provider.name", "ebb")
              .containsEntry("ebb.policy", "lru")
              .containsEntry("ebb.evictions", 0L)
              .containsEntry("ebb.tokens.disk_hit", 0L)
              .containsEntry("gen_ai.request.model", "tiny")
              .containsEntry("gen_ai.request.max_tokens", 5L)
              .containsEntry("gen_ai.request.temperature", 0.0)
              .containsEntry("gen_ai.request.seed", 7L)
              .containsEntry("gen_ai.request.stream", false)
              .containsEntry("gen_ai.usage.input_tokens", 20L)
              .containsEntry("gen_ai.usage.output_tokens", 5L)
              .containsEntry("gen_ai.response.finish_reasons", List.of("length"))
              .containsEntry("server.port", (long) server.server.address().getPort());
        });
    // Two blocks of eight tokens were cached.
    assertThat(spans)
        .extracting(span -> span.attributes().get("gen_ai.usage.cache_read.input_tokens"))
        .containsExactly(0L, 16L);
    assertThat(spans)
        .extracting(span -> span.attributes().get("ebb.tokens.memory_hit"))
        .containsExactly(0L, 16L);
    assertThat(spans.getLast().attributes())
        .containsEntry(
            "gen_ai.response.id", TestServer.JSON.readTree(second.body()).get("id").asString());
  }

  @Test
  void aStreamHasTheTimeOfItsFirstChunk() throws Exception {
    send(Map.of("prompt", new int[] {5, 6, 7}, "max_tokens", 3, "stream", true, "n", 2));

    assertThat(spans())
        .singleElement()
        .satisfies(span -> {
          assertThat(span.attributes())
              .containsEntry("gen_ai.request.stream", true)
              .containsEntry("gen_ai.request.choice.count", 2L);
          assertThat((Double) span.attributes().get("gen_ai.response.time_to_first_chunk"))
              .isPositive()
              .isLessThanOrEqualTo((span.endNanos() - span.startNanos()) / 1e9 + 1);
          assertThat((List<?>) span.attributes().get("gen_ai.response.finish_reasons")).hasSize(2);
        });
  }

  @Test
  void anAnswerThatNeedsRoomHasEvictedWhatIsCold() throws Exception {
    // 256 cells of memory: the third prompt replaces the first.
    for (int i = 0; i < 3; i++) {
      send(Map.of("prompt", TestServer.prompt(i, 96), "max_tokens", 8, "ignore_eos", true));
    }
    long evicted =
        server.server.ebb().stats().devices().stream()
            .mapToLong(device -> device.reclaim().evictedEntries())
            .sum();

    assertThat(evicted).isPositive();
    assertThat(spans())
        .extracting(span -> (Long) span.attributes().get("ebb.evictions"))
        .containsExactly(0L, 0L, evicted);
  }

  @Test
  void tokensFromTheDiskAndFromMemoryAreCountedApart() throws Exception {
    server.close();
    Path config = folder.resolve("ebb.conf");
    Files.writeString(
        config,
        "ebb.tiers.disk { path = \"%s\", size = 33 MiB, region-size = 1 MiB }\n"
            .formatted(folder.resolve("prefixes")),
        StandardOpenOption.APPEND);
    Map<String, ?> body =
        Map.of("prompt", IntStream.range(10, 50).toArray(), "max_tokens", 3, "ignore_eos", true);
    for (int run = 0; run < 2; run++) {
      server = TestServer.start(folder.resolve("tiny.gguf"), config, 256, 2, "lru");
      send(body);
      if (run == 0) {
        server.close();
      }
    }
    Map<String, Object> restarted = spans().getLast().attributes();
    assertThat((Long) restarted.get("ebb.tokens.disk_hit"))
        .isPositive()
        .isEqualTo(restarted.get("gen_ai.usage.cache_read.input_tokens"));
    assertThat(restarted).containsEntry("ebb.tokens.memory_hit", 0L);
  }

  @Test
  void aCompleteAnswerIsAnExemplar() throws Exception {
    send(Map.of("prompt", new int[] {5, 6, 7}, "max_tokens", 3, "ignore_eos", true));
    String scraped;
    try (HttpClient client = HttpClient.newHttpClient()) {
      scraped =
          client
              .send(
                  server
                      .request("/metrics")
                      .header("Accept", "application/openmetrics-text; version=1.0.0")
                      .build(),
                  HttpResponse.BodyHandlers.ofString())
              .body();
    }

    assertThat(scraped.lines().filter(line -> line.contains(" # {")))
        .singleElement()
        .asString()
        .startsWith("ebb_e2e_request_latency_seconds_bucket")
        .contains("trace_id=\"" + TRACE + "\"", spans().getFirst().spanId());
  }

  @Test
  void aClientThatDisconnectsIsAnError() throws Exception {
    try (Socket client = server.connect(new int[] {5, 6, 7}, 200)) {
      // The answer has begun.
      assertThat(client.getInputStream().read()).isPositive();
    }
    Awaiting.until(() -> server.requests().running() == 0);

    assertThat(spans())
        .singleElement()
        .satisfies(span -> {
          assertThat(span.error()).isNotNull();
          assertThat(span.attributes()).containsEntry("error.type", "cancelled");
        });
  }

  @Test
  void theShareOfTracesChangesAtRunTime() throws Exception {
    Map<String, ?> body = Map.of("prompt", new int[] {5, 6, 7}, "max_tokens", 1);
    server.server.ebb().policies().config().commit(1, Map.of("ebb.tracing.sample-ratio", 0.0));
    assertThat(server.post("/v1/completions", body).statusCode()).isEqualTo(200);
    server.server.ebb().policies().config().commit(2, Map.of("ebb.tracing.sample-ratio", 1.0));
    assertThat(server.post("/v1/completions", body).statusCode()).isEqualTo(200);

    assertThat(spans()).hasSize(1);
  }

  @Test
  void aRefusedRequestIsNoSpan() throws Exception {
    assertThat(send(Map.of("prompt", new int[0], "max_tokens", 3)).statusCode()).isEqualTo(400);
    assertThat(spans()).isEmpty();
  }
}
