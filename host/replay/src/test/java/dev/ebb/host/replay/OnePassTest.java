package dev.ebb.host.replay;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.cache.execution.PolicyCandidate;
import dev.ebb.host.cache.policy.BuiltInLru;
import dev.ebb.host.cache.simulation.SimulatedClock;
import dev.ebb.host.testing.Histories;
import dev.ebb.host.testing.SharedFiles;
import dev.ebb.host.trace.DecodedTrace;
import dev.ebb.host.trace.OnError;
import dev.ebb.host.trace.TraceReader;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One pass over a trace beside a run at each capacity. */
class OnePassTest {

  private static final int TRACES = Histories.times(10);
  private static final int BLOCK_TOKENS = 16;

  @ParameterizedTest
  @EnumSource(ReplayModel.class)
  void onePassCountsWhatARunAtEachCapacityCounts(ReplayModel model) {
    for (long seed = 1; seed <= TRACES; seed++) {
      Random random = new Random(seed);
      // The longest requests have more blocks than the small capacities.
      List<Long> capacities =
          LongStream.generate(() -> 1 + random.nextLong(1 + random.nextLong(200)))
              .limit(12)
              .distinct()
              .sorted()
              .boxed()
              .toList();
      check(decode(lines(random), model), model, capacities, "seed " + seed);
    }
  }

  @ParameterizedTest
  @EnumSource(ReplayModel.class)
  void onePassOverARecordedTraceCountsWhatRunsCount(ReplayModel model) {
    String file = SharedFiles.file("traces", "synthetic_trace.jsonl.gz").toString();
    try (TraceReader reader = TraceReader.open(file, OnError.STOP)) {
      check(decode(reader, model), model, List.of(44L, 1_000L, 10_000L, 43_924L), file);
    }
  }

  private static void check(
      DecodedTrace trace, ReplayModel model, List<Long> capacities, String which) {
    OnePass pass = new OnePass(model, capacities, BLOCK_TOKENS);
    pass.feed(trace.cursor(), references -> {});
    List<ReplayResult> results = pass.results("test", "tested");
    for (int i = 0; i < capacities.size(); i++) {
      assertThat(results.get(i))
          .as("%s, %d blocks", which, capacities.get(i))
          .usingRecursiveComparison()
          .withEqualsForType((a, b) -> a.equals(b), Double.class)
          .ignoringFields("rePrefillRate", "rePrefillWindow", "refusals", "referencesPerSecond")
          .isEqualTo(run(trace, model, capacities.get(i)));
    }
  }

  private static ReplayResult run(DecodedTrace trace, ReplayModel model, long capacity) {
    PolicyCandidate lru = new PolicyCandidate("tested", new BuiltInLru());
    SimulatedClock clock = new SimulatedClock();
    try (ReplayRun run = new ReplayRun(model, lru, capacity, BLOCK_TOKENS, clock, 0, false, null)) {
      run.feed(trace.cursor(), references -> {});
      return run.result("test");
    }
  }

  private static DecodedTrace decode(String lines, ReplayModel model) {
    byte[] bytes = lines.getBytes(StandardCharsets.UTF_8);
    try (TraceReader reader =
        TraceReader.of("test", new ByteArrayInputStream(bytes), OnError.STOP)) {
      return decode(reader, model);
    }
  }

  private static DecodedTrace decode(TraceReader reader, ReplayModel model) {
    return DecodedTrace.decode(
        "test", reader, Long.MAX_VALUE, any -> true, model::keys, (count, part) -> {});
  }

  /** Prompts that go on or branch off from earlier ones, of three tenants. */
  private static String lines(Random random) {
    List<List<Integer>> prompts = new ArrayList<>();
    StringBuilder lines = new StringBuilder();
    int ids = 2 + random.nextInt(40);
    int longest = 1 + random.nextInt(60);
    for (int i = 0; i < 250; i++) {
      List<Integer> prompt = new ArrayList<>();
      if (!prompts.isEmpty() && random.nextInt(4) > 0) {
        List<Integer> earlier = prompts.get(random.nextInt(prompts.size()));
        prompt.addAll(earlier.subList(0, random.nextInt(earlier.size() + 1)));
      }
      int added = random.nextInt(longest);
      for (int block = 0; block < added; block++) {
        prompt.add(random.nextInt(ids));
      }
      prompts.add(prompt);
      int tokens = Math.max(0, prompt.size() * BLOCK_TOKENS - random.nextInt(BLOCK_TOKENS));
      lines.append(
          "{\"timestamp\": %d, \"input_length\": %d, \"output_length\": 1, \"tenant\": \"%d\", \"hash_ids\": %s}%n"
              .formatted(i, tokens, random.nextInt(3), prompt));
    }
    return lines.toString();
  }
}
