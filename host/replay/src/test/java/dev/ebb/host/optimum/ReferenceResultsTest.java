package dev.ebb.host.optimum;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.testing.SharedFiles;
import dev.ebb.host.trace.DecodedTrace;
import dev.ebb.host.trace.OnError;
import dev.ebb.host.trace.TraceReader;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Holds the optima against results that other simulators reached on the recorded traces. */
class ReferenceResultsTest {

  @ParameterizedTest
  @CsvSource({
    "conversation_trace.jsonl.gz, 12031, 288500, 182790",
    "synthetic_trace.jsonl.gz, 3993, 121877, 43924"
  })
  void recordedTracesHoldWhatTheirDescriptionSays(
      String file, int requests, int references, long distinct) {
    DecodedTrace trace = decode(file);

    assertThat(trace.requests()).isEqualTo(requests);
    assertThat(trace.references()).isEqualTo(references);
    assertThat(trace.distinctBlocks()).isEqualTo(distinct);
  }

  @ParameterizedTest
  @CsvSource({"conversation_trace.jsonl.gz", "synthetic_trace.jsonl.gz"})
  void beladyMissesAsOftenAsInOtherSimulators(String file) {
    FutureUses uses = new FutureUses(decode(file));
    SoftAssertions all = new SoftAssertions();
    for (JsonNode row : rows(file, "Belady", "block_miss_ratio")) {
      int capacity = row.get("cache_blocks").asInt();
      all.assertThat(uses.trace().references() - BeladyOptimum.hits(uses, capacity))
          .as("misses at %d", capacity)
          .isEqualTo(row.get("block_misses").asLong());
    }
    all.assertAll();
  }

  @ParameterizedTest
  @CsvSource({"conversation_trace.jsonl.gz", "synthetic_trace.jsonl.gz"})
  void prefixOptimumHitsAsOftenAsInOtherSimulators(String file) {
    FutureUses uses = new FutureUses(decode(file));
    SoftAssertions all = new SoftAssertions();
    for (JsonNode row : rows(file, "OPT_PREFIX", "prefix_hit_ratio")) {
      int capacity = row.get("cache_blocks").asInt();
      all.assertThat(PrefixOptimum.hits(uses, capacity))
          .as("hits at %d", capacity)
          .isEqualTo(
              Math.round(row.get("prefix_hit_ratio").asDouble() * uses.trace().references()));
    }
    all.assertAll();
  }

  private static DecodedTrace decode(String file) {
    try (TraceReader reader = TraceReader.open(SharedFiles.file("traces", file), OnError.STOP)) {
      return DecodedTrace.decode(file, reader);
    }
  }

  private static List<JsonNode> rows(String file, String policy, String metric) {
    List<JsonNode> rows = new ArrayList<>();
    JsonNode reference =
        JsonMapper.shared().readTree(SharedFiles.file("traces", "reference.json").toFile());
    for (JsonNode row : reference.get("results")) {
      if (row.get("trace").asString().equals(file)
          && row.get("policy").asString().equals(policy)
          && row.get("metric").asString().equals(metric)) {
        rows.add(row);
      }
    }
    assertThat(rows).isNotEmpty();
    return rows;
  }
}
