package dev.ebb.host.shadow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.ebb.host.shadow.MemoryCurve.Point;
import dev.ebb.host.testing.Histories;
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
    "synthetic, predictive",
    "synthetic, arc",
    "synthetic, sieve",
  })
  void theCurveOfARecordedTraceIsRightToAPoint(String name, String policy) {
    check(Traffic.recorded(name, true), policy);
  }

  @Tag("stress")
  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource({
    "conversation, arc",
    "conversation, sieve",
    "conversation, predictive",
    "synthetic, lru",
  })
  void theCurveOfAnotherPolicyOnARecordedTraceIsRightToAPoint(String name, String policy) {
    theCurveOfARecordedTraceIsRightToAPoint(name, policy);
  }

  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource({"CHAT, lru", "AGENT, lru", "FORK, lru", "RAG, lru", "ZIPF, lru"})
  void theCurveOfASyntheticTraceIsRightToAPoint(Shape shape, String policy) {
    boolean zipf = shape == Shape.ZIPF;
    SyntheticOptions options = new SyntheticOptions().objects(40_000);
    options.requests(
        switch (shape) {
          case ZIPF -> Histories.times(25_000);
          // Their prompts are the longest.
          case AGENT, FORK -> Histories.times(500);
          default -> Histories.times(1_000);
        });
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
    Traffic traffic = Traffic.recorded("conversation", true);
    long live = traffic.capacity(0.1);
    List<Traffic.Shadowing> shadows =
        FACTORS.stream()
            .map(factor -> traffic.new Shadowing("lru", Math.round(factor * live), 0.25, 1))
            .toList();
    traffic.run("lru", live, shadows.stream().map(Traffic.Shadowing::sampler).toList());
    for (int i = 0; i < shadows.size(); i++) {
      double factor = FACTORS.get(i);
      double[] truth = traffic.ratios("lru", Math.round(factor * live), List.of());
      try (Traffic.Shadowing shadow = shadows.get(i)) {
        shadow.estimate();
        Map<String, Estimate> tenants = shadow.counts.copy().tenants(0.25);
        assertThat(tenants).hasSize(Traffic.TENANTS.size());
        for (int tenant = 0; tenant < Traffic.TENANTS.size(); tenant++) {
          assertThat(tenants.get(Traffic.TENANTS.get(tenant)).hitRatio())
              .as("%s with %s times the memory", Traffic.TENANTS.get(tenant), factor)
              .isCloseTo(truth[1 + tenant], within(0.01));
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
    double ofLive =
        traffic.run(policy, live, shadows.stream().map(Traffic.Shadowing::sampler).toList());
    List<Estimate> estimates = shadows.stream().map(Traffic.Shadowing::estimate).toList();
    shadows.forEach(Traffic.Shadowing::close);
    int inBand = 0;
    for (int i = 0; i < FACTORS.size(); i++) {
      double factor = FACTORS.get(i);
      double truth =
          factor == 1.0 ? ofLive : traffic.run(policy, Math.round(factor * live), List.of());
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
