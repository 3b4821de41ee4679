package dev.ebb.host.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.Awaiting;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** What operators see of a server with a disk tier. */
class TiersCommandTest {

  private static final int KEYS = 300;
  private static final int BYTES = 40_000;

  @TempDir private Path home;

  private Path file() {
    return home.resolve("values");
  }

  private RunningEbb start() {
    return RunningEbb.start(
        home,
        """
        ebb.pool.size = 8 MiB
        ebb.tiers.disk { path = "%s", size = 65 MiB, region-size = 1 MiB, read-timeout = 20 s }
        """
            .formatted(file()));
  }

  private static byte[] value(int i) {
    byte[] bytes = new byte[BYTES];
    new Random(i).nextBytes(bytes);
    return bytes;
  }

  private static JsonNode json(RunningEbb ebb, String... command) {
    String[] all = Arrays.copyOf(command, command.length + 1);
    all[command.length] = "--json";
    return new ObjectMapper().readTree(ebb.run(all).out());
  }

  private static JsonNode disk(RunningEbb ebb) {
    return json(ebb, "tiers").at("/tiers/1");
  }

  /** Stores more than memory has room for, at the speed of the disk. */
  private static void fill(RunningEbb ebb) {
    for (int i = 0; i < KEYS; i++) {
      ebb.jedis().set(bytes(i), value(i));
      if (i % 20 == 0) {
        Awaiting.until(() -> disk(ebb).at("/disk/waitingBytes").asLong() == 0);
      }
    }
    Awaiting.until(() -> disk(ebb).at("/disk/waitingBytes").asLong() == 0);
  }

  private static byte[] bytes(int key) {
    return ("key-" + key).getBytes(StandardCharsets.UTF_8);
  }

  /** Returns a key whose value is only on the disk. */
  private static String onDisk(RunningEbb ebb) {
    return IntStream.range(0, KEYS)
        .mapToObj(i -> "key-" + i)
        .filter(key -> {
          Run run = ebb.run("explain", key, "--json");
          return run.exitCode() == 0 && run.out().contains("\"tier\":\"disk\"");
        })
        .findFirst()
        .orElseThrow();
  }

  @Test
  void countsAreThoseOfTheClient() {
    try (RunningEbb ebb = start()) {
      fill(ebb);
      long hits = 0;
      for (int i = 0; i < KEYS; i++) {
        hits += ebb.jedis().get(bytes(i)) == null ? 0 : 1;
      }
      assertThat(ebb.jedis().get("absent")).isNull();
      JsonNode stats = json(ebb, "stats");
      JsonNode memory = stats.at("/tiers/0");
      JsonNode disk = stats.at("/tiers/1");
      assertThat(stats.at("/traffic/hits").asLong()).isEqualTo(hits);
      assertThat(stats.at("/traffic/misses").asLong()).isEqualTo(KEYS - hits + 1);
      long fromDisk = disk.at("/hits").asLong();
      assertThat(fromDisk).isPositive().isEqualTo(stats.at("/traffic/sources/disk").asLong());
      assertThat(memory.at("/hits").asLong()).isEqualTo(hits - fromDisk);
      assertThat(memory.at("/misses").asLong()).isEqualTo(KEYS + 1 - hits + fromDisk);
      assertThat(disk.at("/hitBytes").asLong()).isEqualTo(BYTES * fromDisk);
      assertThat(disk.at("/misses").asLong()).isEqualTo(KEYS - hits + 1);
      assertThat(disk.at("/disk/newValues").asLong()).isGreaterThanOrEqualTo(fromDisk);
      // Until it is written, what is new is in memory.
      Awaiting.until(() -> disk(ebb).at("/disk/writeAmplification").asDouble() >= 1);
      assertThat(disk.at("/disk/readP99").asDouble()).isPositive();
      assertThat(disk.at("/outOfUseSince").isNull()).isTrue();

      String share = "disk %.1f %%".formatted(100.0 * fromDisk / (KEYS + 1));
      assertThat(ebb.run("stats").out())
          .contains("of which " + share, "disk writes ", " of 64 MiB, ");
      String top = ebb.run("top", "--once").out();
      assertThat(top).contains("disk         [", "disk writes  ", share);
      assertThat(top.lines())
          .allMatch(line -> line.length() <= 80)
          .noneMatch(line -> line.endsWith("..."));
      assertThat(ebb.run("tiers").out())
          .contains("memory  in use", "disk    in use", "file         " + file())
          .containsPattern("\\d too late");
    }
  }

  /** Its shares of memory and disk are those of a client that sends a trace. */
  @ParameterizedTest
  @ValueSource(strings = {"lmcache-redis", "lmcache-mp"})
  void hitsOfATraceAreThoseOfTheClient(String shape) throws IOException {
    Random random = new Random(3);
    String lines =
        IntStream.range(0, 200)
            .mapToObj(i -> random.nextInt(40) * 100)
            .map(first ->
                "{\"timestamp\": 0, \"input_length\": 192, \"output_length\": 1, \"hash_ids\": %s}"
                    .formatted(IntStream.range(first, first + 12).boxed().toList()))
            .collect(Collectors.joining("\n"));
    Path trace = Files.writeString(home.resolve("trace.jsonl"), lines);
    try (RunningEbb ebb = start()) {
      Run replay =
          Run.of(
              "replay",
              trace.toString(),
              "--through",
              "127.0.0.1:" + ebb.port(),
              "--shape",
              shape,
              "--connections",
              "1",
              "--value-size",
              "40 KB",
              "--json");
      assertThat(replay.exitCode()).as(replay.err()).isZero();
      long hits = new ObjectMapper().readTree(replay.out()).at("/hits").asLong();
      JsonNode stats = json(ebb, "stats");
      assertThat(stats.at("/traffic/hits").asLong()).as(replay.out()).isEqualTo(hits);
      assertThat(stats.at("/traffic/sources/disk").asLong()).isBetween(1L, hits);
      JsonNode chains = stats.at("/keys/chains");
      // The order of what a client looks up at once is assumed until it is known.
      assertThat(chains.at("/hits").asLong()).isBetween(hits * 9 / 10, hits * 11 / 10);
      assertThat(chains.at("/hitsElsewhere").asLong()).isBetween(1L, hits);
    }
  }

  @Test
  void aKeyOnTheDiskIsFoundPinnedAndDeleted() {
    try (RunningEbb ebb = start()) {
      fill(ebb);
      String key = onDisk(ebb);
      assertThat(ebb.run("explain", key).out())
          .contains("value    39.1 KiB, on the disk and not in memory", "written  ", " ago")
          .doesNotContain("policy", "state");
      assertThat(ebb.run("keys").out())
          .contains(" values, whose keys are not listed; 'ebb explain KEY' finds one of them.");
      assertThat(ebb.run("pin", key).exitCode()).isZero();
      assertThat(json(ebb, "explain", key).at("/entry/tier").asString()).isEqualTo("memory");
      String other = onDisk(ebb);
      assertThat(delete(ebb, other).statusCode()).isEqualTo(200);
      assertThat(delete(ebb, other).statusCode()).isEqualTo(404);
      assertThat(ebb.jedis().get(other)).isNull();
      assertThat(ebb.run("explain", other).exitCode()).isEqualTo(1);
    }
  }

  /** Reads of such values take longer than the shortest timeout, on any disk. */
  @Test
  void aDiskThatIsTooSlowIsReportedEverywhere() {
    String settings =
        """
        ebb.pool.size = 128 MiB
        ebb.tiers.disk { path = "%s", size = 513 MiB, read-timeout = 1 ms }
        """;
    try (RunningEbb ebb = RunningEbb.start(home, settings.formatted(file()))) {
      awaitText(ebb, () -> ebb.run("tiers").out(), "disk    out of use", "is out of use since ");
      awaitText(ebb, () -> ebb.run("tiers").out(), ", because: reads take longer than 1 ms");
      awaitText(ebb, () -> ebb.run("stats").out(), "; OUT OF USE: reads take longer than 1 ms");
      awaitText(ebb, () -> call(ebb, "GET", "/metrics").body(), "\nebb_disk_in_use 0.0\n");
      awaitText(
          ebb,
          () -> call(ebb, "GET", "/health/ready").body(),
          "\"status\":\"ready\"",
          "the disk tier is out of use");
    }
  }

  /** Reads large values until a text has some words: a disk that is too slow is tried again. */
  private static void awaitText(RunningEbb ebb, Supplier<String> text, String... words) {
    byte[] large = new byte[32 << 20];
    Awaiting.until(() -> {
      for (int i = 0; i < 8; i++) {
        if (ebb.jedis().get(bytes(i)) == null) {
          ebb.jedis().set(bytes(i), large);
        }
      }
      String now = text.get();
      return Arrays.stream(words).allMatch(now::contains);
    });
  }

  private static HttpResponse<String> delete(RunningEbb ebb, String key) {
    return call(ebb, "DELETE", "/api/v1/entries/" + key);
  }

  private static HttpResponse<String> call(RunningEbb ebb, String method, String path) {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(ebb.url() + path))
              .method(method, HttpRequest.BodyPublishers.noBody())
              .build();
      return client.send(request, HttpResponse.BodyHandlers.ofString());
    } catch (IOException failed) {
      throw new AssertionError(failed);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new AssertionError(interrupted);
    }
  }

  @Test
  void aServerWithoutADiskHasOneTier() {
    try (RunningEbb ebb = RunningEbb.start(home)) {
      assertThat(ebb.run("tiers").out())
          .contains("memory  in use", "There is no disk; ebb.tiers.disk.path adds one.");
      assertThat(ebb.run("stats").out()).doesNotContain("disk");
    }
  }
}
