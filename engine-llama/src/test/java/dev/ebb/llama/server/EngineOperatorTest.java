package dev.ebb.llama.server;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.scheduler.SchedulerOptions;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.llama.testing.TinyModel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The admin API of a real engine, as operators use it. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EngineOperatorTest {

  private final HttpClient client = HttpClient.newHttpClient();
  private Path config;
  private Path file;

  @BeforeAll
  void open(@TempDir Path folder) throws IOException {
    config = TestServer.configure(folder);
    file =
        new TinyModel()
            .withChatTemplate("{{'<|im_start|>'}} chatml")
            .write(folder.resolve("tiny.gguf"));
  }

  @AfterAll
  void close() {
    client.close();
  }

  private TestServer start(int cells, int parallel, int queued) {
    SchedulerOptions scheduler =
        new SchedulerOptions(
            parallel, 64, queued, Duration.ofMinutes(2), false, Duration.ofSeconds(10), 1_024);
    return TestServer.start(file, config, cells, scheduler, "lru");
  }

  private HttpResponse<String> call(TestServer server, String method, String path, String body)
      throws IOException, InterruptedException {
    InetSocketAddress admin = requireNonNull(server.server.ebb().adminAddress());
    URI uri = URI.create("http://127.0.0.1:%d%s".formatted(admin.getPort(), path));
    return client.send(
        HttpRequest.newBuilder(uri)
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(body))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private JsonNode json(TestServer server, String method, String path, String body)
      throws IOException, InterruptedException {
    HttpResponse<String> response = call(server, method, path, body);
    assertThat(response.statusCode()).as(response.body()).isBetween(200, 201);
    return TestServer.JSON.readTree(response.body());
  }

  private JsonNode get(TestServer server, String path) throws IOException, InterruptedException {
    return json(server, "GET", path, "");
  }

  @Test
  void theStatsCountPreemptionsAndSayHowRequestsEndAndHowLongTheyTake() throws Exception {
    // Four prompts fit, but not with their answers.
    try (TestServer server = start(512, 8, 256)) {
      try (ExecutorService clients = Executors.newFixedThreadPool(8)) {
        for (int i = 0; i < 16; i++) {
          int[] prompt = TestServer.prompt(i, 40);
          clients.execute(() -> server.complete(prompt, 150));
        }
      }
      JsonNode stats = get(server, "/api/v1/stats");
      JsonNode requests = stats.get("requests");
      assertThat(requests.get("preemptions").intValue()).isPositive();
      assertThat(stats.get("sequences").get("preempted").intValue())
          .isEqualTo(requests.get("preemptions").intValue());
      assertThat(stats.get("sequences").get("finished").intValue()).isEqualTo(16);
      assertThat(requests.get("finished").get("length").intValue()).isEqualTo(16);
      assertThat(requests.get("firstToken").get("count").intValue()).isEqualTo(16);
      assertThat(requests.get("firstToken").get("p99").doubleValue()).isPositive();
      assertThat(requests.get("interToken").get("count").intValue()).isEqualTo(16 * 149);
      assertThat(requests.get("batchSize").get("limit").intValue()).isBetween(1, 8);
      // There is a reason once a decision was made, which a fast machine does not need here.
      assertThat(requests.get("batchSize").has("reason")).isTrue();
      assertThat(call(server, "GET", "/metrics", "").body())
          .contains("ebb_request_success_total{finished_reason=\"length\"} 16.0")
          .contains("ebb_num_preemptions_total " + requests.get("preemptions").intValue() + ".0");
    }
  }

  @Test
  void theStatsShowTheQueueAndWhatWasRefused() throws Exception {
    try (TestServer server = start(1_024, 1, 1);
        Socket running = server.connect(TestServer.prompt(1, 40), 900)) {
      Awaiting.until(() -> server.requests().running() == 1);
      try (Socket waiting = server.connect(TestServer.prompt(2, 40), 8)) {
        Awaiting.until(() -> server.requests().waiting() == 1);
        assertThat(server.post("/v1/completions", Map.of("prompt", "x")).statusCode())
            .isEqualTo(429);
        JsonNode requests = get(server, "/api/v1/stats").get("requests");
        assertThat(requests.get("running").intValue()).isOne();
        assertThat(requests.get("waiting").intValue()).isOne();
        assertThat(requests.get("refused").get("queue-full").intValue()).isOne();
        assertThat(waiting.isConnected() && running.isConnected()).isTrue();
        // Two would never fit into the queue, so that waiting is no remedy.
        HttpResponse<String> several =
            server.post("/v1/completions", Map.of("prompt", "x", "n", 2));
        assertThat(several.statusCode()).isEqualTo(400);
        assertThat(several.body()).contains("'2'", "--max-queued");
      }
    }
  }

  private static final int BLOCKS = 10;

  /** Returns the key of the block behind which nothing is cached, of one prompt. */
  private String leaf(TestServer server) throws IOException, InterruptedException {
    String key = "";
    int deepest = -1;
    for (JsonNode entry : get(server, "/api/v1/entries").get("entries")) {
      if (entry.get("depth").intValue() > deepest) {
        deepest = entry.get("depth").intValue();
        key = entry.get("key").stringValue();
      }
    }
    return key;
  }

  @Test
  void cachedBlocksAreListedExplainedAndEvicted() throws Exception {
    try (TestServer server = start(1_024, 4, 16)) {
      int[] prompt = TestServer.prompt(1, BLOCKS * TestServer.BLOCK + 1);
      server.complete(prompt, 1);
      JsonNode entries = get(server, "/api/v1/entries").get("entries");
      assertThat(entries.size()).isEqualTo(BLOCKS);
      assertThat(entries.get(0).get("state").stringValue()).isEqualTo("active");
      String key = leaf(server);
      assertThat(get(server, "/api/v1/entries/" + key).get("depth").intValue())
          .isEqualTo(BLOCKS - 1);
      JsonNode explained = get(server, "/api/v1/explain/" + key);
      assertThat(explained.get("policy").stringValue()).isEqualTo("lru");
      assertThat(explained.get("entry").get("key").stringValue()).isEqualTo(key);

      JsonNode evicted = json(server, "POST", "/api/v1/evict", "{\"entries\": 3}");
      assertThat(evicted.get("entries").intValue()).isEqualTo(3);
      assertThat(TestServer.cached(server.complete(prompt, 1)))
          .isEqualTo((BLOCKS - 3) * TestServer.BLOCK);

      String page = "/api/v1/entries?limit=%d&cursor=";
      JsonNode first = get(server, page.formatted(4) + 0);
      JsonNode rest = get(server, page.formatted(1_000) + first.get("next").stringValue());
      assertThat(first.get("entries").size() + rest.get("entries").size()).isEqualTo(BLOCKS);
      assertThat(rest.get("next").stringValue()).isEqualTo("0");

      JsonNode middle = null;
      for (JsonNode entry : get(server, "/api/v1/entries").get("entries")) {
        middle = entry.get("depth").intValue() == 4 ? entry : middle;
      }
      json(
          server,
          "DELETE",
          "/api/v1/entries/" + requireNonNull(middle).get("key").stringValue(),
          "");
      assertThat(TestServer.cached(server.complete(prompt, 1))).isEqualTo(4 * TestServer.BLOCK);
      json(server, "POST", "/api/v1/evict", "{\"to\": 0}");
      assertThat(TestServer.cached(server.complete(prompt, 1))).isZero();
      assertThat(call(server, "GET", "/api/v1/entries/nothing", "").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void aPinnedSystemPromptStaysWhateverElseIsServed() throws Exception {
    try (TestServer server = start(2_048, 4, 16)) {
      String system = "You are a careful assistant who answers in one word. ".repeat(4);
      HttpResponse<String> early = call(server, "POST", "/api/v1/pins", pin(system));
      assertThat(early.statusCode()).as(early.body()).isEqualTo(404);
      int cached = chat(server, system, "First question?");
      assertThat(cached).isZero();
      JsonNode pin = json(server, "POST", "/api/v1/pins", pin(system));
      assertThat(pin.get("owner").stringValue()).isEqualTo("search");
      assertThat(get(server, "/api/v1/pins").get("pins").size()).isOne();
      assertThat(call(server, "GET", "/metrics", "").body())
          .containsPattern("ebb_pinned_entries [1-9]");

      json(server, "POST", "/api/v1/evict", "{\"to\": 0}");
      for (int i = 0; i < 20; i++) {
        server.complete(TestServer.prompt(i, 200), 4);
      }
      assertThat(chat(server, system, "Second question?"))
          .isGreaterThan(system.length() - 2 * TestServer.BLOCK);

      String key = pin.get("key").stringValue();
      assertThat(call(server, "DELETE", "/api/v1/entries/" + key, "").statusCode()).isEqualTo(409);
      json(server, "DELETE", "/api/v1/pins/" + key, "");
      json(server, "POST", "/api/v1/evict", "{\"to\": 0}");
      assertThat(chat(server, system, "Third question?")).isZero();
    }
  }

  @Test
  void aPinOfAPromptIsFoundUnderItsTenantOnly() throws Exception {
    Map<String, String> keys = Map.of("key-a", "ann", "key-b", "bob");
    try (TestServer server = TestServer.start(file, config, keys, false)) {
      String prompt = "Summarize this report in one sentence. ".repeat(4);
      assertThat(cached(server, prompt, "key-a")).isZero();
      for (Map<String, String> other : List.of(Map.<String, String>of(), Map.of("tenant", "bob"))) {
        assertThat(call(server, "POST", "/api/v1/pins", pin(prompt, other)).statusCode())
            .as("%s", other)
            .isEqualTo(404);
      }
      json(server, "POST", "/api/v1/pins", pin(prompt, Map.of("tenant", "ann")));
      json(server, "POST", "/api/v1/evict", "{\"to\": 0}");
      assertThat(cached(server, prompt, "key-b")).isZero();
      assertThat(cached(server, prompt, "key-a"))
          .isGreaterThan(prompt.length() - 2 * TestServer.BLOCK);
    }
  }

  private static String pin(String prompt, Map<String, String> tenant) {
    Map<String, String> body = new HashMap<>(tenant);
    body.put("prompt", prompt);
    return TestServer.JSON.writeValueAsString(body);
  }

  private static int cached(TestServer server, String prompt, String key)
      throws IOException, InterruptedException {
    HttpResponse<String> response =
        server.post("/v1/completions", Map.of("prompt", prompt, "max_tokens", 1), key);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return TestServer.cached(TestServer.JSON.readTree(response.body()));
  }

  private static String pin(String system) {
    return TestServer.JSON.writeValueAsString(
        Map.of("system", system, "owner", "search", "seconds", 3_600));
  }

  private static int chat(TestServer server, String system, String question)
      throws IOException, InterruptedException {
    HttpResponse<String> response =
        server.post(
            "/v1/chat/completions",
            Map.of(
                "messages",
                List.of(
                    Map.of("role", "system", "content", system),
                    Map.of("role", "user", "content", question)),
                "max_tokens",
                1));
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return TestServer.cached(TestServer.JSON.readTree(response.body()));
  }

  @Test
  void pinsAboveTheBudgetAreRefusedAndThoseWithATimeEnd() throws Exception {
    try (TestServer server = start(64 * TestServer.BLOCK, 1, 16)) {
      server.complete(TestServer.prompt(1, 30 * TestServer.BLOCK + 1), 1);
      String key = leaf(server);
      String body = "{\"key\": \"%s\", \"seconds\": 1}".formatted(key);
      assertThat(call(server, "POST", "/api/v1/pins", body).body())
          .contains("ebb.eviction.pin-budget");
      json(server, "PATCH", "/api/v1/config", change(server, "ebb.eviction.pin-budget", "60 %"));
      json(server, "POST", "/api/v1/pins", body);
      assertThat(get(server, "/api/v1/pins").get("pins").size()).isOne();
      Awaiting.until(() -> count(server, "pins") == 0);
    }
  }

  private int count(TestServer server, String list) throws IOException, InterruptedException {
    return get(server, "/api/v1/" + list).get(list).size();
  }

  private String change(TestServer server, String key, Object value)
      throws IOException, InterruptedException {
    int version = get(server, "/api/v1/config").get("version").intValue();
    return TestServer.JSON.writeValueAsString(
        Map.of("version", version, "changes", Map.of(key, value)));
  }

  @Test
  void namespacesAreCountedAndPromptsArePinnedByTheirFirstTokens() throws Exception {
    try (TestServer server = start(1_024, 4, 16)) {
      int[] prompt = TestServer.prompt(1, BLOCKS * TestServer.BLOCK + 1);
      server.complete(prompt, 1);
      JsonNode namespace = get(server, "/api/v1/namespaces").get("namespaces").get(0);
      assertThat(namespace.get("model").stringValue()).isEqualTo("tiny");
      assertThat(namespace.get("entries").intValue()).isEqualTo(BLOCKS);
      assertThat(call(server, "DELETE", "/api/v1/adapters/none", "").statusCode()).isEqualTo(404);

      int[] first = Arrays.copyOf(prompt, 4 * TestServer.BLOCK);
      JsonNode pin =
          json(
              server,
              "POST",
              "/api/v1/pins",
              TestServer.JSON.writeValueAsString(Map.of("tokens", first)));
      JsonNode entry = get(server, "/api/v1/entries/" + pin.get("key").stringValue());
      assertThat(entry.get("tokens").intValue()).isEqualTo(first.length);
      json(server, "POST", "/api/v1/evict", "{\"to\": 0}");
      assertThat(TestServer.cached(server.complete(prompt, 1))).isEqualTo(first.length);
    }
  }

  @Test
  void evictionsNameTheBlocksThatTheEntriesList() throws Exception {
    try (TestServer server = start(1_024, 4, 16)) {
      server.complete(TestServer.prompt(1, BLOCKS * TestServer.BLOCK + 1), 1);
      String key = leaf(server);
      json(server, "POST", "/api/v1/evict", "{\"entries\": 1}");
      JsonNode evicted = get(server, "/api/v1/evictions").get("evictions").get(0);
      assertThat(evicted.get("key").stringValue()).isEqualTo(key);
      assertThat(evicted.get("bytes").longValue())
          .isEqualTo(server.server.ebb().pool().layout().blockBytes());
    }
  }

  @Test
  void rulesShadowsAndTrialsWorkAsInAServer() throws Exception {
    try (TestServer server = start(1_024, 4, 16)) {
      json(
          server,
          "PATCH",
          "/api/v1/config",
          change(
              server,
              "ebb.eviction.rules",
              TestServer.JSON.readTree(
                  """
                  [{"name": "full", "when": "occupancy", "above": "30 %", "clear-at": "10 %",
                    "sustained-for": "0 s", "min-hold": "0 s", "policy": "fifo"}]
                  """)));
      for (int i = 0; i < 6; i++) {
        server.complete(TestServer.prompt(i, 80), 1);
      }
      Awaiting.until(() -> text(server, "/api/v1/stats", "policy", "rule").equals("full"));
      assertThat(text(server, "/api/v1/stats", "policy", "name")).isEqualTo("fifo");
      json(server, "POST", "/api/v1/evict", "{\"to\": 0}");
      Awaiting.until(() -> text(server, "/api/v1/stats", "policy", "name").equals("lru"));

      JsonNode trial =
          json(server, "POST", "/api/v1/policy/canary", "{\"policy\": \"fifo\", \"seconds\": 600}");
      assertThat(trial.get("before").stringValue()).isEqualTo("lru");
      server.complete(TestServer.prompt(1, 80), 1);
      JsonNode running = get(server, "/api/v1/policy/canary");
      assertThat(running.get("traffic").get("prefixLookups").intValue()).isEqualTo(80);
      assertThat(get(server, "/api/v1/shadows").get("candidates").size()).isEqualTo(2);
      json(server, "DELETE", "/api/v1/policy/canary", "");
      assertThat(text(server, "/api/v1/stats", "policy", "name")).isEqualTo("lru");
    }
  }

  private String text(TestServer server, String path, String section, String property)
      throws IOException, InterruptedException {
    return get(server, path).get(section).get(property).asString("");
  }

  @Test
  void blocksThatAreNotUsedForTheirTimeToLiveExpire() throws Exception {
    try (TestServer server = start(1_024, 1, 16)) {
      int[] prompt = TestServer.prompt(1, BLOCKS * TestServer.BLOCK + 1);
      server.complete(prompt, 1);
      assertThat(TestServer.cached(server.complete(prompt, 1))).isPositive();
      json(server, "PATCH", "/api/v1/config", change(server, "ebb.eviction.ttl", "1 ms"));
      Awaiting.until(() -> count(server, "entries") == 0);
      assertThat(call(server, "GET", "/metrics", "").body())
          .contains("ebb_entries{state=\"expired\"} " + BLOCKS + ".0");
    }
  }
}
