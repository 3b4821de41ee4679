package dev.ebb.host.sequences;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.app.Serving;
import dev.ebb.host.config.Configs;
import dev.ebb.host.http.Json;
import dev.ebb.host.sequences.EventIndex.Block;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import dev.ebb.host.testing.PluginJarBuilder;
import dev.ebb.host.wiring.Host;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;
import tools.jackson.databind.JsonNode;

/** An index that a router keeps from KV events has what the server has of sequences. */
class SequenceEventsTest {

  private static final int BLOCK_TOKENS = SequenceHost.BLOCK_TOKENS;
  private static final int BLOCKS = 64;
  private static final int MOST_TRIES = 300;

  private final HttpClient http = HttpClient.newHttpClient();

  /** What a client has published: salt or adapter, then the tokens of whole blocks. */
  private final Set<List<Object>> published = new HashSet<>();

  private Host host;
  private Serving serving;
  private EngineSocket client;
  private EventIndex index;

  @BeforeEach
  void open(@TempDir Path home) throws IOException {
    PluginJarBuilder.plugin("acme")
        .rankedPolicy("oldest", "entry.lastAccessTick()")
        .tokenPolicy("mean")
        .writeTo(Configs.plugins(home), "acme.jar");
    int replayPort = FreePort.any();
    host =
        SequenceHost.open(
            home,
            BLOCKS,
            """
            ebb.eviction.policy = oldest
            ebb.tokens.policy = mean
            ebb.server.kv-events {
              enabled = true, endpoint = "tcp://127.0.0.1:*"
              replay-endpoint = "tcp://127.0.0.1:%d", buffer-steps = 100000
            }
            ebb.tiers.disk { path = "%s/tier", size = 8 MiB, region-size = 1 MiB }
            """
                .formatted(replayPort, home));
    serving = Serving.start(host);
    client = connect(BLOCK_TOKENS);
    index = new EventIndex(replayPort);
  }

  private EngineSocket connect(int blockTokens) throws IOException {
    EngineSocket connected = new EngineSocket(requireNonNull(serving.unixSocket()));
    connected.call(SequenceHost.model(blockTokens));
    return connected;
  }

  @AfterEach
  void close() throws IOException {
    client.close();
    index.close();
    serving.close();
    host.close();
    http.close();
  }

  @Test
  void anIndexFromEventsHasTheBlocksOfSequences() throws Exception {
    Random random = new Random(7);
    int pruned = 0;
    for (int i = 0; i < 400; i++) {
      String salt = "s" + random.nextInt(2);
      List<Integer> tokens = EngineSocket.tokens(random, 1 + random.nextInt(60));
      List<?> opened = client.call("OPEN", "SALT", salt, "ADAPTER", "sql", tokens);
      Object id = opened.getFirst();
      if (random.nextBoolean()) {
        int written = random.nextInt(tokens.size() + 1);
        client.call("PUBLISH", id, written);
        publish(salt, tokens.subList(0, written));
      }
      List<Integer> answer = EngineSocket.tokens(random, random.nextInt(9));
      client.call("APPEND", id, answer);
      tokens.addAll(answer);
      if (random.nextInt(4) == 0 && tokens.size() > 8) {
        // Its later blocks are not published.
        pruned += ((Long) client.<List<?>>call("PRUNE", id, 8).getFirst()).intValue();
        client.call("FINISH", id);
      } else if (random.nextInt(4) == 0) {
        client.call("ABORT", id);
      } else {
        client.call("FINISH", id);
        publish(salt, tokens);
      }
      if (i % 100 == 50) {
        JsonNode evicted = send("POST", "/api/v1/evict", Map.of("entries", 5));
        // Blocks on their way to the disk are not in use.
        assertThat(evicted.get("before").longValue() - evicted.get("after").longValue())
            .isEqualTo(evicted.get("freedBytes").longValue())
            .isPositive();
      }
    }
    assertThat(pruned).isPositive();
    awaitEqual();
    assertThat(memory()).isNotEmpty();
    assertPublished();
    assertThat(memory().values())
        .allMatch(block -> block.size() == BLOCK_TOKENS && block.adapter().equals("sql"));

    // Each block that the index has on the disk can be read from there.
    Map<Long, Block> disk = index.blocks("DISK");
    assertThat(disk.keySet()).anyMatch(id -> !memory().containsKey(id));
    int read = 0;
    for (Block each : List.copyOf(disk.values())) {
      List<Object> prefix = EventIndex.prefix(disk, each);
      List<?> words = prefix.subList(1, prefix.size());
      if (words.size() % BLOCK_TOKENS == 0 && EventIndex.isWhole(disk, each)) {
        List<?> opened = client.call("OPEN", "SALT", prefix.getFirst(), "ADAPTER", "sql", words);
        assertThat(opened.get(1)).isEqualTo((long) words.size());
        client.call("ABORT", opened.getFirst());
        read++;
      }
    }
    assertThat(read).isPositive();
    awaitEqual();
  }

  @Test
  void flushAllKeepsOnlyWhatSequencesUse() throws Exception {
    List<Integer> used = EngineSocket.tokens(new Random(1), 20);
    client.call("FINISH", client.<List<?>>call("OPEN", used).getFirst());
    client.call(
        "FINISH", client.<List<?>>call("OPEN", EngineSocket.tokens(new Random(2), 20)).getFirst());
    List<?> open = client.call("OPEN", used.subList(0, 8));
    assertThat(open.get(1)).isEqualTo(8L);
    try (Jedis redis = new Jedis("127.0.0.1", serving.address().getPort(), 60_000)) {
      assertThat(redis.flushAll()).isEqualTo("OK");
    }
    awaitEqual();
    assertThat(memory()).hasSize(2);
    client.call("ABORT", open.getFirst());
    assertThat(client.<List<?>>call("OPEN", used).get(1)).isEqualTo(8L);
  }

  @Test
  void theBlocksOfAReplacedModelAreRemoved() throws Exception {
    client.call(
        "FINISH", client.<List<?>>call("OPEN", EngineSocket.tokens(new Random(1), 20)).getFirst());
    awaitEqual();
    assertThat(memory()).hasSize(5);
    client.close();
    // The server notices a while later that the client is gone.
    for (int i = 0; i < MOST_TRIES && !replaced(); i++) {
      Awaiting.pause();
    }
    awaitEqual();
    assertThat(memory()).isEmpty();
  }

  private boolean replaced() throws IOException {
    try {
      client = connect(2 * BLOCK_TOKENS);
      return true;
    } catch (EngineSocket.Refused connected) {
      return false;
    }
  }

  private void publish(String salt, List<Integer> tokens) {
    for (int end = BLOCK_TOKENS; end <= tokens.size(); end += BLOCK_TOKENS) {
      List<Object> prefix = new ArrayList<>(tokens.subList(0, end));
      prefix.addFirst(salt);
      published.add(prefix);
    }
  }

  private Map<Long, Block> memory() {
    return index.blocks("CPU");
  }

  /** Checks that the events of each block, followed to the first, are a published prefix. */
  private void assertPublished() {
    for (Block each : memory().values()) {
      assertThat(published).contains(EventIndex.prefix(memory(), each));
    }
  }

  /** Waits until the index has the blocks that operators see. */
  private void awaitEqual() throws Exception {
    for (int i = 0; i < MOST_TRIES; i++) {
      index.read();
      if (memory().keySet().equals(entries())) {
        return;
      }
      Awaiting.pause();
    }
    assertThat(memory().keySet()).isEqualTo(entries());
  }

  private Set<Long> entries() throws Exception {
    Set<Long> ids = new HashSet<>();
    String cursor = "0";
    do {
      JsonNode page = send("GET", "/api/v1/entries?limit=500&cursor=" + cursor, null);
      for (JsonNode each : page.get("entries")) {
        ids.add(Long.parseUnsignedLong(each.get("key").stringValue().substring(0, 16), 16));
      }
      cursor = page.get("next").asString();
    } while (!cursor.equals("0"));
    return ids;
  }

  private JsonNode send(String method, String path, @Nullable Object body) throws Exception {
    int port = requireNonNull(serving.adminAddress()).getPort();
    HttpResponse<String> response =
        http.send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d%s".formatted(port, path)))
                .header("Content-Type", "application/json")
                .method(
                    method,
                    HttpRequest.BodyPublishers.ofString(body == null ? "" : Json.text(body)))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isBetween(200, 202);
    return requireNonNull(Json.read(response.body(), JsonNode.class));
  }
}
