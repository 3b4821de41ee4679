package dev.ebb.host.cli;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.Awaiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;

/** A recording of a real server, and its replay. */
class RecordCommandTest {

  private static final int REQUESTS = 1_500;

  /** A block of the pool for each value, so that it holds 32. */
  private static final int BYTES = 60_000;

  @TempDir private Path home;

  @Test
  void aReplayHitsWhatTheServerHasHit() throws Exception {
    Path trace = home.resolve("live.jsonl.gz");
    try (RunningEbb ebb =
        RunningEbb.start(
            home,
            """
            ebb.eviction { threshold = 1, target = 1 }
            ebb.plugins { folder = plugins, run = run }
            """)) {
      CompletableFuture<Run> recording = record(ebb, trace, "--requests", "" + REQUESTS);
      Random random = new Random(1);
      for (int i = 0; i < REQUESTS; i++) {
        String key = "secret-" + (int) (100 * Math.pow(random.nextDouble(), 2));
        if (ebb.jedis().get(key) == null) {
          ebb.put(key, BYTES);
        }
      }
      Run run = recording.get(60, TimeUnit.SECONDS);
      assertThat(run.err()).isEmpty();
      assertThat(run.out()).contains("1,500 requests in", "all requests wanted");
      JsonNode stats = json(ebb.run("stats", "--json"));

      Run replay =
          Run.of(
              "replay",
              trace.toString(),
              "--model",
              "object",
              "--capacity",
              "32",
              "--policies",
              "first",
              "--json",
              "--config",
              home.resolve("ebb.conf").toString());

      assertThat(replay.err()).doesNotContain("ebb:");
      assertThat(json(replay).at("/runs/0/references").asLong()).isEqualTo(REQUESTS);
      assertThat(json(replay).at("/runs/0/hits").asLong())
          .isEqualTo(stats.at("/traffic/hits").asLong())
          .isPositive();
    }
  }

  @Test
  void promptsOfAHybridModelAreLinesWithTheirObjectGroups() throws Exception {
    Path trace = home.resolve("live.jsonl");
    List<Integer> sizes = new ArrayList<>();
    StringBuilder prompts = new StringBuilder();
    for (int i = 0; i < 60; i++) {
      // Turns of six conversations.
      List<Integer> ids = IntStream.range(0, 24 + i / 6).mapToObj(id -> id).toList();
      int conversation = i % 6;
      String all = ids.stream().map(id -> "" + (conversation * 100 + id)).collect(joining(","));
      prompts.append("{\"timestamp\":%d,\"input_length\":1,\"hash_ids\":[%s]}%n".formatted(i, all));
      sizes.add(ids.size());
    }
    Path sent = Files.writeString(home.resolve("sent.jsonl"), prompts);
    try (RunningEbb ebb =
        RunningEbb.start(
            home,
            """
            ebb.server.models { trace { groups = "state,full" } }
            ebb.plugins { folder = plugins, run = run }
            """)) {
      CompletableFuture<Run> recording = record(ebb, trace, "--duration", "4s");
      Run through =
          Run.of(
              "replay",
              sent.toString(),
              "--through",
              "127.0.0.1:" + ebb.port(),
              "--groups",
              "state:3,full:1",
              "--workers",
              "1",
              "--value-size",
              "1 KiB");
      assertThat(through.exitCode()).as(through.err()).isZero();
      assertThat(recording.get(60, TimeUnit.SECONDS).err()).isEmpty();
      assertThat(through.out()).containsPattern("prefix hits +0[.]\\d+: 1,512 chunks");
    }

    List<JsonNode> lines =
        Files.readAllLines(trace).stream().map(new ObjectMapper()::readTree).toList();
    assertThat(lines)
        .extracting(line -> line.at("/hash_ids").size())
        .containsExactlyElementsOf(sizes);
    assertThat(lines)
        .extracting(line -> line.at("/object_groups").asString())
        .as("1 and 3 KiB, with what the pool charges for a value")
        .containsOnly("state:2,full:1");

    String[] replay = {
      "replay",
      trace.toString(),
      "--capacity",
      "1000",
      "--policies",
      "first",
      "--json",
      "--config",
      home.resolve("ebb.conf").toString()
    };
    JsonNode simulated = json(Run.of(replay)).at("/runs/0");
    assertThat(simulated.at("/hits").asLong()).isEqualTo(1_512);
    assertThat(simulated.at("/groupBlocks").size()).isEqualTo(2);
    String[] other = Arrays.copyOf(replay, replay.length + 2);
    other[replay.length] = "--groups";
    other[replay.length + 1] = "full:1";
    assertThat(json(Run.of(other)).at("/runs/0/groupBlocks").size()).isOne();
  }

  @Test
  void twoRecordingsNameTheSameKeyDifferently() throws Exception {
    Path first = home.resolve("first.jsonl");
    Path second = home.resolve("second.jsonl");
    try (RunningEbb ebb = RunningEbb.start(home)) {
      ebb.put("secret", 5_000);
      CompletableFuture<Run> one = record(ebb, first, "--requests", "2");
      CompletableFuture<Run> two = record(ebb, second, "--requests", "2");
      ebb.jedis().get("secret");
      ebb.jedis().get("secret");
      assertThat(one.get(60, TimeUnit.SECONDS).exitCode()).isZero();
      assertThat(two.get(60, TimeUnit.SECONDS).exitCode()).isZero();
    }

    JsonNode line = new ObjectMapper().readTree(Files.readAllLines(first).getFirst());
    JsonNode next = new ObjectMapper().readTree(Files.readAllLines(first).getLast());
    JsonNode other = new ObjectMapper().readTree(Files.readAllLines(second).getFirst());
    assertThat(line.at("/hash_ids/0")).isEqualTo(next.at("/hash_ids/0"));
    assertThat(line.at("/hash_ids/0")).isNotEqualTo(other.at("/hash_ids/0"));
    assertThat(line.at("/size").asLong()).isEqualTo(5 << 10);
    assertThat(Files.readString(first)).doesNotContain("secret");
  }

  @Test
  void theSizeIsBounded() throws Exception {
    Path trace = home.resolve("live.jsonl");
    try (RunningEbb ebb = RunningEbb.start(home)) {
      CompletableFuture<Run> recording = record(ebb, trace, "--max-size", "1 KiB", "--json");
      while (!recording.isDone()) {
        for (int i = 0; i < 1_000; i++) {
          ebb.jedis().get("key-" + i);
        }
      }
      assertThat(json(recording.get()).at("/end").asString())
          .isEqualTo("the file has reached its maximum size");
      assertThat(Files.size(trace)).isGreaterThan(1_024);
    }
  }

  @Test
  void whatIsThereIsLeftAsItIs() throws IOException {
    Path trace = Files.writeString(home.resolve("live.jsonl"), "mine");
    Run run = Run.of("record", "--output", trace.toString());
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("already exists; name another file");
    assertThat(Files.readString(trace)).isEqualTo("mine");
  }

  @ParameterizedTest
  @ValueSource(strings = {"soon", "0s", "0", "999999999d"})
  void aWrongDurationIsReportedWithTheLimits(String duration) {
    Run run = Run.of("record", "--output", "x", "--duration", duration);
    assertThat(run.exitCode()).isEqualTo(2);
    assertThat(run.err()).contains("--duration: '" + duration + "'", "1 ms", "36500 d", "5m");
  }

  @Test
  void aNumberWithoutUnitIsADurationInSeconds() {
    try (RunningEbb ebb = RunningEbb.start(home)) {
      Path trace = home.resolve("live.jsonl");
      Run run = ebb.run("record", "--output", trace.toString(), "--duration", "1");
      assertThat(run.exitCode()).as(run.err()).isZero();
      assertThat(run.out()).contains("the duration has passed");
    }
  }

  /** Begins, and comes back when the server knows of it. */
  private static CompletableFuture<Run> record(RunningEbb ebb, Path file, String... more) {
    String[] all = new String[more.length + 3];
    all[0] = "record";
    all[1] = "--output";
    all[2] = file.toString();
    System.arraycopy(more, 0, all, 3, more.length);
    CompletableFuture<Run> run = CompletableFuture.supplyAsync(() -> ebb.run(all));
    Path part = file.resolveSibling(file.getFileName() + ".part");
    Awaiting.until(() -> Files.exists(part) || run.isDone());
    return run;
  }

  private static JsonNode json(Run run) {
    return new ObjectMapper().readTree(run.out());
  }
}
