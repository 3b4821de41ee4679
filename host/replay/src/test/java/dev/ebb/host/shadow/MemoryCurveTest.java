package dev.ebb.host.shadow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ebb.host.trace.OnError;
import dev.ebb.host.trace.SharedTraces;
import dev.ebb.host.trace.TraceReader;
import dev.ebb.host.trace.synthetic.SyntheticOptions;
import dev.ebb.host.trace.synthetic.SyntheticTrace;
import dev.ebb.host.trace.synthetic.SyntheticTrace.Shape;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The curve of hit ratio over memory beside a replay with each amount of memory. */
class MemoryCurveTest {

  private static final double[] FACTORS = {0.25, 0.5, 1, 2, 4};

  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource({
    "conversation, lru", "conversation, arc", "conversation, sieve", "conversation, predictive",
    "synthetic, lru", "synthetic, arc", "synthetic, sieve", "synthetic, predictive",
  })
  void theCurveOfARecordedTraceIsRightToAPoint(String name, String policy) {
    String file = SharedTraces.file(name + "_trace.jsonl.gz").toString();
    try (TraceReader reader = TraceReader.open(file, OnError.STOP)) {
      check(name, Traffic.of(reader, true), policy);
    }
  }

  @ParameterizedTest(name = "{0}, {1}")
  @CsvSource({
    "CHAT, lru", "CHAT, arc", "CHAT, sieve", "CHAT, predictive",
    "AGENT, lru", "AGENT, arc", "AGENT, sieve", "AGENT, predictive",
    "FORK, lru", "FORK, arc", "FORK, sieve", "FORK, predictive",
    "RAG, lru", "RAG, arc", "RAG, sieve", "RAG, predictive",
    "ZIPF, lru", "ZIPF, arc", "ZIPF, sieve", "ZIPF, predictive",
  })
  void theCurveOfASyntheticTraceIsRightToAPoint(Shape shape, String policy) {
    SyntheticOptions options = new SyntheticOptions().objects(40_000);
    options.requests(shape == Shape.ZIPF ? 50_000 : 3_000);
    check(shape.name(), Traffic.of(new SyntheticTrace(shape, options), shape != Shape.ZIPF), policy);
  }

  private static void check(String name, Traffic traffic, String policy) {
    long live = traffic.capacity(0.1);
    int slots = Integer.getInteger("slots", 4096);
    double rate = 1;
    while (rate * live > slots) {
      rate /= 2;
    }
    List<Traffic.Shadowing> shadows = new ArrayList<>();
    for (long salt = 0; salt < 3; salt++) {
      for (double factor : FACTORS) {
        shadows.add(traffic.new Shadowing(policy, Math.round(factor * live), rate, salt));
      }
    }
    traffic.run(policy, live, shadows.stream().map(Traffic.Shadowing::sampler).toList());
    StringBuilder line = new StringBuilder();
    double worst = 0;
    for (int i = 0; i < FACTORS.length; i++) {
      double truth = traffic.run(policy, Math.round(FACTORS[i] * live), List.of());
      double sum = 0, max = 0; int in = 0;
      for (int salt = 0; salt < 3; salt++) {
        MemoryCurve.Point e = MemoryCurve.Point.of(FACTORS[i], shadows.get(salt * FACTORS.length + i).estimate(), shadows.get(salt * FACTORS.length + 2).estimate());
        sum += Math.abs(e.hitRatio() - truth) / 3;
        max = Math.max(max, Math.abs(e.hitRatio() - truth));
        in += e.low() <= truth && truth <= e.high() ? 1 : 0;
      }
      worst = Math.max(worst, sum);
      line.append("  %.1f%%: %.2f max %.2f in %d".formatted(100 * truth, 100 * sum, 100 * max, in));
    }
    shadows.forEach(Traffic.Shadowing::close);
    System.out.println("CURVE " + name + " " + policy + " live " + live + " rate 1/" + (1 / rate) + line);
    assertThat(worst).isLessThan(0.01);
  }
}
