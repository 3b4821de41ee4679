package dev.ebb.host.shadow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.testing.SharedFiles;
import dev.ebb.host.trace.OnError;
import dev.ebb.host.trace.TraceReader;
import dev.ebb.host.trace.synthetic.SyntheticOptions;
import dev.ebb.host.trace.synthetic.SyntheticTrace;
import dev.ebb.host.trace.synthetic.SyntheticTrace.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Estimates beside the truth: the same policy on a cache of full size, with all the traffic. */
class EstimateTest {

  private static final int SALTS = 4;

  /** Entries in the cache of a candidate: few, and as many as are enough. */
  private static final int FEW = 200;

  private static final int ENOUGH = 1_500;

  private static final long EIGHT = 8;

  @ParameterizedTest(name = "{0}, a prefix counts: {1}")
  @CsvSource({"conversation,true", "synthetic,true", "synthetic,false"})
  void aRecordedTraceIsEstimatedToAPoint(String name, boolean chained) {
    String file = SharedFiles.file("traces", name + "_trace.jsonl.gz").toString();
    try (TraceReader reader = TraceReader.open(file, OnError.STOP)) {
      check(Traffic.of(reader, chained), chained);
    }
  }

  @ParameterizedTest(name = "{0}, a prefix counts: {1}")
  @CsvSource({"CHAT,true", "ZIPF,false"})
  void aMadeUpTraceIsEstimatedToAPoint(Shape shape, boolean chained) {
    SyntheticOptions options = new SyntheticOptions();
    options.requests(shape == Shape.ZIPF ? 100_000 : 2_000).objects(20_000);
    check(Traffic.of(new SyntheticTrace(shape, options), chained), chained);
  }

  private static void check(Traffic traffic, boolean chained) {
    // Where only leaves leave, the order of arrival says other things of a thinner tree.
    List<String> candidates = chained ? List.of("lru", "lfu") : List.of("lru", "lfu", "fifo");
    for (double share : new double[] {0.1, 0.2}) {
      long capacity = traffic.capacity(share);
      for (String candidate : candidates) {
        double truth = traffic.run(candidate, capacity, List.of());
        List<Estimate> enough = estimates(traffic, candidate, capacity, ENOUGH);
        assertThat(meanError(enough, truth))
            .as("%s at %d of %d", candidate, ENOUGH, capacity)
            .isLessThan(0.01);
        // 19 in 20 are within: 6 of 8 or more in all but 6 of 1,000 sets of samples.
        List<Estimate> all = new ArrayList<>(enough);
        all.addAll(estimates(traffic, candidate, capacity, FEW));
        assertThat(all.stream().filter(each -> each.low() <= truth && truth <= each.high()).count())
            .as("%s at %d of %d", candidate, FEW, capacity)
            .isGreaterThanOrEqualTo(6);
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"conversation", "synthetic"})
  void otherAmountsOfMemoryAreEstimatedToAPoint(String name) {
    String file = SharedFiles.file("traces", name + "_trace.jsonl.gz").toString();
    try (TraceReader reader = TraceReader.open(file, OnError.STOP)) {
      Traffic traffic = Traffic.of(reader, true);
      long live = traffic.capacity(0.1);
      for (double memory : new double[] {0.25, 0.5, 2, 4}) {
        long capacity = Math.round(memory * live);
        List<Estimate> estimates =
            estimates(traffic, live, "lru", capacity, (double) ENOUGH / live);
        assertThat(meanError(estimates, traffic.run("lru", capacity, List.of())))
            .as("%s times the memory", memory)
            .isLessThan(0.01);
      }
    }
  }

  private static List<Estimate> estimates(
      Traffic traffic, String candidate, long capacity, int slots) {
    double rate = Math.min(1, (double) slots / capacity);
    return estimates(traffic, capacity, candidate, capacity, rate);
  }

  private static List<Estimate> estimates(
      Traffic traffic, long live, String candidate, long capacity, double rate) {
    List<Traffic.Shadowing> shadows =
        LongStream.range(0, SALTS)
            .mapToObj(salt -> traffic.new Shadowing(candidate, capacity, rate, salt))
            .toList();
    traffic.run("lru", live, shadows.stream().map(Traffic.Shadowing::sampler).toList());
    List<Estimate> estimates = shadows.stream().map(Traffic.Shadowing::estimate).toList();
    shadows.forEach(Traffic.Shadowing::close);
    return estimates;
  }

  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource({
    "conversation, full:1;state:3, .03",
    "conversation, full:1;window=4:2, .1",
    "synthetic, full:1;state:3, .1"
  })
  void wholePromptsOfAHybridModelAreEstimatedToTwoPoints(String name, String groups, double share) {
    String file = SharedFiles.file("traces", name + "_trace.jsonl.gz").toString();
    try (TraceReader reader = TraceReader.open(file, OnError.STOP)) {
      checkPrompts(Traffic.of(reader, true), groups, share);
    }
  }

  @Test
  void promptsThatForkAreEstimatedToTwoPoints() {
    SyntheticOptions options =
        new SyntheticOptions().requests(10_000).requestsPerSecond(100).blockTokens(256);
    checkPrompts(Traffic.of(new SyntheticTrace(Shape.FORK, options), true), "full:1;state:3", 0.3);
  }

  /** Compares with the same policy on the whole cache, from a sample of one prompt in eight. */
  private static void checkPrompts(Traffic traffic, String groups, double share) {
    traffic.with(ObjectGroups.parseSized("groups", groups.replace(';', ',')));
    long capacity = traffic.capacity(share);
    for (String candidate : List.of("lru", "lfu")) {
      double truth = traffic.run(candidate, capacity, List.of());
      List<Estimate> estimates = estimates(traffic, candidate, capacity, (int) (capacity / EIGHT));
      assertThat(meanError(estimates, truth))
          .as("%s in %d blocks", candidate, capacity)
          .isLessThan(0.02);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"full:1,state:3", "full:2,window=3:1", "state:1,full:1,window=2:2"})
  void aSampleOfAllPromptsIsExact(String groups) {
    Traffic traffic =
        Traffic.of(
                new SyntheticTrace(
                    Shape.FORK, new SyntheticOptions().requests(1_500).blockTokens(128)),
                true)
            .with(ObjectGroups.parseSized("groups", groups));
    long capacity = traffic.capacity(0.05);
    for (String candidate : List.of("lru", "lfu", "fifo")) {
      double truth = traffic.run(candidate, capacity, List.of());
      try (Traffic.Shadowing all = traffic.new Shadowing(candidate, capacity, 1, 1)) {
        traffic.run("lru", capacity, List.of(all.sampler()));
        assertThat(all.estimate().hitRatio()).as(candidate).isCloseTo(truth, within(1e-12));
        assertThat(all.estimate().prefixHitRatio()).isCloseTo(truth, within(1e-12));
      }
    }
  }

  private static double meanError(List<Estimate> estimates, double truth) {
    return estimates.stream()
        .mapToDouble(each -> Math.abs(each.hitRatio() - truth))
        .average()
        .orElseThrow();
  }

  @Test
  void aSampleOfEverythingIsExact() {
    Traffic traffic =
        Traffic.of(
            new SyntheticTrace(Shape.ZIPF, new SyntheticOptions().requests(20_000).objects(2_000)),
            false);
    double truth = traffic.run("fifo", 200, List.of());

    Estimate estimate;
    try (Traffic.Shadowing all = traffic.new Shadowing("fifo", 200, 1, 1)) {
      traffic.run("lru", 200, List.of(all.sampler()));
      estimate = all.estimate();
    }

    assertThat(estimate.hitRatio()).isCloseTo(truth, within(1e-9));
    assertThat(estimate.low()).isCloseTo(truth, within(1e-9));
    assertThat(estimate.high()).isCloseTo(truth, within(1e-9));
  }
}
