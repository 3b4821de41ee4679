package dev.ebb.jlama;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.config.PolicySpec;
import dev.ebb.host.config.hocon.ConfigOverride;
import dev.ebb.host.config.key.PriorityScale;
import dev.ebb.host.engine.stats.DeviceStats;
import dev.ebb.host.http.AccessTokens;
import dev.ebb.host.http.HttpOptions;
import dev.ebb.host.scheduler.SchedulerOptions;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.Histories;
import dev.ebb.server.completion.EngineServer;
import dev.ebb.server.completion.ServerOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class JlamaServerTest {

  private static final int ANSWER = 12;
  private static final JsonMapper JSON = new JsonMapper();
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private static TinyJlama tiny;
  private static Path config;

  @BeforeAll
  static void open(@TempDir Path temp) throws IOException {
    tiny = new TinyJlama(temp);
    config =
        Files.writeString(
            temp.resolve("ebb.conf"),
            """
            ebb.plugins { folder = "%s", run = "%s" }
            ebb.admin.enabled = false
            """
                .formatted(temp.resolve("plugins"), temp.resolve("run")));
  }

  @AfterAll
  static void close() {
    tiny.close();
    CLIENT.close();
  }

  private static EngineServer start(int tokens, String policy) {
    return EngineServer.start(
        new JlamaBackend(),
        new ServerOptions(
            tiny.folder,
            "tiny",
            tokens,
            null,
            TinyJlama.BLOCK_TOKENS,
            null,
            false,
            new SchedulerOptions(
                4, 64, 256, Duration.ofMinutes(2), false, Duration.ofSeconds(10), 1_024),
            new HttpOptions(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                AccessTokens.NONE,
                null,
                new HttpOptions.Names("--port", "--api-key-file", "--tls-certificate")),
            false,
            PriorityScale.LARGER_FIRST,
            config,
            List.of(new ConfigOverride("ebb.eviction.policy", policy, "--eviction-policy"))),
        () -> {});
  }

  private static HttpResponse<String> post(EngineServer server, String path, Map<String, ?> body)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:%d%s".formatted(server.address().getPort(), path));
    return CLIENT.send(
        HttpRequest.newBuilder(uri)
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(JSON.writeValueAsString(body)))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private static JsonNode complete(EngineServer server, int[] prompt, int tokens)
      throws IOException, InterruptedException {
    HttpResponse<String> response = post(server, "/v1/completions", greedy(prompt, tokens, false));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return JSON.readTree(response.body());
  }

  private static Map<String, ?> greedy(int[] prompt, int tokens, boolean stream) {
    return Map.of(
        "prompt",
        prompt,
        "max_tokens",
        tokens,
        "temperature",
        0,
        "ignore_eos",
        true,
        "return_token_ids",
        !stream,
        "stream",
        stream);
  }

  private static List<Integer> tokens(JsonNode answer) {
    return Arrays.stream(
            JSON.convertValue(answer.get("choices").get(0).get("token_ids"), int[].class))
        .boxed()
        .toList();
  }

  private static int cached(JsonNode answer) {
    return answer.get("usage").get("prompt_tokens_details").get("cached_tokens").intValue();
  }

  private static DeviceStats device(EngineServer server) {
    return server.ebb().stats().devices().getFirst();
  }

  /** Sends all prompts from several clients, and returns how many answers were wrong. */
  private static long wrong(EngineServer server, List<int[]> prompts) throws Exception {
    List<List<Integer>> expected =
        prompts.stream().map(prompt -> tiny.reference(prompt, ANSWER).tokens()).toList();
    try (ExecutorService clients = Executors.newFixedThreadPool(6)) {
      List<Future<List<Integer>>> answers = new ArrayList<>();
      for (int[] prompt : prompts) {
        answers.add(clients.submit(() -> tokens(complete(server, prompt, ANSWER))));
      }
      long wrong = 0;
      for (int i = 0; i < answers.size(); i++) {
        wrong += answers.get(i).get().equals(expected.get(i)) ? 0 : 1;
      }
      return wrong;
    }
  }

  @Test
  void conversationsComputeOnlyTheirNewTokens() throws Exception {
    Random random = new Random(3);
    int[] system = TinyJlama.tokens(random, 48);
    int cached = 0;
    int all = 0;
    try (EngineServer server = start(16_384, "lru")) {
      for (int user = 0; user < 3; user++) {
        int[] prompt = system;
        for (int turn = 0; turn < 6; turn++) {
          prompt = join(prompt, TinyJlama.tokens(random, 20));
          JsonNode answer = complete(server, prompt, ANSWER);
          List<Integer> generated = tokens(answer);
          assertThat(generated).isEqualTo(tiny.reference(prompt, ANSWER).tokens());
          cached += cached(answer);
          all += prompt.length;
          prompt = join(prompt, generated.stream().mapToInt(Integer::intValue).toArray());
        }
      }
      assertThat(server.counters().promptTokens()).isEqualTo(all - cached);
    }
    assertThat((double) cached / all).isGreaterThan(0.6);
  }

  @Test
  void aPromptThatIsCachedAsAWholeIsAnsweredTheSame() throws Exception {
    int[] prompt = TinyJlama.tokens(new Random(4), 4 * TinyJlama.BLOCK_TOKENS);
    try (EngineServer server = start(1_024, "lru")) {
      List<Integer> first = tokens(complete(server, prompt, ANSWER));
      JsonNode second = complete(server, prompt, ANSWER);
      assertThat(tokens(second)).isEqualTo(first);
      assertThat(cached(second)).isGreaterThanOrEqualTo(3 * TinyJlama.BLOCK_TOKENS);
    }
  }

  @Test
  void evictionAndSwitchesUnderLoadChangeNoAnswer() throws Exception {
    List<int[]> prompts = TinyJlama.prompts(Histories.times(25), 5);
    try (EngineServer server = start(640, "lru");
        ExecutorService operator = Executors.newSingleThreadExecutor()) {
      Future<?> switches =
          operator.submit(() -> {
            for (int i = 0; i < 10; i++) {
              server.ebb().policies().use(PolicySpec.of(i % 2 == 0 ? "fifo" : "lru"));
              Thread.sleep(200);
            }
            return null;
          });
      assertThat(wrong(server, prompts)).isZero();
      switches.get();
      assertThat(device(server).evictedEntries()).isPositive();
      assertThat(device(server).cache().residentBlocks()).isLessThanOrEqualTo(40);
      assertThat(server.ebb().stats().openSequences()).isZero();
    }
  }

  @Test
  void cancelledRequestsLeaveNothing() throws Exception {
    try (EngineServer server = start(1_024, "lru");
        ExecutorService clients = Executors.newFixedThreadPool(8)) {
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < Histories.times(60); i++) {
        int number = i;
        all.add(
            clients.submit(() -> {
              cancelled(server, number);
              return null;
            }));
      }
      for (Future<?> each : all) {
        each.get();
      }
      Awaiting.until(() -> server.ebb().stats().openSequences() == 0);
      int[] prompt = TinyJlama.tokens(new Random(6), 100);
      assertThat(tokens(complete(server, prompt, ANSWER)))
          .isEqualTo(tiny.reference(prompt, ANSWER).tokens());
      server.ebb().policies().use(PolicySpec.of("fifo"));
      // Every block is free, or of the cache and evictable.
      assertThat(device(server).usedBytes()).isEqualTo(device(server).evictableBytes());
    }
  }

  private static void cancelled(EngineServer server, int number) throws IOException {
    byte[] body =
        JSON.writeValueAsBytes(
            greedy(TinyJlama.tokens(new Random(number % 10), 60), 400, number % 2 == 0));
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.address().getPort())) {
      if (number % 3 == 0) {
        socket.setSoLinger(true, 0);
      }
      String head =
          "POST /v1/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
              + "Content-Length: %d\r\n\r\n".formatted(body.length);
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().write(body);
      for (int i = 0; number % 2 == 0 && i < number * 4 % 200; i++) {
        socket.getInputStream().read();
      }
    }
  }

  @Test
  void chatsAreAnsweredByTheTemplateAndSampledBySeed() throws Exception {
    try (EngineServer server = start(1_024, "lru")) {
      Map<String, ?> chat =
          Map.of(
              "messages",
              List.of(Map.of("role", "user", "content", "hello")),
              "max_tokens",
              8,
              "temperature",
              0.8,
              "top_k",
              20,
              "seed",
              5,
              "logprobs",
              true);
      HttpResponse<String> first = post(server, "/v1/chat/completions", chat);
      assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
      JsonNode choice = JSON.readTree(first.body()).get("choices").get(0);
      assertThat(choice.get("message").get("role").stringValue()).isEqualTo("assistant");
      assertThat(choice.get("logprobs").get("content").size()).isPositive();
      JsonNode second =
          JSON.readTree(post(server, "/v1/chat/completions", chat).body()).get("choices").get(0);
      assertThat(second.get("message")).isEqualTo(choice.get("message"));
    }
  }

  @Test
  void aGrammarIsRefused() throws Exception {
    try (EngineServer server = start(1_024, "lru")) {
      HttpResponse<String> refused =
          post(
              server,
              "/v1/completions",
              Map.of("prompt", "a", "response_format", Map.of("type", "json_object")));
      assertThat(refused.statusCode()).isEqualTo(400);
      assertThat(refused.body()).contains("response_format", "llama.cpp");
    }
  }

  private static int[] join(int[] first, int... second) {
    int[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  private static HttpResponse<String> get(EngineServer server, String path) throws Exception {
    URI uri = URI.create("http://127.0.0.1:%d%s".formatted(server.address().getPort(), path));
    return CLIENT.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void runningAnswersMoveWithTheirBlocks() throws Exception {
    try (EngineServer source = start(600, "lru");
        EngineServer target = start(600, "lru");
        ExecutorService clients = Executors.newSingleThreadExecutor()) {
      int[] prompt = new Random(4).ints(3 * TinyJlama.BLOCK_TOKENS + 2, 3, 60).toArray();
      Map<String, Object> request = new HashMap<>(greedy(prompt, 200, false));
      request.putAll(Map.of("temperature", 1, "seed", 6, "top_p", 0.9));
      List<Integer> stayed = tokens(JSON.readTree(post(source, "/v1/completions", request).body()));
      String to = "http://127.0.0.1:" + target.address().getPort();
      HttpResponse<String> moved = null;
      for (int i = 0; i < 20 && moved == null; i++) {
        Future<HttpResponse<String>> answer =
            clients.submit(() -> post(source, "/v1/completions", request));
        while (moved == null && !answer.isDone()) {
          JsonNode running =
              JSON.readTree(get(source, "/api/v1/sequences").body()).get("sequences");
          if (!running.isEmpty() && running.get(0).get("answer_tokens").intValue() > 5) {
            String path = "/api/v1/sequences/%s/move".formatted(running.get(0).get("id"));
            HttpResponse<String> result = post(source, path, Map.of("to", to));
            moved = result.statusCode() == 200 ? result : null;
          }
        }
        assertThat(tokens(JSON.readTree(answer.get().body()))).isEqualTo(stayed);
      }
      assertThat(moved).isNotNull();
      assertThat(JSON.readTree(moved.body()).get("blocks").intValue()).isGreaterThan(2);
    }
  }
}
