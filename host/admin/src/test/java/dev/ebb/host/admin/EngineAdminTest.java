package dev.ebb.host.admin;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ebb.host.admin.entries.EvictionDocument;
import dev.ebb.host.admin.policy.ConfigDocument;
import dev.ebb.host.admin.policy.PolicyDocument;
import dev.ebb.host.admin.pool.CompactionDocument;
import dev.ebb.host.admin.pool.MigrationDocument;
import dev.ebb.host.admin.pool.PoolDocument;
import dev.ebb.host.admin.pool.PoolPicture;
import dev.ebb.host.admin.stats.EngineDocument;
import dev.ebb.host.admin.stats.ProcessDocument;
import dev.ebb.host.client.AdminClient;
import dev.ebb.host.client.ServerAddress;
import dev.ebb.host.config.Configs;
import dev.ebb.host.device.HostDevice;
import dev.ebb.host.engine.Ebb;
import dev.ebb.host.engine.EbbOptions;
import dev.ebb.host.engine.pool.BlockUse;
import dev.ebb.host.engine.pool.PoolMap;
import dev.ebb.host.engine.request.Namespace;
import dev.ebb.host.engine.request.SequenceRequest;
import dev.ebb.host.engine.sequence.Sequence;
import dev.ebb.host.engine.stats.TrafficCounters;
import dev.ebb.host.errors.UserError;
import dev.ebb.host.pool.DType;
import dev.ebb.host.pool.FailingDevice;
import dev.ebb.host.pool.KvLayout;
import dev.ebb.host.testing.Awaiting;
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
        TIMEOUT,
        null);
  }

  private static SequenceRequest request(int... tokens) {
    return SequenceRequest.of(MODEL, tokens).withDevice("cuda:0");
  }

  @Test
  void noServerRunsUnlessItIsAskedFor() {
    try (Ebb ebb = start("ebb.admin.enabled = auto")) {
      assertThat(ebb.adminAddress()).isNull();
    }
  }

  @Test
  void theServerRequiresItsToken() {
    try (Ebb ebb = start("ebb.admin.token = s3cret");
        AdminClient without = client(ebb, "");
        AdminClient with = client(ebb, "s3cret")) {
      assertThatThrownBy(() -> without.get("/api/v1/stats", ProcessDocument.class))
          .hasMessageContaining("wants a token");
      assertThat(stats(with).policy().name()).isEqualTo("lru");
    }
    assertThatThrownBy(() -> start("ebb.admin.bind = 0.0.0.0"))
        .isInstanceOf(UserError.class)
        .hasMessageContaining("ebb.admin.token");
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

  private static EngineDocument stats(AdminClient client) {
    return (EngineDocument) client.get("/api/v1/stats", ProcessDocument.class).document();
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

      EngineDocument stats = stats(client);
      assertThat(stats.server().ready()).isTrue();
      assertThat(stats.sequences().open()).isOne();
      assertThat(stats.sequences().finished()).isOne();
      assertThat(stats.tokens().prompt()).isEqualTo(11);
      assertThat(stats.tokens().matched()).isEqualTo(4);
      assertThat(stats.pool().capacityBytes()).isEqualTo(2L * BLOCKS * LAYOUT.blockBytes());
      assertThat(stats.pool().usedBytes()).isEqualTo(2L * LAYOUT.blockBytes());
      List<PoolDocument> pools =
          client.get("/api/v1/pool", PoolDocument.All.class).document().pools();
      assertThat(pools.get(0).device()).isEqualTo("cuda:0");
      assertThat(requireNonNull(pools.get(0).sequences()).get(0).cachedBlocks()).isOne();
      assertThat(pools.get(0).allocations().count()).isPositive();
      assertThat(pools.get(1).allocations())
          .isEqualTo(new PoolDocument.Durations(0, null, null, null));
      assertThat(pools.get(1).sequences()).isEmpty();
    }
  }

  @Test
  void fairnessIsKnownOnceATenantHasHits() {
    try (Ebb ebb = start("");
        AdminClient client = client(ebb, "")) {
      ebb.open(request(1, 1, 1, 1)).finish();
      EngineDocument before = stats(client);
      assertThat(before.tenants()).isEmpty();
      assertThat(before.fairness()).isNull();

      ebb.open(request(2, 2, 2, 2, 4, 4, 4, 4).withTenant("globex")).finish();
      ebb.open(request(3, 3, 3, 3).withTenant("acme")).finish();
      EngineDocument after = stats(client);
      assertThat(after.tenants().get(0).name()).isEqualTo("acme");
      assertThat(after.tenants().get(1).prompt()).isEqualTo(8);
      assertThat(after.fairness()).isNull();

      ebb.open(request(3, 3, 3, 3).withTenant("acme")).finish();
      EngineDocument unfair = stats(client);
      assertThat(unfair.tenants().get(0).matched()).isEqualTo(4);
      assertThat(unfair.fairness()).isEqualTo(0.5);
      ebb.open(request(2, 2, 2, 2, 4, 4, 4, 4).withTenant("globex")).finish();
      assertThat(stats(client).fairness()).isEqualTo(1.0);
    }
  }

  @Test
  void theMapIsOneCharacterForEachCell() {
    try (Ebb ebb = start("");
        AdminClient client = client(ebb, "")) {
      ebb.open(request(1, 1, 1, 1)).finish();
      ebb.open(request(2, 2, 2, 2, 2));

      List<PoolPicture> maps =
          client.get("/api/v1/pool/map?device=cuda:0", PoolPicture.All.class).document().maps();
      assertThat(maps).hasSize(1);
      PoolPicture map = maps.get(0);
      assertThat(map.cells()).hasSize(BLOCKS).containsOnlyOnce("c");
      assertThat(map.uses().get("owned")).isEqualTo(2);
      assertThat(map.uses().get("free")).isEqualTo(BLOCKS - 3);
      assertThat(map.symbols().get("owned")).isEqualTo("o");

      PoolPicture coarse =
          client.get("/api/v1/pool/map?cells=5", PoolPicture.All.class).document().maps().get(1);
      assertThat(coarse.cellBlocks()).isEqualTo(4);
      assertThat(coarse.cells()).isEqualTo("....");
      assertThatThrownBy(() -> client.get("/api/v1/pool/map?device=tpu", PoolPicture.All.class))
          .hasMessageContainingAll("'tpu'", "[cuda:0, host]");
    }
  }

  @Test
  void anotherPolicyTakesOverWithAllThatIsCached() {
    try (Ebb ebb = start("");
        AdminClient client = client(ebb, "")) {
      for (int i = 0; i < BLOCKS; i++) {
        ebb.open(request(i, i, i, i)).finish();
      }
      PolicyDocument.Changed changed =
          client
              .send(
                  "PUT", "/api/v1/policy", Map.of("policy", "second"), PolicyDocument.Changed.class)
              .document();
      assertThat(changed.policy()).isEqualTo("second");
      assertThat(changed.before()).isEqualTo("lru");
      assertThat(ebb.view().pools()).allMatch(pool -> pool.report().policy().equals("second"));

      // All that was cached is still there, and the new policy knows of it.
      assertThat(ebb.pool().report().cachedBlocks()).isEqualTo(BLOCKS);
      ebb.open(request(99, 99, 99, 99)).finish();
      EvictionDocument left =
          client.get("/api/v1/evictions", EvictionDocument.Log.class).document().evictions().get(0);
      assertThat(left.policy()).isEqualTo("second");
      assertThat(left.cause()).isEqualTo("evicted");
      assertThat(left.bytes()).isEqualTo(LAYOUT.blockBytes());

      assertThatThrownBy(() ->
              client.send(
                  "PUT", "/api/v1/policy", Map.of("policy", "thrid"), PolicyDocument.Changed.class))
          .hasMessageContaining("no policy named 'thrid'");
      assertThat(client.get("/api/v1/policies", PolicyDocument.All.class).document().policy())
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
              Map.of("ebb.eviction.threshold", 0.5, "ebb.eviction.target", 0.25)),
          ConfigDocument.Changed.class);
      for (int i = 0; i < 2 * BLOCKS; i++) {
        ebb.open(request(i, i, i, i)).finish();
        assertThat(ebb.pool().report().cachedBlocks()).isLessThanOrEqualTo(BLOCKS / 2);
      }
      assertThat(stats(client).pool().target()).isEqualTo(0.25);
      assertThatThrownBy(() ->
              client.send(
                  "PATCH",
                  "/api/v1/config",
                  Map.of("version", 2, "changes", Map.of("ebb.server.lookup-lease", "1 s")),
                  ConfigDocument.Changed.class))
          .hasMessageContaining("'ebb.server.lookup-lease' cannot change while Ebb runs");
    }
  }

  @Test
  void manualCompactionMovesUnusedBlocks() {
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

      CompactionDocument done =
          client
              .send(
                  "POST",
                  "/api/v1/pool/defrag",
                  Map.of("device", "cuda:0"),
                  CompactionDocument.All.class)
              .document()
              .pools()
              .get(0);
      assertThat(done.blocksMoved()).isPositive();
      assertThat(done.largestFreeRun()).isGreaterThanOrEqualTo(BLOCKS / 2 - 3);
      assertThat(ebb.pool().report().traffic().compactedBlocks()).isEqualTo(done.blocksMoved());
      assertThat(ebb.open(request(2, 2, 2, 2)).matchedTokens()).isEqualTo(4);
    }
  }

  @Test
  void aSequenceMovesToAnotherDevice() throws Exception {
    try (Ebb ebb = start("");
        AdminClient client = client(ebb, "")) {
      Sequence sequence = ebb.open(request(1, 2, 3, 4, 5));
      Map<String, Object> wish =
          Map.of("sequence", sequence.id(), "device", "host", "checksum", true);
      MigrationDocument started =
          client
              .send("POST", "/api/v1/pool/migrate", wish, MigrationDocument.All.class)
              .document()
              .migrations()
              .get(0);
      assertThat(started.sequence()).isEqualTo(sequence.id());

      MigrationDocument ended = awaitEnd(client, started.id());
      assertThat(ended.state()).isEqualTo("complete");
      assertThat(ended.blocksCopied()).isEqualTo(2);
      assertThat(sequence.device()).isEqualTo("host");
      assertThatThrownBy(
              () -> client.send("POST", "/api/v1/pool/migrate", wish, MigrationDocument.All.class))
          .hasMessageContaining("is on 'host' already");
      assertThat(
              client
                  .get("/api/v1/pool/migrations", MigrationDocument.All.class)
                  .document()
                  .migrations())
          .hasSize(1);
      assertThatThrownBy(() -> client.get("/api/v1/pool/migrations/77", MigrationDocument.class))
          .hasMessageContaining("no migration '77'");

      PoolDocument target =
          client.get("/api/v1/pool", PoolDocument.All.class).document().pools().get(1);
      TrafficCounters traffic = requireNonNull(target.traffic());
      assertThat(traffic.migrations()).isOne();
      assertThat(traffic.migratedBytes()).isEqualTo(2L * LAYOUT.blockBytes());
      PoolDocument.Durations times = requireNonNull(target.migrations());
      assertThat(times.count()).isOne();
      assertThat(times.mean()).isPositive().isLessThanOrEqualTo(times.max());
      assertThat(times.p99()).isPositive().isLessThanOrEqualTo(times.max());
      assertThat(metrics(ebb))
          .contains("\nebb_migrations_total{state=\"complete\"} 1.0\n")
          .contains("\nebb_migrated_bytes_total %.1f\n".formatted(2.0 * LAYOUT.blockBytes()))
          .contains("\nebb_migration_seconds_count 1\n");
    }
  }

  @Test
  void blocksMoveWithWhatTheyBelongTo() {
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

      List<MigrationDocument> started =
          client
              .send(
                  "POST",
                  "/api/v1/pool/migrate",
                  Map.of("blocks", used, "from", "cuda:0", "device", "host"),
                  MigrationDocument.All.class)
              .document()
              .migrations();
      // Two blocks are one sequence's, the other two one prefix.
      assertThat(started.size()).isEqualTo(2);
      for (MigrationDocument each : started) {
        assertThat(awaitEnd(client, each.id()).state()).isEqualTo("complete");
      }
      assertThat(open.device()).isEqualTo("host");
      assertThat(ebb.pool().report().pool().freeBlocks()).isEqualTo(BLOCKS);
      assertThat(ebb.open(request(1, 1, 1, 1, 2, 2, 2, 2).withDevice("host")).matchedTokens())
          .isEqualTo(8);
      assertThatThrownBy(() ->
              client.send(
                  "POST",
                  "/api/v1/pool/migrate",
                  Map.of("blocks", List.of(0), "from", "cuda:0", "device", "host"),
                  MigrationDocument.All.class))
          .hasMessage("block '0' of 'cuda:0' is free");
    }
  }

  @Test
  void aMoveWhoseCopiesFailIsAbandoned() throws Exception {
    try (Ebb ebb = start("");
        AdminClient client = client(ebb, "")) {
      Sequence sequence = ebb.open(request(1, 2, 3, 4));
      card.lose();
      MigrationDocument started =
          client
              .send(
                  "POST",
                  "/api/v1/pool/migrate",
                  Map.of("sequence", sequence.id(), "device", "host"),
                  MigrationDocument.All.class)
              .document()
              .migrations()
              .get(0);
      MigrationDocument ended = awaitEnd(client, started.id());
      assertThat(ended.state()).isEqualTo("cancelled");
      assertThat(ended.reason()).startsWith("copies failed '3' times");
      assertThat(metrics(ebb))
          .contains("\nebb_migrations_total{state=\"cancelled\"} 1.0\n")
          .contains("\nebb_migration_seconds_count 0\n");
      assertThat(sequence.device()).isEqualTo("cuda:0");
    }
  }

  private static MigrationDocument awaitEnd(AdminClient client, long id) {
    long end = System.nanoTime() + TIMEOUT.toNanos();
    while (true) {
      MigrationDocument migration =
          client.get("/api/v1/pool/migrations/" + id, MigrationDocument.class).document();
      if (!migration.state().equals("copying")) {
        return migration;
      }
      assertThat(System.nanoTime()).as("%s", migration).isLessThan(end);
      Awaiting.pause();
    }
  }

  @Test
  void theMetricsTellOfTokensAndMoves() throws Exception {
    try (Ebb ebb = start("")) {
      ebb.open(request(1, 1, 1, 1)).finish();
      ebb.open(request(1, 1, 1, 1, 2)).abort();
      assertThat(metrics(ebb))
          .contains("\nebb_prompt_tokens_total 9.0\n", "\nebb_prefix_hit_tokens_total 4.0\n")
          .contains("\nebb_sequences_ended_total{end=\"aborted\"} 1.0\n")
          .contains("\nebb_pool_used_bytes{partition=\"cuda:0\"} ")
          .contains("\nebb_moved_blocks_total{kind=\"migration\"} 0.0\n");
    }
  }
}
