package dev.ebb.host.admin;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.ServerAddress;
import dev.ebb.host.config.Configs;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.engine.BlockUse;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.Namespace;
import dev.ebb.host.engine.PoolMap;
import dev.ebb.host.engine.Sequence;
import dev.ebb.host.engine.SequenceRequest;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.FailingDevice;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.testing.PluginJarBuilder;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What operators see of an engine and do with it, over its admin API. */
class EngineAdminTest {

  private static final KvLayout LAYOUT = new KvLayout(2, 2, 8, 4, DType.FP16);
  private static final Namespace MODEL = Namespace.of("tiny");
  private static final int BLOCKS = 16;
  private static final Duration TIMEOUT = Duration.ofSeconds(60);

  @TempDir private Path home;
  private final HostDevice host = new HostDevice();
  private final FailingDevice card = new FailingDevice("cuda:0", host);

  @BeforeEach
  void makePlugin() {
    PluginJarBuilder.plugin("acme")
        .policy("lru")
        .policy("second")
        .writeTo(Configs.plugins(home), "acme.jar");
  }

  @AfterEach
  void close() {
    host.close();
  }

  private Ebb start(String settings) {
    String fixed =
        """
        ebb {
          pool.size = %d B
          eviction { policy = lru, threshold = 1, target = 1 }
          admin { enabled = true, port = 0 }
        }
        """
            .formatted(BLOCKS * LAYOUT.blockBytes());
    return Ebb.start(EbbOptions.of(LAYOUT, home).withSettings(fixed + settings), card, host);
  }

  private static AdminClient client(Ebb ebb, String token) {
    int port = requireNonNull(ebb.adminAddress()).getPort();
    return new AdminClient(
        ServerAddress.parse("http://127.0.0.1:" + port).with(token.isEmpty() ? null : token),
        TIMEOUT);
  }

  private static SequenceRequest request(int... tokens) {
    return SequenceRequest.of(MODEL, tokens).withDevice("cuda:0");
  }

  @Test
  void noDoorIsOpenUnlessItIsAskedFor() {
    try (Ebb ebb = start("ebb.admin.enabled = auto")) {
      assertThat(ebb.adminAddress()).isNull();
    }
  }

  @Test
  void theDoorWantsItsToken() {
    try (Ebb ebb = start("ebb.admin.token = s3cret");
        AdminClient without = client(ebb, "");
        AdminClient with = client(ebb, "s3cret")) {
      assertThatThrownBy(() -> without.get("/api/v1/stats")).hasMessageContaining("wants a token");
      assertThat(with.get("/api/v1/stats").document().at("/policy/name").asString())
          .isEqualTo("lru");
    }
    assertThatThrownBy(() -> start("ebb.admin.bind = 0.0.0.0"))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("needs a token");
  }

  @Test
  void theMetricsSayWhatTokenPoliciesDid() throws Exception {
    PluginJarBuilder.plugin("tokens")
        .tokenPolicy("newest")
        .writeTo(Configs.plugins(home), "tokens.jar");
    try (Ebb ebb = start("ebb.tokens { policy = newest, window = 6 }");
        Sequence sequence = ebb.open(request(1, 2, 3, 4, 5, 6, 7, 8, 9, 10))) {
      assertThat(metrics(ebb))
          .contains("ebb_token_passes_total{policy=\"newest\"} 0.0\n")
          .contains("ebb_token_fallbacks_total{reason=\"missing-signal\"} 0.0\n");

      ebb.tokens().maybeEvict(sequence);
      sequence.append(11, 12, 13);
      ebb.tokens().maybeEvict(sequence);

      assertThat(metrics(ebb))
          .contains("ebb_token_passes_total{policy=\"newest\"} 2.0\n")
          .contains("ebb_token_kept_total{policy=\"newest\"} 12.0\n")
          .contains("ebb_token_dropped_total{policy=\"newest\"} 7.0\n")
          .contains(
              "ebb_token_freed_bytes_total{policy=\"newest\"} %s\n"
                  .formatted(2.0 * LAYOUT.blockBytes()))
          .contains("ebb_token_failures_total{reason=\"fault\"} 0.0\n")
          .contains("ebb_token_pass_seconds_count 2\n");
      assertThat(ebb.tokens().counters().removedTokens()).isEqualTo(7);
    }
  }

  private static String metrics(Ebb ebb) throws Exception {
    URI uri =
        URI.create(
            "http://127.0.0.1:%d/metrics".formatted(requireNonNull(ebb.adminAddress()).getPort()));
    try (HttpClient client = HttpClient.newHttpClient()) {
      return client
          .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
          .body();
    }
  }

  @Test
  void theStatsSayWhatSequencesDid() {
    try (Ebb ebb = start("");
        AdminClient client = client(ebb, "")) {
      ebb.open(request(1, 1, 1, 1, 2)).finish();
      ebb.open(request(1, 1, 1, 1, 3, 3));

      JsonNode stats = client.get("/api/v1/stats").document();
      assertThat(stats.at("/server/ready").booleanValue()).isTrue();
      assertThat(stats.at("/sequences/open").intValue()).isOne();
      assertThat(stats.at("/sequences/finished").intValue()).isOne();
      assertThat(stats.at("/tokens/prompt").intValue()).isEqualTo(11);
      assertThat(stats.at("/tokens/matched").intValue()).isEqualTo(4);
      assertThat(stats.at("/pool/capacityBytes").longValue())
          .isEqualTo(2L * BLOCKS * LAYOUT.blockBytes());
      assertThat(stats.at("/pool/usedBytes").longValue()).isEqualTo(2L * LAYOUT.blockBytes());
      JsonNode pools = client.get("/api/v1/pool").document().get("pools");
      assertThat(pools.at("/0/device").asString()).isEqualTo("cuda:0");
      assertThat(pools.at("/0/sequences/0/cachedBlocks").intValue()).isOne();
      assertThat(pools.at("/1/sequences").size()).isZero();
    }
  }

  @Test
  void fairnessIsKnownOnceATenantHasHits() {
    try (Ebb ebb = start("");
        AdminClient client = client(ebb, "")) {
      ebb.open(request(1, 1, 1, 1)).finish();
      JsonNode before = client.get("/api/v1/stats").document();
      assertThat(before.get("tenants").size()).isZero();
      assertThat(before.get("fairness").isNull()).isTrue();

      ebb.open(request(2, 2, 2, 2, 4, 4, 4, 4).withTenant("globex")).finish();
      ebb.open(request(3, 3, 3, 3).withTenant("acme")).finish();
      JsonNode after = client.get("/api/v1/stats").document();
      assertThat(after.at("/tenants/0/name").asString()).isEqualTo("acme");
      assertThat(after.at("/tenants/1/prompt").intValue()).isEqualTo(8);
      assertThat(after.get("fairness").isNull()).isTrue();

      ebb.open(request(3, 3, 3, 3).withTenant("acme")).finish();
      JsonNode unfair = client.get("/api/v1/stats").document();
      assertThat(unfair.at("/tenants/0/matched").intValue()).isEqualTo(4);
      assertThat(unfair.get("fairness").doubleValue()).isEqualTo(0.5);
      ebb.open(request(2, 2, 2, 2, 4, 4, 4, 4).withTenant("globex")).finish();
      assertThat(client.get("/api/v1/stats").document().get("fairness").doubleValue()).isEqualTo(1);
    }
  }

  @Test
  void theMapIsOneCharacterForEachCell() {
    try (Ebb ebb = start("");
        AdminClient client = client(ebb, "")) {
      ebb.open(request(1, 1, 1, 1)).finish();
      ebb.open(request(2, 2, 2, 2, 2));

      JsonNode maps = client.get("/api/v1/pool/map?device=cuda:0").document().get("maps");
      assertThat(maps.size()).isOne();
      JsonNode map = maps.get(0);
      assertThat(map.get("cells").asString()).hasSize(BLOCKS).containsOnlyOnce("c");
      assertThat(map.at("/uses/owned").intValue()).isEqualTo(2);
      assertThat(map.at("/uses/free").intValue()).isEqualTo(BLOCKS - 3);
      assertThat(map.at("/symbols/owned").asString()).isEqualTo("o");

      JsonNode coarse = client.get("/api/v1/pool/map?cells=5").document().at("/maps/1");
      assertThat(coarse.get("cellBlocks").intValue()).isEqualTo(4);
      assertThat(coarse.get("cells").asString()).isEqualTo("....");
      assertThatThrownBy(() -> client.get("/api/v1/pool/map?device=tpu"))
          .hasMessage("no device 'tpu'; this Ebb has [cuda:0, host]");
    }
  }

  @Test
  void anotherPolicyTakesOverWithAllThatIsCached() {
    try (Ebb ebb = start("");
        AdminClient client = client(ebb, "")) {
      for (int i = 0; i < BLOCKS; i++) {
        ebb.open(request(i, i, i, i)).finish();
      }
      JsonNode changed =
          client.send("PUT", "/api/v1/policy", Map.of("policy", "second")).document();
      assertThat(changed.get("policy").asString()).isEqualTo("second");
      assertThat(changed.get("before").asString()).isEqualTo("lru");
      assertThat(ebb.view().pools()).allMatch(pool -> pool.report().policy().equals("second"));

      // All that was cached is still there, and the new policy knows of it.
      assertThat(ebb.pool().report().cachedBlocks()).isEqualTo(BLOCKS);
      ebb.open(request(99, 99, 99, 99)).finish();
      JsonNode left = client.get("/api/v1/evictions").document().at("/evictions/0");
      assertThat(left.get("policy").asString()).isEqualTo("second");
      assertThat(left.get("cause").asString()).isEqualTo("evicted");
      assertThat(left.get("bytes").longValue()).isEqualTo(LAYOUT.blockBytes());

      assertThatThrownBy(() -> client.send("PUT", "/api/v1/policy", Map.of("policy", "thrid")))
          .hasMessageContaining("no policy named 'thrid'");
      assertThat(client.get("/api/v1/policies").document().get("policy").asString())
          .isEqualTo("second");
    }
  }

  @Test
  void limitsChangeWhileItRuns() {
    try (Ebb ebb = start("");
        AdminClient client = client(ebb, "")) {
      client.send(
          "PATCH",
          "/api/v1/config",
          Map.of(
              "version",
              1,
              "changes",
              Map.of("ebb.eviction.threshold", 0.5, "ebb.eviction.target", 0.25)));
      for (int i = 0; i < 2 * BLOCKS; i++) {
        ebb.open(request(i, i, i, i)).finish();
        assertThat(ebb.pool().report().cachedBlocks()).isLessThanOrEqualTo(BLOCKS / 2);
      }
      assertThat(client.get("/api/v1/stats").document().at("/pool/target").doubleValue())
          .isEqualTo(0.25);
      assertThatThrownBy(() ->
              client.send(
                  "PATCH",
                  "/api/v1/config",
                  Map.of("version", 2, "changes", Map.of("ebb.eviction.ttl", "1 h"))))
          .hasMessageContaining("'ebb.eviction.ttl' cannot change while Ebb runs");
    }
  }

  @Test
  void compactionByHandMovesWhatNobodyUses() {
    try (Ebb ebb = start("ebb.pool.defrag { threshold = 1, short-run = 4 }");
        AdminClient client = client(ebb, "")) {
      Sequence[] all = new Sequence[BLOCKS];
      for (int i = 0; i < BLOCKS; i++) {
        all[i] = ebb.open(request(i, i, i, i));
      }
      for (int i = 0; i < BLOCKS; i++) {
        if (i % 2 == 0) {
          all[i].finish();
        } else {
          all[i].abort();
        }
      }
      assertThat(ebb.pool().report().pool().largestFreeRun()).isOne();

      JsonNode done =
          client
              .send("POST", "/api/v1/pool/defrag", Map.of("device", "cuda:0"))
              .document()
              .at("/pools/0");
      assertThat(done.get("blocksMoved").intValue()).isPositive();
      assertThat(done.get("largestFreeRun").intValue()).isGreaterThanOrEqualTo(BLOCKS / 2 - 3);
      assertThat(ebb.pool().report().traffic().compactedBlocks())
          .isEqualTo(done.get("blocksMoved").longValue());
      assertThat(ebb.open(request(2, 2, 2, 2)).matchedTokens()).isEqualTo(4);
    }
  }

  @Test
  void aSequenceMovesToAnotherDevice() throws InterruptedException {
    try (Ebb ebb = start("");
        AdminClient client = client(ebb, "")) {
      Sequence sequence = ebb.open(request(1, 2, 3, 4, 5));
      Map<String, Object> wish =
          Map.of("sequence", sequence.id(), "device", "host", "checksum", true);
      JsonNode started =
          client.send("POST", "/api/v1/pool/migrate", wish).document().at("/migrations/0");
      assertThat(started.get("sequence").longValue()).isEqualTo(sequence.id());

      JsonNode ended = awaitEnd(client, started.get("id").longValue());
      assertThat(ended.get("state").asString()).isEqualTo("complete");
      assertThat(ended.get("blocksCopied").intValue()).isEqualTo(2);
      assertThat(sequence.device()).isEqualTo("host");
      assertThatThrownBy(() -> client.send("POST", "/api/v1/pool/migrate", wish))
          .hasMessageContaining("is on 'host' already");
      assertThat(client.get("/api/v1/pool/migrations").document().get("migrations").size()).isOne();
      assertThatThrownBy(() -> client.get("/api/v1/pool/migrations/77"))
          .hasMessageContaining("no migration '77'");
    }
  }

  @Test
  void blocksMoveWithWhatTheyBelongTo() throws InterruptedException {
    try (Ebb ebb = start("");
        AdminClient client = client(ebb, "")) {
      ebb.open(request(1, 1, 1, 1, 2, 2, 2, 2)).finish();
      Sequence open = ebb.open(request(7, 7, 7, 7, 7));
      PoolMap map = ebb.pool().map();
      List<Integer> used =
          IntStream.range(0, map.blocks())
              .filter(block -> map.use(block) != BlockUse.FREE)
              .boxed()
              .toList();
      assertThat(used).hasSize(4);

      JsonNode started =
          client
              .send(
                  "POST",
                  "/api/v1/pool/migrate",
                  Map.of("blocks", used, "from", "cuda:0", "device", "host"))
              .document()
              .get("migrations");
      // Two blocks are one sequence's, the other two one prefix.
      assertThat(started.size()).isEqualTo(2);
      for (JsonNode each : started) {
        assertThat(awaitEnd(client, each.get("id").longValue()).get("state").asString())
            .isEqualTo("complete");
      }
      assertThat(open.device()).isEqualTo("host");
      assertThat(ebb.pool().report().pool().freeBlocks()).isEqualTo(BLOCKS);
      assertThat(ebb.open(request(1, 1, 1, 1, 2, 2, 2, 2).withDevice("host")).matchedTokens())
          .isEqualTo(8);
      assertThatThrownBy(() ->
              client.send(
                  "POST",
                  "/api/v1/pool/migrate",
                  Map.of("blocks", List.of(0), "from", "cuda:0", "device", "host")))
          .hasMessage("block '0' of 'cuda:0' is free");
    }
  }

  @Test
  void aMoveWhoseCopiesFailIsGivenUp() throws InterruptedException {
    try (Ebb ebb = start("");
        AdminClient client = client(ebb, "")) {
      Sequence sequence = ebb.open(request(1, 2, 3, 4));
      card.lose();
      JsonNode started =
          client
              .send(
                  "POST",
                  "/api/v1/pool/migrate",
                  Map.of("sequence", sequence.id(), "device", "host"))
              .document()
              .at("/migrations/0");
      JsonNode ended = awaitEnd(client, started.get("id").longValue());
      assertThat(ended.get("state").asString()).isEqualTo("cancelled");
      assertThat(ended.get("reason").asString()).startsWith("copies failed '3' times");
      assertThat(sequence.device()).isEqualTo("cuda:0");
    }
  }

  private static JsonNode awaitEnd(AdminClient client, long id) throws InterruptedException {
    long end = System.nanoTime() + TIMEOUT.toNanos();
    while (true) {
      JsonNode migration = client.get("/api/v1/pool/migrations/" + id).document();
      if (!migration.get("state").asString().equals("copying")) {
        return migration;
      }
      assertThat(System.nanoTime()).as("%s", migration).isLessThan(end);
      Thread.sleep(10);
    }
  }

  @Test
  void theMetricsTellOfTokensAndMoves() throws Exception {
    try (Ebb ebb = start("");
        HttpClient http = HttpClient.newHttpClient()) {
      ebb.open(request(1, 1, 1, 1)).finish();
      ebb.open(request(1, 1, 1, 1, 2)).abort();
      URI uri =
          URI.create(
              "http://127.0.0.1:%d/metrics"
                  .formatted(requireNonNull(ebb.adminAddress()).getPort()));
      String text =
          http.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString())
              .body();
      assertThat(text)
          .contains("\nebb_prompt_tokens_total 9.0\n", "\nebb_prefix_hit_tokens_total 4.0\n")
          .contains("\nebb_sequences_ended_total{end=\"aborted\"} 1.0\n")
          .contains("\nebb_pool_used_bytes{partition=\"cuda:0\"} ")
          .contains("\nebb_moved_blocks_total{kind=\"migration\"} 0.0\n");
    }
  }
}
