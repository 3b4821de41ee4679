package dev.ebb.dist;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** The command line as a user meets it, mistakes included. */
class CommandLineIT {

  @TempDir Path directory;

  @Test
  void allShippedStrategiesAreLoaded() {
    String listed = new Ebb(directory).run("plugins", "list").out();

    assertThat(listed)
        .contains(SwapIT.SHIPPED)
        .contains("sliding-window", "snapkv", "h2o", "tova", "knorm", "keydiff")
        .contains("expected-attention", "random")
        .doesNotContain("refused");
  }

  /** The JVM refuses to start with a cache that does not fit. */
  @Test
  void theStartUpCacheFits() {
    Ebb.launcher();
    assertThat(Ebb.ROOT.resolve("dist/target/ebb/ebb.aot")).isNotEmptyFile();

    Ebb.Run run = new Ebb(directory).withJavaOptions("-XX:AOTMode=on").run("--version");

    assertThat(run.exitCode()).as(run.err()).isZero();
  }

  @Test
  void wrongUsageIsReportedWithoutAStackTrace() throws Exception {
    Ebb ebb = new Ebb(directory);
    assertMistake(ebb.run("replya"), 2, "'replya'");
    assertMistake(ebb.run("replay", "missing.jsonl"), 1, "missing.jsonl");

    List<Ebb.Run> runs =
        new CommandSeries(directory)
            .add("replay")
            .add("replay", "--synthetic", "chat", "-p", "lur")
            .add("replay", "--synthetic", "chat", "-p", "lfu(ageng=none)")
            .add("replay", "--synthetic", "chat", "--min-access-count", "0")
            .run();
    assertMistake(runs.get(0), 2, "--synthetic");
    assertMistake(runs.get(1), 2, "'lur'", "did you mean 'lru'?");
    assertMistake(runs.get(2), 2, "ageng", "ageing");
    assertMistake(runs.get(3), 2, "--min-access-count", "'0'");
  }

  /** The JVM compiles methods whose profile names classes of plugins that were unloaded. */
  @Test
  void aShortTraceIsEnoughForABench() throws IOException {
    Path trace =
        Files.writeString(
            directory.resolve("one.jsonl"),
            "{\"timestamp\":1,\"input_length\":512,\"output_length\":5,\"hash_ids\":[1]}\n");
    Path jar = Ebb.ROOT.resolve("plugins/ebb-plugin-lru.jar");

    Ebb.Run bench =
        new Ebb(directory)
            .withJavaOptions("-XX:TieredStopAtLevel=4")
            .run("plugins", "bench", jar.toString(), trace.toString(), "--policies", "lru,fifo");

    assertThat(bench.exitCode()).as(bench.err()).isZero();
    assertThat(bench.out()).contains("fifo");
  }

  @Test
  void everyPolicyServesWithNewcomersOnProbation() {
    JsonNode runs =
        new Ebb(directory)
            .run(
                "replay",
                "--synthetic",
                "agent",
                "--capacity",
                "5%",
                "--min-access-count",
                "2",
                "--limit",
                "500",
                "--json")
            .json()
            .get("runs");
    assertThat(runs.size()).isEqualTo(SwapIT.SHIPPED.size());
    for (JsonNode run : runs) {
      assertThat(run.get("failure").isNull()).as(run.toString()).isTrue();
      assertThat(run.get("evictions").asLong()).as(run.toString()).isPositive();
    }
  }

  @Test
  void allConfigurationErrorsAreReportedWithFileAndLine() {
    Ebb ebb =
        new Ebb(directory)
            .configured(
                """
                ebb {
                  eviction {
                    polcy = lru
                    threshold = "high"
                    policies.lfu.ageing = sometimes
                  }
                }
                """);
    assertMistake(
        ebb.run("replay", "--synthetic", "chat"),
        1,
        "ebb.conf:3",
        "policy",
        "ebb.conf:4",
        "'high'",
        "ebb.conf:5",
        "'sometimes'");
  }

  @Test
  void aMalformedLineStopsOrIsSkippedAndCounted() throws IOException {
    Path trace = directory.resolve("trace.jsonl");
    Files.writeString(
        trace,
        """
        {"timestamp": 0, "input_length": 30, "output_length": 5, "hash_ids": [1, 2]}
        {"timestamp": 1, "input_length": 30, "output_length": 5, "hash_ids": [1, "x", 3
        {"timestamp": 2, "input_length": 30, "output_length": 5}
        {"timestamp": 3, "input_length": 30, "output_length": 5, "hash_ids": [1, 2]}
        """);
    Ebb ebb = new Ebb(directory);
    assertMistake(
        ebb.run("replay", trace.toString(), "-c", "10"), 1, "trace.jsonl:2", "--on-error skip");

    Ebb.Run run = ebb.run("replay", trace.toString(), "-c", "10", "--on-error", "skip", "--json");
    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.json().get("traces").get(0).get("skippedLines").asInt()).isEqualTo(2);
    assertThat(run.json().get("traces").get(0).get("requests").asInt()).isEqualTo(2);
    assertThat(run.json().get("runs").get(0).get("prefixHitBlocks").asInt()).isEqualTo(2);
  }

  @Test
  void aStreamGivesWhatTheFileGives() throws IOException {
    Path trace = directory.resolve("chat.jsonl");
    Ebb ebb = new Ebb(directory);
    ebb.run(
        "replay",
        "--synthetic",
        "chat",
        "--requests",
        "1000",
        "-p",
        "none",
        "-c",
        "500",
        "--save",
        trace.toString());
    String[] options = {"--json", "-c", "200,800", "-p", "lru,sieve,predictive", "--limit", "800"};

    JsonNode file = ebb.run(with(options, trace.toString())).json();
    JsonNode stream = ebb.run(trace, with(options, "-")).json();

    assertThat(stream.get("runs").size()).isEqualTo(6);
    for (int i = 0; i < 6; i++) {
      JsonNode fromFile = file.get("runs").get(i);
      JsonNode fromStream = stream.get("runs").get(i);
      for (String field : new String[] {"policy", "capacityBlocks", "hits", "evictions"}) {
        assertThat(fromStream.get(field)).as(field).isEqualTo(fromFile.get(field));
      }
      assertThat(fromStream.get("optimumHitRatio").isNull()).isTrue();
      assertThat(fromFile.get("optimumHitRatio").isNull()).isFalse();
    }
    assertMistake(ebb.run(trace, "replay", "-", "-c", "5%"), 2, "'5%'", "stream");
  }

  @Test
  void aLongStreamIsReplayedInLittleMemory() throws IOException {
    Path trace = directory.resolve("long.jsonl");
    // 3 million references: more than fits into the heap below if any of it were kept.
    try (BufferedWriter out = Files.newBufferedWriter(trace)) {
      StringBuilder line = new StringBuilder();
      for (int request = 0; request < 15_000; request++) {
        line.setLength(0);
        line.append("{\"timestamp\": ").append(request).append(", \"input_length\": 3200, ");
        line.append("\"output_length\": 10, \"hash_ids\": [").append(request % 7);
        for (int block = 1; block < 200; block++) {
          line.append(", ").append(1_000L * request + block);
        }
        out.append(line.append("]}\n"));
      }
    }
    Ebb.Run run =
        new Ebb(directory)
            .withJavaOptions("-Xmx40m")
            .run(trace, "replay", "-", "-c", "5000", "-p", "lru,sieve", "--json");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.json().get("runs").get(0).get("references").asLong()).isEqualTo(3_000_000);
  }

  @Test
  void aReportNeverOverwritesSomethingElse() throws Exception {
    Path trace = directory.resolve("chat.jsonl");
    Ebb ebb = new Ebb(directory);
    ebb.run("replay", "--synthetic", "chat", "--requests", "20", "--save", trace.toString());
    byte[] before = Files.readAllBytes(trace);
    Path page = directory.resolve("report.html");
    String[] onAPage = {"replay", trace.toString(), "-c", "50", "--html", page.toString()};

    List<Ebb.Run> runs =
        new CommandSeries(directory)
            .add("replay", trace.toString(), "--html", trace.toString())
            .add(onAPage)
            .add(onAPage)
            .run();

    assertMistake(runs.getFirst(), 2, "chat.jsonl", "--html");
    assertThat(Files.readAllBytes(trace)).isEqualTo(before);
    for (Ebb.Run run : runs.subList(1, 3)) {
      assertThat(run.exitCode()).as(run.err()).isZero();
    }
    assertThat(Files.readString(page)).startsWith("<!doctype html>").contains("chat.jsonl");
  }

  @Test
  void aPartlyWrittenFileIsDeletedWhenTheProcessIsStopped() throws Exception {
    Path saved = directory.resolve("long.jsonl");
    Path part = directory.resolve("long.jsonl.part");
    Process process =
        new Ebb(directory)
            .start(
                "replay",
                "--synthetic",
                "chat",
                "--requests",
                "90000000",
                "--save",
                saved.toString());
    for (int tries = 0; tries < 6_000 && !Files.exists(part); tries++) {
      assertThat(process.waitFor(20, TimeUnit.MILLISECONDS)).as("it has ended").isFalse();
    }
    assertThat(part).exists();
    process.destroy();
    process.waitFor();

    assertThat(part).doesNotExist();
    assertThat(saved).doesNotExist();
  }

  private static String[] with(String[] options, String trace) {
    String[] arguments = new String[options.length + 2];
    arguments[0] = "replay";
    System.arraycopy(options, 0, arguments, 1, options.length);
    arguments[arguments.length - 1] = trace;
    return arguments;
  }

  private static void assertMistake(Ebb.Run run, int exitCode, String... words) {
    assertThat(run.err()).contains(words).doesNotContain("\tat ");
    assertThat(run.exitCode()).isEqualTo(exitCode);
    assertThat(run.out()).isEmpty();
  }
}
