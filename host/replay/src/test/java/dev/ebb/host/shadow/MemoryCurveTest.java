package dev.ebb.host.shadow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.host.shadow.MemoryCurve.Point;
import dev.ebb.host.testing.SharedFiles;
import dev.ebb.host.trace.OnError;
import dev.ebb.host.trace.TraceReader;
import dev.ebb.host.trace.synthetic.SyntheticOptions;
import dev.ebb.host.trace.synthetic.SyntheticTrace;
import dev.ebb.host.trace.synthetic.SyntheticTrace.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The curve of hit ratio over memory beside a replay with each amount of memory. */
class MemoryCurveTest {

  private static final List<Double> FACTORS = List.of(0.25, 0.5, 1.0, 2.0, 4.0);
  private static final int SALTS = 2;
  private static final double POINTS = 1;

  /** Sampled entries of a cache as large as the live one: those of a pool of 16 GiB or more. */
  private static final int ENTRIES = 4_096;

  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource({
    "conversation, lru",
    "conversation, predictive",
    "synthetic, arc",
    "synthetic, sieve",
  })
  void theCurveOfARecordedTraceIsRightToAPoint(String name, String policy) {
    String file = SharedFiles.file("traces", name + "_trace.jsonl.gz").toString();
    try (TraceReader reader = TraceReader.open(file, OnError.STOP)) {
      check(Traffic.of(reader, true), policy);
    }
  }

  @Tag("stress")
  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource({
    "conversation, arc",
    "conversation, sieve",
    "synthetic, lru",
    "synthetic, predictive",
  })
  void theCurveOfAnotherPolicyOnARecordedTraceIsRightToAPoint(String name, String policy) {
    theCurveOfARecordedTraceIsRightToAPoint(name, policy);
  }

  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource({"CHAT, lru", "AGENT, lru", "FORK, predictive", "RAG, lru", "ZIPF, lru"})
  void theCurveOfASyntheticTraceIsRightToAPoint(Shape shape, String policy) {
    boolean zipf = shape == Shape.ZIPF;
    SyntheticOptions options = new SyntheticOptions().objects(40_000);
    options.requests(zipf ? 50_000 : 2_000);
    check(Traffic.of(new SyntheticTrace(shape, options), !zipf), policy);
  }

  @Tag("stress")
  @ParameterizedTest
  @ValueSource(strings = {"lru", "predictive", "arc", "sieve"})
  void theCurveOfAnotherPolicyIsRightToAPoint(String policy) {
    for (Shape shape : List.of(Shape.CHAT, Shape.AGENT, Shape.FORK, Shape.RAG, Shape.ZIPF)) {
      theCurveOfASyntheticTraceIsRightToAPoint(shape, policy);
    }
  }

  @Test
  void theCurveOfATenantIsRightToAPoint() {
    String file = SharedFiles.file("traces", "conversation_trace.jsonl.gz").toString();
    try (TraceReader reader = TraceReader.open(file, OnError.STOP)) {
      Traffic traffic = Traffic.of(reader, true);
      long live = traffic.capacity(0.1);
      for (double factor : FACTORS) {
        long capacity = Math.round(factor * live);
        double[] truth = traffic.ratios("lru", capacity, List.of());
        try (Traffic.Shadowing shadow = traffic.new Shadowing("lru", capacity, 0.25, 1)) {
          traffic.run("lru", live, List.of(shadow.sampler()));
          shadow.estimate();
          Map<String, Estimate> tenants = shadow.counts.copy().tenants(0.25);
          assertThat(tenants).hasSize(Traffic.TENANTS.size());
          for (int i = 0; i < Traffic.TENANTS.size(); i++) {
            assertThat(tenants.get(Traffic.TENANTS.get(i)).hitRatio())
                .as("%s with %s times the memory", Traffic.TENANTS.get(i), factor)
                .isCloseTo(truth[1 + i], within(0.01));
          }
        }
      }
    }
  }

  /**
   * Compares with the same policy on caches of full size. The errors are means over two samples.
   */
  private static void check(Traffic traffic, String policy) {
    long live = traffic.capacity(0.1);
    // With a sample of all keys, each size would be exact.
    double rate = 0.5;
    while (rate * live > ENTRIES) {
      rate /= 2;
    }
    Rates rates = new Rates(ENTRIES, true);
    List<Traffic.Shadowing> shadows = new ArrayList<>();
    for (int salt = 0; salt < SALTS; salt++) {
      for (double factor : FACTORS) {
        double own = rates.of(rate, factor);
        double widest = rates.of(rate, FACTORS.getFirst());
        shadows.add(traffic.new Shadowing(policy, Math.round(factor * live), own, widest, salt));
      }
    }
    traffic.run(policy, live, shadows.stream().map(Traffic.Shadowing::sampler).toList());
    List<Estimate> estimates = shadows.stream().map(Traffic.Shadowing::estimate).toList();
    shadows.forEach(Traffic.Shadowing::close);
    int inBand = 0;
    for (int i = 0; i < FACTORS.size(); i++) {
      double factor = FACTORS.get(i);
      double truth = traffic.run(policy, Math.round(factor * live), List.of());
      double error = 0;
      for (int salt = 0; salt < SALTS; salt++) {
        int from = salt * FACTORS.size();
        Point point =
            Point.of(factor, estimates.get(from + i), estimates.get(from + FACTORS.indexOf(1.0)));
        error += Math.abs(point.hitRatio() - truth) / SALTS;
        inBand += point.low() <= truth + 1e-9 && truth <= point.high() + 1e-9 ? 1 : 0;
      }
      assertThat(100 * error).as("%s times the memory", factor).isLessThan(POINTS);
    }
    assertThat(inBand).isGreaterThanOrEqualTo(FACTORS.size() * SALTS - 1);
  }
}
