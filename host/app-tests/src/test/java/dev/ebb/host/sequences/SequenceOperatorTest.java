package dev.ebb.host.sequences;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.app.Serving;
import dev.ebb.host.config.Configs;
import dev.ebb.host.http.Json;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.host.wiring.Host;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What operators of {@code ebb serve} can see and do with sequences of other processes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SequenceOperatorTest {

  private static final int BLOCK_TOKENS = SequenceHost.BLOCK_TOKENS;
  private static final int BLOCKS = 256;
  private static final int BLOCK_BYTES = SequenceHost.BLOCK_BYTES;

  private final HttpClient http = HttpClient.newHttpClient();
  private Host host;
  private Serving serving;
  private EngineSocket client;

  /** So that no test finds the prompts of another. */
  private int prompts;

  @BeforeAll
  void open(@TempDir Path home) throws IOException {
    PluginJarBuilder.plugin("acme")
        .rankedPolicy("oldest", "entry.lastAccessTick()")
        .rankedPolicy("newest", "-entry.lastAccessTick()")
        .writeTo(Configs.plugins(home), "acme.jar");
    host =
        SequenceHost.open(
            home,
            BLOCKS,
            """
            ebb.eviction { policy = oldest, log = true, log-file = "%s/evictions.log" }
            ebb.shadow.rate = 1
            """
                .formatted(home));
    serving = Serving.start(host);
    logFile = home.resolve("evictions.log");
    client = new EngineSocket(requireNonNull(serving.unixSocket()));
    client.call(SequenceHost.model(BLOCK_TOKENS, "QUERIES"));
  }

  private Path logFile;

  @AfterAll
  void close() throws IOException {
    client.close();
    serving.close();
    host.close();
    http.close();
  }

  @BeforeEach
  void empty() throws Exception {
    call("DELETE", "/api/v1/pins/none", null);
    send("POST", "/api/v1/evict", Map.of("to", 0));
  }

  private HttpResponse<String> call(String method, String path, Object body) throws Exception {
    String text = body == null ? "" : Json.text(body);
    URI uri =
        URI.create(
            "http://127.0.0.1:%d%s"
                .formatted(requireNonNull(serving.adminAddress()).getPort(), path));
    return http.send(
        HttpRequest.newBuilder(uri)
            .header("Content-Type", "application/json")
            .method(method, HttpRequest.BodyPublishers.ofString(text))
            .build(),
        HttpResponse.BodyHandlers.ofString());
  }

  private JsonNode send(String method, String path, Object body) throws Exception {
    HttpResponse<String> response = call(method, path, body);
    assertThat(response.statusCode()).as(response.body()).isBetween(200, 202);
    return requireNonNull(Json.read(response.body(), JsonNode.class));
  }

  private JsonNode get(String path) throws Exception {
    return send("GET", path, null);
  }

  private void change(String key, Object value) throws Exception {
    int version = get("/api/v1/config").get("version").intValue();
    send("PATCH", "/api/v1/config", Map.of("version", version, "changes", Map.of(key, value)));
  }

  private List<Integer> prompt(int blocks) {
    int first = ++prompts << 16;
    return IntStream.range(0, blocks * BLOCK_TOKENS).mapToObj(i -> first + i).toList();
  }

  /** Opens and finishes a sequence; returns how many of its tokens were cached. */
  private long use(List<Integer> tokens, Object... options) throws IOException {
    List<Object> words = new ArrayList<>(List.of("OPEN"));
    words.addAll(List.of(options));
    words.add(tokens);
    List<?> reply = client.call(words.toArray());
    client.call("FINISH", reply.get(0));
    return (Long) reply.get(1);
  }

  private List<JsonNode> list(String path, String property) throws Exception {
    return StreamSupport.stream(get(path).get(property).spliterator(), false).toList();
  }

  @Test
  void blocksAreListedExplainedPinnedAndEvicted() throws Exception {
    List<Integer> tokens = prompt(5);
    use(tokens, "TENANT", "ann", "ADAPTER", "sql");
    use(prompt(3));
    List<JsonNode> entries = list("/api/v1/entries", "entries");
    assertThat(entries).hasSize(8);
    JsonNode leaf =
        entries.stream().filter(each -> each.get("tokens").intValue() == 20).findFirst().get();
    String key = leaf.get("key").stringValue();
    assertThat(leaf.get("tenant").stringValue()).isEqualTo("ann");
    assertThat(leaf.get("model").stringValue()).isEqualTo("m");
    assertThat(leaf.get("lora").stringValue()).isEqualTo("sql");
    assertThat(leaf.get("partition").stringValue()).isEqualTo("sequences");
    assertThat(get("/api/v1/explain/" + key).get("policy").stringValue()).isEqualTo("oldest");

    // Pages of any size list each entry once.
    Set<String> seen = new HashSet<>();
    String cursor = "0";
    do {
      JsonNode page = get("/api/v1/entries?limit=3&cursor=" + cursor);
      page.get("entries")
          .forEach(each -> assertThat(seen.add(each.get("key").asString())).isTrue());
      cursor = page.get("next").stringValue();
    } while (!cursor.equals("0"));
    assertThat(seen).hasSize(8);

    Map<String, Object> pin =
        Map.of("tokens", tokens.subList(0, 12), "model", "m", "lora", "sql", "owner", "ops");
    assertThat(call("POST", "/api/v1/pins", Map.of("tokens", tokens)).body()).contains("'model'");
    JsonNode pinned = send("POST", "/api/v1/pins", pin);
    assertThat(pinned.get("bytes").intValue()).isEqualTo(3 * BLOCK_BYTES);
    send("POST", "/api/v1/evict", Map.of("to", 0));
    assertThat(use(tokens, "ADAPTER", "sql")).isEqualTo(12);
    send("DELETE", "/api/v1/pins/" + pinned.get("key").stringValue(), null);
    assertThat(list("/api/v1/pins", "pins")).isEmpty();

    JsonNode evicted = send("POST", "/api/v1/evict", Map.of("entries", 2));
    assertThat(evicted.get("entries").intValue()).isEqualTo(2);
    assertThat(evicted.get("whyNotMore").stringValue()).isEmpty();
    assertThat(use(tokens, "ADAPTER", "sql")).isEqualTo(12);
  }

  @Test
  void anAdaptersBlocksAreCountedAndRemovedAlone() throws Exception {
    List<Integer> tokens = prompt(4);
    use(tokens, "ADAPTER", "sql", "SALT", "pepper");
    use(tokens, "ADAPTER", "chat");
    List<JsonNode> namespaces = list("/api/v1/namespaces", "namespaces");
    assertThat(namespaces).extracting(each -> each.get("entries").intValue()).containsExactly(4, 4);
    assertThat(namespaces).extracting(each -> each.get("lora").asString()).contains("sql", "chat");
    JsonNode removed = send("DELETE", "/api/v1/adapters/sql?model=m", null);
    assertThat(removed.get("bytes").intValue()).isEqualTo(4 * BLOCK_BYTES);
    assertThat(use(tokens, "ADAPTER", "sql", "SALT", "pepper")).isZero();
    assertThat(use(tokens, "ADAPTER", "chat")).isEqualTo(16);
  }

  @Test
  void evictionsAreLoggedWithTheirKeysAndBytesAndCounted() throws Exception {
    long next = get("/api/v1/evictions?tail=0").get("next").intValue();
    use(prompt(3), "TENANT", "ann");
    String key = list("/api/v1/entries", "entries").getFirst().get("key").stringValue();
    send("POST", "/api/v1/evict", Map.of("to", 0));
    List<JsonNode> evicted = list("/api/v1/evictions?since=" + next, "evictions");
    assertThat(evicted).extracting(each -> each.get("key").stringValue()).hasSize(3).contains(key);
    assertThat(evicted).allMatch(each -> each.get("bytes").intValue() == BLOCK_BYTES);
    assertThat(evicted).allMatch(each -> each.get("tenant").stringValue().equals("ann"));
    Awaiting.until(() -> logged(key));
    assertThat(call("GET", "/metrics", null).body())
        .containsPattern("ebb_evicted_bytes_total\\{by=\"demand\",policy=\"oldest\"\\} [1-9]")
        .containsPattern("ebb_lifetime_seconds_count [1-9]");
  }

  private boolean logged(String key) {
    try {
      return Files.readString(logFile).contains("key=" + key);
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
  }

  @Test
  void backgroundEvictionKeepsTheConfiguredLimits() throws Exception {
    change("ebb.eviction.target", 0.2);
    change("ebb.eviction.threshold", 0.3);
    for (int i = 0; i < 20; i++) {
      use(prompt(20));
    }
    JsonNode pool = null;
    for (JsonNode each : list("/api/v1/pool", "pools")) {
      pool = "sequences".equals(each.get("partition").asString()) ? each : pool;
    }
    assertThat(requireNonNull(pool).get("utilisation").doubleValue()).isLessThanOrEqualTo(0.31);
    assertThat(list("/api/v1/pool/map?cells=16", "maps"))
        .extracting(map -> map.get("pool").stringValue())
        .contains("sequences");
    change("ebb.eviction.threshold", 0.9);
    change("ebb.eviction.target", 0.86);
  }

  @Test
  void aRuleWatchesTheirMemoryAndSwitchesTheirPolicy() throws Exception {
    Map<String, String> rule =
        Map.of(
            "name",
            "full",
            "when",
            "occupancy",
            "of",
            "sequences",
            "above",
            "50 %",
            "clear-at",
            "10 %",
            "sustained-for",
            "0 s",
            "min-hold",
            "0 s",
            "policy",
            "newest");
    change("ebb.eviction.rules", List.of(rule));
    for (int i = 0; i < 8; i++) {
      use(prompt(20));
    }
    Awaiting.until(() -> policies().equals(List.of("newest", "newest")));
    send("POST", "/api/v1/evict", Map.of("to", 0));
    Awaiting.until(() -> policies().equals(List.of("oldest", "oldest")));
    change("ebb.eviction.rules", List.of());
  }

  /** Returns the active policy of each partition. */
  private List<String> policies() {
    try {
      return list("/api/v1/stats", "partitions").stream()
          .map(each -> each.get("policy").stringValue())
          .toList();
    } catch (Exception failed) {
      throw new AssertionError(failed);
    }
  }

  @Test
  void shadowsAndTheCurveCountTheirBlocks() throws Exception {
    send("POST", "/api/v1/shadows", Map.of("policies", List.of("newest")));
    // A loop over more than the memory: LRU finds nothing, MRU most of it.
    List<List<Integer>> loop = IntStream.range(0, 32).mapToObj(i -> prompt(10)).toList();
    long deadline = System.nanoTime() + 30_000_000_000L;
    JsonNode newest = null;
    while (newest == null || newest.get("hitRatio").isNull()) {
      assertThat(System.nanoTime()).as("%s", newest).isLessThan(deadline);
      for (List<Integer> each : loop) {
        use(each);
      }
      for (JsonNode each : list("/api/v1/shadows", "candidates")) {
        newest = each.get("policy").stringValue().equals("newest") ? each : newest;
      }
    }
    for (int round = 0; round < 10; round++) {
      for (List<Integer> each : loop) {
        use(each);
      }
    }
    Awaiting.until(() -> better());
    send("DELETE", "/api/v1/shadows/newest", null);
  }

  private boolean better() {
    try {
      return list("/api/v1/shadows", "candidates").stream()
          .filter(each -> each.get("policy").stringValue().equals("newest"))
          .anyMatch(each -> each.get("difference").doubleValue() > 0.2);
    } catch (Exception failed) {
      throw new AssertionError(failed);
    }
  }

  @Test
  void aRecordingHasTheirPrompts() throws Exception {
    List<Integer> tokens = prompt(6);
    URI uri =
        URI.create(
            "http://127.0.0.1:%d/api/v1/recording"
                .formatted(requireNonNull(serving.adminAddress()).getPort()));
    try (InputStream in =
            http.send(
                    HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofInputStream())
                .body();
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      awaitData(lines, "accesses");
      use(tokens);
      use(tokens);
      List<JsonNode> accesses = new ArrayList<>();
      while (accesses.size() < 2) {
        awaitData(lines, "accesses").get("accesses").forEach(accesses::add);
      }
      // Four columns stand before the ids.
      assertThat(accesses).allMatch(row -> row.size() == 4 + 6);
      assertThat(accesses.getFirst().get(1).intValue()).isZero();
      assertThat(accesses.get(1).get(1).intValue()).isEqualTo(6 * BLOCK_BYTES);
    }
  }

  private static JsonNode awaitData(BufferedReader lines, String property) throws IOException {
    String line = lines.readLine();
    while (!line.startsWith("data:") || !line.contains(property)) {
      line = requireNonNull(lines.readLine());
    }
    return requireNonNull(Json.read(line.substring("data:".length()), JsonNode.class));
  }

  @Test
  void observationsThatNoTokenPolicyUsesAreReported() throws IOException {
    List<?> reply = client.call("OPEN", prompt(1));
    Object id = reply.get(0);
    assertThatThrownBy(() -> client.call("OBSERVE", id, "ATTENTION", 0, 1, ""))
        .hasMessageContaining("ATTENTION");
    // Two heads of one dimension: eight bytes.
    assertThat(client.<Object>call("OBSERVE", id, "QUERIES", 0, 1, "12345678")).isEqualTo("UNUSED");
    client.call("ABORT", id);
  }
}
