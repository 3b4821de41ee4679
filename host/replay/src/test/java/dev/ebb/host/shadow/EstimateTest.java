package dev.ebb.host.shadow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.host.group.ObjectGroups;
import dev.ebb.host.trace.synthetic.SyntheticOptions;
import dev.ebb.host.trace.synthetic.SyntheticTrace;
import dev.ebb.host.trace.synthetic.SyntheticTrace.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;
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
    check(Traffic.recorded(name, chained), chained);
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
      List<List<Traffic.Shadowing>> samples = new ArrayList<>();
      for (String candidate : candidates) {
        samples.add(samples(traffic, candidate, capacity, rate(ENOUGH, capacity)));
        samples.add(samples(traffic, candidate, capacity, rate(FEW, capacity)));
      }
      Truth truths = new Truth(traffic, capacity, run(traffic, capacity, samples));
      List<List<Estimate>> estimates = estimates(samples);
      for (int i = 0; i < candidates.size(); i++) {
        String candidate = candidates.get(i);
        double truth = truths.of(candidate);
        List<Estimate> enough = estimates.get(2 * i);
        assertThat(meanError(enough, truth))
            .as("%s at %d of %d", candidate, ENOUGH, capacity)
            .isLessThan(0.01);
        // 19 in 20 are within: 6 of 8 or more in all but 6 of 1,000 sets of samples.
        List<Estimate> all = new ArrayList<>(enough);
        all.addAll(estimates.get(2 * i + 1));
        assertThat(all.stream().filter(each -> each.low() <= truth && truth <= each.high()).count())
            .as("%s at %d of %d", candidate, FEW, capacity)
            .isGreaterThanOrEqualTo(6);
      }
    }
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"conversation", "synthetic"})
  void otherAmountsOfMemoryAreEstimatedToAPoint(String name) {
    Traffic traffic = Traffic.recorded(name, true);
    long live = traffic.capacity(0.1);
    List<Long> capacities =
        DoubleStream.of(0.25, 0.5, 2, 4).mapToObj(memory -> Math.round(memory * live)).toList();
    List<List<Traffic.Shadowing>> samples = new ArrayList<>();
    for (long capacity : capacities) {
      samples.add(samples(traffic, "lru", capacity, (double) ENOUGH / live));
    }
    run(traffic, live, samples);
    List<List<Estimate>> estimates = estimates(samples);
    for (int i = 0; i < capacities.size(); i++) {
      long capacity = capacities.get(i);
      assertThat(meanError(estimates.get(i), traffic.run("lru", capacity, List.of())))
          .as("%d blocks beside %d", capacity, live)
          .isLessThan(0.01);
    }
  }

  /** The hit ratios of full caches. That of LRU is known from the live cache, which is as large. */
  private record Truth(Traffic traffic, long capacity, double lru) {

    double of(String candidate) {
      return candidate.equals("lru") ? lru : traffic.run(candidate, capacity, List.of());
    }
  }

  private static double rate(double slots, long capacity) {
    return Math.min(1, slots / capacity);
  }

  private static List<Traffic.Shadowing> samples(
      Traffic traffic, String candidate, long capacity, double rate) {
    return LongStream.range(0, SALTS)
        .mapToObj(salt -> traffic.new Shadowing(candidate, capacity, rate, salt))
        .toList();
  }

  /** Runs the live cache once for all samples. Returns its hit ratio. */
  private static double run(Traffic traffic, long capacity, List<List<Traffic.Shadowing>> samples) {
    return traffic.run(
        "lru",
        capacity,
        samples.stream().flatMap(List::stream).map(Traffic.Shadowing::sampler).toList());
  }

  private static List<List<Estimate>> estimates(List<List<Traffic.Shadowing>> samples) {
    List<List<Estimate>> estimates =
        samples.stream()
            .map(each -> each.stream().map(Traffic.Shadowing::estimate).toList())
            .toList();
    samples.forEach(each -> each.forEach(Traffic.Shadowing::close));
    return estimates;
  }

  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource({
    "conversation, full:1;state:3, .03",
    "conversation, full:1;window=4:2, .1",
    "synthetic, full:1;state:3, .1"
  })
  void wholePromptsOfAHybridModelAreEstimatedToTwoPoints(String name, String groups, double share) {
    checkPrompts(Traffic.recorded(name, true), groups, share);
  }

  @Test
  void promptsThatForkAreEstimatedToTwoPoints() {
    SyntheticOptions options =
        new SyntheticOptions().requests(10_000).requestsPerSecond(100).blockTokens(256);
    checkPrompts(Traffic.of(new SyntheticTrace(Shape.FORK, options), true), "full:1;state:3", 0.3);
  }

  /** Compares with the same policy on the whole cache, from a sample of one prompt in eight. */
  private static void checkPrompts(Traffic prompts, String groups, double share) {
    Traffic traffic = prompts.with(ObjectGroups.parseSized("groups", groups.replace(';', ',')));
    long capacity = traffic.capacity(share);
    double rate = rate(capacity / EIGHT, capacity);
    List<String> candidates = List.of("lru", "lfu");
    List<List<Traffic.Shadowing>> samples =
        candidates.stream().map(each -> samples(traffic, each, capacity, rate)).toList();
    Truth truths = new Truth(traffic, capacity, run(traffic, capacity, samples));
    List<List<Estimate>> estimates = estimates(samples);
    for (int i = 0; i < candidates.size(); i++) {
      String candidate = candidates.get(i);
      assertThat(meanError(estimates.get(i), truths.of(candidate)))
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
