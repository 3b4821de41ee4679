package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A serving process whose policies and JARs change under its clients. */
class SwapIT {

  /** The block policies of the shipped plugins. */
  static final List<String> SHIPPED =
      List.of(
          """
          lru fifo lfu priority arc sieve s3-fifo clock 2q qdlp lirs gdsf lecar hyperbolic lhd
          w-tinylfu slru t-lru ttl-lru retention session-refs marconi workload-aware predictive
          lifetime
          """
              .split("\\s+"));

  private static final int ROUNDS = Rounds.times(2);
  private static final String SETTINGS =
      """
      pool.size = 8 MiB
      plugins.rescan = 1 s
      eviction.deadline = 5 s
      """;

  @TempDir private Path directory;

  @Test
  void policiesAndJarsChangeUnderTraffic() throws Exception {
    Path plugins = DropFolder.in(directory);
    try (Stream<Path> shipped = Files.list(Ebb.ROOT.resolve("plugins"))) {
      for (Path jar : shipped.filter(file -> file.toString().endsWith(".jar")).toList()) {
        DropFolder.put(jar, plugins, jar.getFileName().toString());
      }
    }
    drop(1);
    try (ServingProcess server =
        new ServingProcess(directory, plugins, SETTINGS, Ebb.SMALL_PROCESS)) {
      AtomicBoolean stopped = new AtomicBoolean();
      CompletableFuture<Long> client = CheckingClient.start(server.resp().getPort(), stopped);
      int version = 1;
      for (int round = 0; round < ROUNDS; round++) {
        for (String policy : SHIPPED) {
          set(server, policy);
        }
        set(server, "acme-first");
        drop(++version);
        awaitVersion(server, "1.0." + version);
      }
      stopped.set(true);
      assertThat(client.get(2, TimeUnit.MINUTES)).isPositive();
      check(server);
      server.terminate();
      assertThat(server.endsWithin(Duration.ofSeconds(30))).isTrue();
      assertThat(server.log()).doesNotContain("Exception");
    }
  }

  private static void check(ServingProcess server) throws IOException, InterruptedException {
    JsonNode stats = server.get("/api/v1/stats").json();
    assertThat(stats.at("/traffic/notAdmitted").asInt()).isZero();
    assertThat(stats.at("/pool/occupancy").asDouble()).isBetween(0.1, 1.0);
    assertThat(server.get("/api/v1/policy").json().at("/quarantine")).isEmpty();
    for (JsonNode swap : server.get("/api/v1/plugins/history").json().at("/history")) {
      assertThat(swap.at("/published").asBoolean()).as("%s", swap).isTrue();
    }
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(3);
    while (server.get("/api/v1/plugins/history").json().at("/loaders").asInt() > 0) {
      assertThat(System.nanoTime()).as("old class loaders are collected").isLessThan(end);
      server.collectGarbage();
      Thread.sleep(100);
    }
  }

  private void drop(int version) throws IOException {
    Path built = directory.resolve("acme.built");
    new PluginJar("acme", "1.0." + version).policy("First", "acme-first").build(built);
    Files.move(
        built,
        directory.resolve("plugins").resolve("acme.jar"),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }

  private static void set(ServingProcess server, String policy)
      throws IOException, InterruptedException {
    ServingProcess.Answer answer =
        server.send("PUT", "/api/v1/policy", "{\"policy\": \"%s\"}".formatted(policy));
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  private static void awaitVersion(ServingProcess server, String version)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (!server.get("/api/v1/policy").json().at("/version/version").asString().equals(version)) {
      assertThat(System.nanoTime()).as("%s takes over", version).isLessThan(end);
      Thread.sleep(100);
    }
  }
}
