package dev.ebb.dist;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** The shipped policy JARs on recorded traces, against the results of other simulators. */
class ReferenceIT {

  private static final String SHORTER = "synthetic_trace.jsonl.gz";

  private static final Map<String, String> EXACT =
      new TreeMap<>(
          Map.of(
              "lru", "LRU", "fifo", "FIFO", "lfu", "LFU", "arc", "ARC", "sieve", "SIEVE", "s3-fifo",
              "S3-FIFO", "clock", "CLOCK", "2q", "2Q", "gdsf", "GDSF"));

  @TempDir Path directory;

  /** All policies on the shorter trace, replayed once for two tests. */
  private static @Nullable Map<String, JsonNode> allPolicies;

  /** On the shorter trace: each policy's own tests count its misses on the other one too. */
  @Test
  void theObjectModelCountsWhatOtherSimulatorsCount() {
    String trace = SHORTER;
    RecordedTraces traces = RecordedTraces.orSkip();
    Map<String, JsonNode> runs =
        runs(
            "--model",
            "object",
            "--policies",
            String.join(",", EXACT.keySet()),
            "--capacity",
            traces.capacities(trace, "LRU", "block_miss_ratio"),
            traces.file(trace).toString());

    EXACT.forEach((policy, name) -> {
      for (JsonNode row : traces.reference(trace, name, "block_miss_ratio")) {
        JsonNode run = at(runs, policy, row);
        long misses = run.get("references").asLong() - run.get("hits").asLong();
        assertThat(misses)
            .as("%s at %s", policy, row.get("cache_blocks"))
            .isEqualTo(row.get("block_misses").asLong());
      }
    });
    for (JsonNode row : traces.reference(trace, "Belady", "block_miss_ratio")) {
      JsonNode run = at(runs, "lru", row);
      assertThat(1 - run.get("optimumHitRatio").asDouble())
          .isCloseTo(row.get("miss_ratio").asDouble(), within(1e-6));
    }
  }

  /** The ratios are those of LRU in a simulation of 30 lines that knows which states are needed. */
  @ParameterizedTest
  @CsvSource({
    "conversation_trace.jsonl.gz, 1828:0.1269 5000:0.2449 10000:0.3139 30000:0.3539",
    "synthetic_trace.jsonl.gz, 1000:0.1750 5000:0.4671 22000:0.6226"
  })
  void hybridModelsReuseMoreThanIfAllStatesWereKept(String trace, String least) {
    Map<Long, Double> ratios =
        Arrays.stream(least.split(" "))
            .map(each -> each.split(":"))
            .collect(
                Collectors.toMap(each -> Long.valueOf(each[0]), each -> Double.valueOf(each[1])));
    RecordedTraces traces = RecordedTraces.orSkip();
    Map<String, JsonNode> runs =
        runs(
            "--groups",
            "full:1,state:3",
            "--policies",
            "lru,predictive",
            "--no-optimum",
            "--capacity",
            ratios.keySet().stream().map(String::valueOf).collect(Collectors.joining(",")),
            traces.file(trace).toString());

    assertThat(runs.values())
        .hasSize(2 * ratios.size())
        .allSatisfy(run -> {
          long capacity = run.get("capacityBlocks").asLong();
          assertThat(run.get("prefixHitRatio").asDouble())
              .as("%s at %d", run.get("policy"), capacity)
              .isGreaterThanOrEqualTo(requireNonNull(ratios.get(capacity)));
        });
  }

  /**
   * A fifth of the hints is wrong. The invented trace is that of agents, of which 2,000 requests
   * show it at larger capacities; the profile {@code stress} replays all of them.
   */
  @ParameterizedTest
  @ValueSource(strings = {"conversation_trace.jsonl.gz", "agent"})
  void hintsCloseTwoFifthsOfTheGap(String trace) {
    List<String> options =
        new ArrayList<>(
            List.of("--policies", "lru,retention", "--hints", "retain:0.8", "--capacity"));
    if (!trace.equals("agent")) {
      options.addAll(List.of("2%,5%", RecordedTraces.orSkip().file(trace).toString()));
    } else if (Rounds.usual()) {
      options.addAll(List.of("5%,10%", "--synthetic", trace, "--requests", "2000"));
    } else {
      options.addAll(List.of("2%,5%", "--synthetic", trace));
    }
    Map<String, JsonNode> runs = runs(options.toArray(String[]::new));

    Map<Boolean, List<JsonNode>> hinted =
        runs.values().stream()
            .filter(run -> run.get("policy").asString().startsWith("retention"))
            .collect(
                Collectors.partitioningBy(
                    run -> run.get("policy").asString().endsWith(" + hints")));
    assertThat(hinted.get(true))
        .hasSize(2)
        .allSatisfy(run -> {
          JsonNode lru = requireNonNull(runs.get("lru@" + run.get("capacityBlocks").asLong()));
          double gap = run.get("optimumHitRatio").asDouble() - lru.get("prefixHitRatio").asDouble();
          assertThat(run.get("prefixHitRatio").asDouble() - lru.get("prefixHitRatio").asDouble())
              .isGreaterThan(0.4 * gap);
        });
    assertThat(hinted.get(false)).hasSize(2);
  }

  private Map<String, JsonNode> allPolicies() {
    Map<String, JsonNode> runs = allPolicies;
    if (runs == null) {
      RecordedTraces traces = RecordedTraces.orSkip();
      runs =
          runs(
              "--capacity",
              traces.capacities(SHORTER, "LRU_LEAF", "prefix_hit_ratio"),
              traces.file(SHORTER).toString());
      allPolicies = runs;
    }
    return runs;
  }

  @Test
  void noPolicyBeatsTheOptimum() {
    Map<String, JsonNode> runs = allPolicies();

    assertThat(runs.keySet().stream().map(key -> key.split("@", 2)[0]).distinct())
        .containsAll(SwapIT.SHIPPED);
    assertThat(runs.values())
        .allSatisfy(run ->
            assertThat(run.get("prefixHitRatio").asDouble())
                .as("%s", run.get("policy"))
                .isLessThanOrEqualTo(run.get("optimumHitRatio").asDouble()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"conversation_trace.jsonl.gz", SHORTER})
  void thePrefixModelAgrees(String trace) {
    RecordedTraces traces = RecordedTraces.orSkip();
    Map<String, JsonNode> runs =
        trace.equals(SHORTER)
            ? allPolicies()
            : runs(
                "--policies",
                "lru",
                "--capacity",
                traces.capacities(trace, "LRU_LEAF", "prefix_hit_ratio"),
                traces.file(trace).toString());

    for (JsonNode row : traces.reference(trace, "LRU_LEAF", "prefix_hit_ratio")) {
      JsonNode run = at(runs, "lru", row);
      assertThat(run.get("prefixHitRatio").asDouble())
          .as("lru at %s", row.get("cache_blocks"))
          .isCloseTo(row.get("prefix_hit_ratio").asDouble(), within(0.002));
    }
    for (JsonNode row : traces.reference(trace, "OPT_PREFIX", "prefix_hit_ratio")) {
      JsonNode run = at(runs, "lru", row);
      assertThat(run.get("optimumHitRatio").asDouble())
          .as("optimum at %s", row.get("cache_blocks"))
          .isCloseTo(row.get("prefix_hit_ratio").asDouble(), within(1e-6));
    }
  }

  private static JsonNode at(Map<String, JsonNode> runs, String policy, JsonNode row) {
    return requireNonNull(runs.get(policy + "@" + row.get("cache_blocks").asLong()));
  }

  private Map<String, JsonNode> runs(String... options) {
    String[] arguments = new String[options.length + 2];
    arguments[0] = "replay";
    arguments[1] = "--json";
    System.arraycopy(options, 0, arguments, 2, options.length);
    Ebb.Run run = new Ebb(directory).run(arguments);
    assertThat(run.exitCode()).as(run.err()).isZero();
    Map<String, JsonNode> runs = new HashMap<>();
    for (JsonNode one : run.json().get("runs")) {
      runs.put(one.get("policy").asString() + "@" + one.get("capacityBlocks").asLong(), one);
    }
    return runs;
  }
}
