package dev.ebb.host.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.ebb.host.admin.AdminProcess.Answer;
import dev.ebb.host.admin.cluster.ClusterDocument;
import dev.ebb.host.admin.cluster.ClusterMigrationDocument;
import dev.ebb.host.admin.cluster.ClusterValueDocument;
import dev.ebb.host.admin.cluster.RouteDocument;
import dev.ebb.host.cluster.MemoryCluster;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.util.SafeEncoder;

/** The calls for a cluster. */
class ClusterRoutesTest {

  private static final String DRAIN = "/api/v1/cluster/nodes/%s/drain";

  @TempDir private Path home;

  private static MemoryCluster three() {
    return new MemoryCluster("a", "z1", "r1")
        .node("b", "z1", "r2", 50)
        .node("c", "z2", "r3", 0)
        .put("one", 100, "a", "b")
        .put("two", 200, "a")
        .put("three", 400, "b", "c");
  }

  @Test
  void aNodeShowsItselfAndTheOthers() {
    try (AdminProcess process = AdminProcess.start(home, "", three())) {
      ClusterDocument cluster = process.get("/api/v1/cluster").as(ClusterDocument.class);
      assertThat(cluster.name()).isEqualTo("test");
      assertThat(cluster.nodes()).isEqualTo(3);
      assertThat(cluster.values()).isEqualTo(3);
      assertThat(cluster.self().name()).isEqualTo("a");
      assertThat(cluster.self().usedBytes()).isEqualTo(300);
      assertThat(cluster.stats().underReplicated()).isOne();

      List<ClusterDocument.Member> nodes =
          process.get("/api/v1/cluster/nodes").as(ClusterDocument.Members.class).nodes();
      assertThat(nodes)
          .extracting(
              ClusterDocument.Member::name,
              ClusterDocument.Member::self,
              ClusterDocument.Member::state,
              ClusterDocument.Member::rack,
              ClusterDocument.Member::address,
              ClusterDocument.Member::admin)
          .containsExactly(
              tuple("a", true, "active", "r1", "10.0.0.0:7481", null),
              tuple("b", false, "active", "r2", "10.0.0.1:7481", "b:9090"),
              tuple("c", false, "active", "r3", "10.0.0.2:7481", "c:9090"));
      assertThat(process.get("/api/v1/stats").json().at("/cluster/underReplicated").intValue())
          .isOne();
    }
  }

  @Test
  void aValueIsFoundOnItsNodes() {
    try (AdminProcess process = AdminProcess.start(home, "", three().put("a b%", 5, "c", "a"))) {
      ClusterValueDocument value =
          process.get("/api/v1/cluster/values?key=a%20b%25").as(ClusterValueDocument.class);
      assertThat(value.text()).isEqualTo("a b%");
      assertThat(value.key()).isEqualTo("a%20b%25");
      assertThat(value.bytes()).isEqualTo(5);
      assertThat(value.crc32c()).hasSize(8);
      assertThat(value.primary()).isEqualTo("c");
      assertThat(value.replicas()).containsExactly("a");
      assertThat(value.state()).isEqualTo("active");
      assertThat(value.expiresAt()).isNull();

      Answer absent = process.get("/api/v1/cluster/values?key=nothing");
      assertThat(absent.status()).isEqualTo(404);
      assertThat(absent.error()).contains("'nothing'");
      assertThat(process.get("/api/v1/cluster/values").error()).contains("?key=");
    }
  }

  @Test
  void aNodeIsDrainedAndActivatedAgain() {
    MemoryCluster cluster = three();
    try (AdminProcess process = AdminProcess.start(home, "", cluster)) {
      Answer started = process.call("POST", DRAIN.formatted("b"), "{}");
      assertThat(started.status()).isEqualTo(202);
      assertThat(started.json().get("state").asString()).isEqualTo("draining");
      String state = "";
      while (!state.equals("drained")) {
        state = process.get("/api/v1/cluster/nodes/b").json().get("state").asString();
      }
      assertThat(process.get("/api/v1/cluster/values?key=three").json().get("primary").asString())
          .isEqualTo("a");

      Answer active = process.call("POST", "/api/v1/cluster/nodes/b/activate", "{}");
      assertThat(active.status()).isEqualTo(200);
      assertThat(active.json().get("state").asString()).isEqualTo("active");

      Answer unknown = process.call("POST", DRAIN.formatted("x"), "{}");
      assertThat(unknown.status()).isEqualTo(404);
      assertThat(unknown.error()).contains("'x'", "a, b, c");
      cluster.lose("b");
      cluster.lose("c");
      Answer alone = process.call("POST", DRAIN.formatted("a"), "{}");
      assertThat(alone.status()).isEqualTo(400);
      assertThat(alone.error()).contains("'a'", "no other node");
    }
  }

  @Test
  void valuesAreMigrated() {
    try (AdminProcess process = AdminProcess.start(home, "", three())) {
      Answer started =
          process.call(
              "POST",
              "/api/v1/cluster/migrations",
              "{\"keys\": [\"one\", \"gone\"], \"node\": \"c\"}");
      assertThat(started.status()).isEqualTo(202);
      assertThat(started.json().get("state").asString()).isEqualTo("copying");
      String path = "/api/v1/cluster/migrations/" + started.json().get("id").longValue();
      assertThat(process.get(path).json().get("valuesMoved").intValue()).isOne();
      ClusterMigrationDocument end = process.get(path).as(ClusterMigrationDocument.class);
      assertThat(end.state()).isEqualTo("failed");
      assertThat(end.valuesFailed()).isOne();
      assertThat(end.bytesMoved()).isEqualTo(100);
      assertThat(end.error()).contains("'gone'");
      assertThat(
              process
                  .get("/api/v1/cluster/migrations")
                  .as(ClusterMigrationDocument.All.class)
                  .migrations())
          .containsExactly(end);
      assertThat(process.get("/api/v1/cluster/migrations/9").error()).contains("'9'");
      for (String body :
          List.of(
              "{\"node\": \"c\"}",
              "{\"keys\": [], \"node\": \"c\"}",
              "{\"keys\": [1], \"node\": \"c\"}",
              "{\"keys\": [\"\"], \"node\": \"c\"}",
              "{\"keys\": [\"a\"]}",
              "{\"keys\": [\"a\"], \"node\": \"x\"}")) {
        assertThat(process.call("POST", "/api/v1/cluster/migrations", body).status())
            .as(body)
            .isEqualTo(400);
      }
      String none = "{\"keys\": [], \"node\": \"c\"}";
      assertThat(process.call("POST", "/api/v1/cluster/migrations", none).error())
          .contains("'keys' is empty");
    }
  }

  @Test
  void nodesAreRankedByTheKeysOfARequest() {
    try (AdminProcess process = AdminProcess.start(home, "", three())) {
      List<RouteDocument> routes =
          process
              .call("POST", "/api/v1/route", "{\"keys\": [\"one\", \"two\"], \"chunkTokens\": 16}")
              .as(RouteDocument.All.class)
              .routes();
      assertThat(routes)
          .containsExactly(
              new RouteDocument("a", "a:6380", 2, 32, 0, 1),
              new RouteDocument("b", "b:6380", 1, 16, 200, 0.5),
              new RouteDocument("c", "c:6380", 0, 0, 300, 0));

      ProtocolCommand route = () -> "EBB.ROUTE".getBytes(StandardCharsets.UTF_8);
      List<?> nodes = (List<?>) process.jedis().sendCommand(route, "TOKENS", "16", "one", "two");
      assertThat(nodes).hasSize(3);
      assertThat(SafeEncoder.encodeObject(nodes.getFirst()))
          .isEqualTo(List.of("a", "a:6380", 2L, 32L, 0L, "1.000"));
    }
  }

  @Test
  void aLongPromptIsRoutedToTheNodeThatServedItsPrefix() {
    try (AdminProcess process = AdminProcess.start(home, "", three())) {
      String prompt =
          IntStream.range(100_000, 200_000)
              .mapToObj(String::valueOf)
              .collect(Collectors.joining(","));
      String body = "{\"tokens\": [%s], \"chunkTokens\": 256}";
      RouteDocument first = best(process, body.formatted(prompt));
      assertThat(first.prefix()).isZero();
      assertThat(first.tokensSaved()).isZero();
      RouteDocument again = best(process, body.formatted(prompt + ",7"));
      assertThat(again.node()).isEqualTo(first.node());
      assertThat(again.prefix()).isEqualTo(390);
      assertThat(again.tokensSaved()).isEqualTo(390 * 256);
    }
  }

  private static RouteDocument best(AdminProcess process, String body) {
    Answer answer = process.call("POST", "/api/v1/route", body);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer.as(RouteDocument.All.class).routes().getFirst();
  }

  @Test
  void aWrongRequestForARouteIsRefused() {
    try (AdminProcess process = AdminProcess.start(home, "", three())) {
      for (String body :
          List.of(
              "{}",
              "{\"keys\": [\"a\"], \"tokens\": [1]}",
              "{\"tokens\": []}",
              "{\"tokens\": [1.5]}",
              "{\"tokens\": [\"1\"]}",
              "{\"tokens\": [1], \"chunkTokens\": 0}")) {
        assertThat(process.call("POST", "/api/v1/route", body).status()).as(body).isEqualTo(400);
      }
      String large = "{\"keys\": [\"%s\"]}".formatted("a".repeat(1 << 20));
      assertThat(process.call("POST", "/api/v1/route", large).status()).isEqualTo(413);
    }
  }

  @Test
  void withoutAClusterEachCallSaysHowToEnableOne() {
    try (AdminProcess process = AdminProcess.start(home, "")) {
      for (String path : List.of("", "/nodes", "/nodes/a", "/values?key=a", "/migrations")) {
        Answer answer = process.get("/api/v1/cluster" + path);
        assertThat(answer.status()).as(path).isEqualTo(404);
        assertThat(answer.error()).contains("ebb.cluster.enabled = true");
      }
      assertThat(process.call("POST", DRAIN.formatted("a"), "{}").status()).isEqualTo(404);
      assertThat(process.call("POST", "/api/v1/route", "{\"keys\": [\"a\"]}").error())
          .contains("ebb.cluster.enabled = true");
      assertThat(process.get("/api/v1/stats").json().get("cluster").isNull()).isTrue();
      assertThat(process.get("/metrics").body()).doesNotContain("ebb_cluster_");
    }
  }
}
