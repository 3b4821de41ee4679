package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.resp.RunningServer;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.FreePort;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.util.SafeEncoder;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** A trace that is sent to the nodes of a cluster. */
@Timeout(120)
class ReplayThroughClusterTest {

  private static final int CONVERSATIONS = 3;
  private static final int TURNS = 6;

  /** The turns of conversation c have the chunks 100 c to 100 c + turn. */
  private static final String LINES =
      IntStream.range(0, CONVERSATIONS * TURNS)
          .mapToObj(i -> {
            int first = i % CONVERSATIONS * 100;
            int last = first + i / CONVERSATIONS;
            return "{\"timestamp\": %d, \"input_length\": 16, \"output_length\": 1, \"hash_ids\": %s}"
                .formatted(i, IntStream.rangeClosed(first, last).boxed().toList());
          })
          .collect(Collectors.joining("\n"));

  @TempDir private static Path home;
  private static final List<RunningEbb> NODES = new ArrayList<>();

  @BeforeAll
  static void startNodes() throws IOException {
    int seed = FreePort.any();
    NODES.add(node("a", seed, seed));
    NODES.add(node("b", FreePort.any(), seed));
    ProtocolCommand route = () -> "EBB.ROUTE".getBytes(StandardCharsets.UTF_8);
    try (Jedis first = client(NODES.getFirst())) {
      String last = "127.0.0.1:" + NODES.getLast().port();
      Awaiting.until(() ->
          SafeEncoder.encodeObject(first.sendCommand(route, "any")).toString().contains(last));
    }
  }

  @BeforeEach
  void removeValues() {
    try (Jedis any = client(NODES.getFirst())) {
      any.flushAll();
    }
  }

  /** Returns a client that waits for longer than a busy machine takes. */
  private static Jedis client(RunningEbb node) {
    return new Jedis("127.0.0.1", node.port(), 60_000);
  }

  @AfterAll
  static void stopNodes() {
    NODES.forEach(RunningEbb::close);
  }

  private static RunningEbb node(String name, int port, int seed) {
    return RunningEbb.start(
        home.resolve(name),
        """
        ebb.pool.size = 24 MiB
        ebb.cluster {
          enabled = true, node = %s, rack = %s, port = %d, transfer-port = 0, replicas = 0
          bind = 127.0.0.1, seeds = ["127.0.0.1:%d"]
        }
        """
            .formatted(name, name, port, seed));
  }

  private static Run replay(String servers, String... more) throws IOException {
    List<String> words = new ArrayList<>(List.of("replay"));
    words.add(Files.writeString(home.resolve("t.jsonl"), LINES).toString());
    words.addAll(List.of("--shape", "lmcache-redis", "--in-order", "--through", servers));
    words.addAll(List.of(more));
    return Run.of(words.toArray(String[]::new));
  }

  /** Returns whether a node reports all chunks. */
  private static boolean hasAll(Jedis node) {
    return IntStream.range(0, CONVERSATIONS * TURNS)
        .map(i -> i / TURNS * 100 + i % TURNS)
        .allMatch(id -> node.exists("trace@1@0@%016x@halfkv_bytes".formatted(id)));
  }

  private static String servers() {
    return NODES.stream().map(node -> "127.0.0.1:" + node.port()).collect(Collectors.joining(","));
  }

  @Test
  void affinityFindsEachConversationWhereItIs() throws IOException {
    Run json = replay(servers(), "--route", "affinity", "--json");

    assertThat(json.exitCode()).as(json.err()).isZero();
    JsonNode result = new ObjectMapper().readTree(json.out());
    assertThat(result.get("route").asString()).isEqualTo("affinity");
    // All but the newest chunk of each turn, and what the directory has not learned yet.
    int hits = CONVERSATIONS * TURNS * (TURNS - 1) / 2;
    assertThat(result.get("hits").intValue()).isBetween(hits / 2, hits);
    JsonNode servers = result.get("servers");
    assertThat(servers).hasSize(2);
    int requests = 0;
    int remote = 0;
    for (JsonNode server : servers) {
      requests += server.get("requests").intValue();
      remote += server.get("chunksFromOthers").intValue();
      assertThat(server.get("replicatedBytes").intValue()).isZero();
    }
    assertThat(requests).isEqualTo(CONVERSATIONS * TURNS);
    assertThat(remote).isLessThan(hits / 2);
  }

  @Test
  void roundRobinReadsChunksFromOtherNodes() throws IOException {
    assertThat(replay("127.0.0.1:" + NODES.getFirst().port()).exitCode()).isZero();
    try (Jedis other = new Jedis("127.0.0.1", NODES.getLast().port(), 60_000)) {
      Awaiting.until(() -> hasAll(other));
    }

    // An odd number of conversations, so that each changes its node in every turn.
    Run text = replay(servers(), "--route", "round-robin");

    assertThat(text.exitCode()).as(text.err()).isZero();
    assertThat(text.out())
        .contains(servers().replace(",", ", ") + ", round-robin")
        .containsPattern("prefix hits +1[.]0000")
        .containsPattern("from others +[1-9]")
        .containsPattern("server +127[.]0[.]0[.]1:" + NODES.getFirst().port() + ": 9 requests");
  }

  @Test
  void aServerOutsideTheClusterIsNamed() throws IOException {
    try (RunningServer other = RunningServer.of(8 << 20)) {
      String outside = "127.0.0.1:" + other.port();
      Run run = replay(servers() + "," + outside, "--route", "affinity");
      assertThat(run.exitCode()).isNotZero();
      assertThat(run.err()).contains("'" + outside + "'", "is not an active node");

      Run first = replay(outside + "," + servers(), "--route", "affinity");
      assertThat(first.err()).contains("--route affinity", "'" + outside + "'", "round-robin");
    }
  }
}
