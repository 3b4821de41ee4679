package dev.ebb.host.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.ebb.host.admin.policy.ShadowDocument;
import dev.ebb.host.config.Configs;
import dev.ebb.host.testing.Awaiting;
import dev.ebb.host.testing.PluginJarBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** Shadow policies and recordings of a server whose client works as LMCache does. */
class ChainedShadowsTest {

  private static final int REQUESTS = 300;

  /** The pool holds about a fifth of the chunks. */
  private static final String SETTINGS =
      """
      ebb.pool.size = 8 MiB
      ebb.eviction.policy = recent
      ebb.plugins { folder = plugins, run = run }
      ebb.eviction { threshold = 1, target = 1 }
      ebb.shadow { policies = ["second"], rate = 1 }
      """;

  private static final String RECENT =
      """
      package acme;

      import dev.ebb.spi.*;

      public final class Recent implements BlockPolicyProvider {
        public String name() { return "recent"; }

        public BlockPolicy<?> create(PolicyContext context) {
          return new RankedBlockPolicy() {
            protected double rank(Entry entry) { return entry.lastAccessTick(); }
          };
        }
      }
      """;

  @TempDir private Path home;

  @BeforeEach
  void addLeastRecentlyUsed() {
    PluginJarBuilder.plugin("recent")
        .provider("acme.Recent", RECENT)
        .writeTo(Configs.plugins(home), "recent.jar");
  }

  private static JsonNode send(RunningEbb ebb, int seed, int connections) {
    Run run =
        Run.of(
            "replay",
            "--synthetic",
            "chat",
            "--requests",
            "" + REQUESTS,
            "--seed",
            "" + seed,
            "--through",
            "127.0.0.1:" + ebb.port(),
            "--value-size",
            "4 KiB",
            "--connections",
            "" + connections,
            "--shape",
            "lmcache-redis",
            "--in-order",
            "--json");
    assertThat(run.exitCode()).as(run.err()).isZero();
    return new ObjectMapper().readTree(run.out());
  }

  private static ShadowDocument shadows(RunningEbb ebb) {
    return new ObjectMapper()
        .readValue(ebb.run("policy", "compare", "--json").out(), ShadowDocument.class);
  }

  @ParameterizedTest(name = "{0} connections")
  @ValueSource(ints = {1, 8})
  void theActivePolicyIsEstimatedAsItServes(int connections) {
    try (RunningEbb ebb = RunningEbb.start(home, SETTINGS)) {
      send(ebb, 1, connections);
      Awaiting.until(() -> shadows(ebb).since() != null);
      long chunks = send(ebb, 2, connections).at("/chunks").asLong();
      Awaiting.until(() -> shadows(ebb).candidates().getFirst().sampledAccesses() >= chunks);

      ShadowDocument shadows = shadows(ebb);
      double served = requireNonNull(shadows.prefixHitRatio());
      assertThat(served).isCloseTo(requireNonNull(shadows.hitRatio()), within(1e-9));
      assertThat(served).isBetween(0.5, 0.95);
      ShadowDocument.Candidate active = shadows.candidates().getFirst();
      assertThat(active.policy()).isEqualTo("recent");
      assertThat(active.enough()).isTrue();
      // Requests that run at the same time keep each other's chunks.
      assertThat(active.prefixHitRatio())
          .isCloseTo(served, within(connections == 1 ? 0.001 : 0.03));
      assertThat(ebb.run("policy", "compare").out())
          .contains("PREFIX HITS", "its counted prefix hits", "'ebb stats'")
          .doesNotContain("HIT RATIO");

      for (int i = 0; i < 3_000; i++) {
        ebb.jedis().get("missing-" + i);
      }
      Awaiting.until(() -> ebb.run("policy", "compare").out().contains("HIT RATIO"));
      assertThat(ebb.run("policy", "compare").out())
          .contains("PREFIX HITS", "its counted hit ratio", "its prefix hits");
    }
  }

  @Test
  void aRecordingReplaysToTheHitsOfTheServer() throws Exception {
    Path trace = home.resolve("live.jsonl");
    int lines = REQUESTS + 20;
    try (RunningEbb ebb = RunningEbb.start(home, SETTINGS)) {
      CompletableFuture<Run> recording =
          CompletableFuture.supplyAsync(
              () -> ebb.run("record", "--output", trace.toString(), "--requests", "" + lines));
      Awaiting.until(() -> Files.exists(home.resolve("live.jsonl.part")));
      JsonNode served = send(ebb, 1, 1);
      // Its last request ends with its connection.
      Awaiting.until(() -> stats(ebb).at("/clients/connections").asInt() == 0);
      int others = lines - stats(ebb).at("/keys/chains/requests").asInt();
      assertThat(others).isPositive();
      for (int i = 0; i < others; i++) {
        ebb.jedis().get("missing-" + i);
      }
      Run run = recording.get(60, TimeUnit.SECONDS);
      assertThat(run.err()).isEmpty();
      assertThat(Files.readAllLines(trace)).hasSize(lines);

      Run replay =
          Run.of(
              "replay",
              trace.toString(),
              "--capacity",
              served.at("/resident").asString(),
              "--policies",
              "recent",
              "--json",
              "--config",
              home.resolve("ebb.conf").toString());
      JsonNode replayed = new ObjectMapper().readTree(replay.out()).at("/runs/0");
      double chunks = served.at("/chunks").asDouble();
      // A pause in the middle of a lookup makes two requests of one.
      assertThat(replayed.at("/references").asDouble() - others)
          .isCloseTo(chunks, withinPercentage(2));
      assertThat(replayed.at("/hits").asDouble() / chunks)
          .isCloseTo(served.at("/hitRatio").asDouble(), within(0.01));
    }
  }

  private static JsonNode stats(RunningEbb ebb) {
    return new ObjectMapper().readTree(ebb.run("stats", "--json").out());
  }
}
