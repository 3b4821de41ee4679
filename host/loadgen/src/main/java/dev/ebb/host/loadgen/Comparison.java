package dev.ebb.host.loadgen;

import dev.ebb.host.statistics.Difference;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.ToDoubleFunction;

/**
 * Several policies under the same load, in turns: each round has a turn of each and begins with
 * another one, so that drift favours none.
 *
 * @param rounds by policy, in the order of the rounds
 */
public record Comparison(Map<String, List<BenchResult>> rounds) {

  public static final int MOST_ROUNDS = Difference.MOST_PARTS;

  public Comparison {
    rounds = new LinkedHashMap<>(rounds);
  }

  /**
   * Runs all turns.
   *
   * @param policies at least two
   * @param count how many rounds, 2 to {@link #MOST_ROUNDS}
   * @param turn activates a policy and measures it, given the round
   */
  public static Comparison run(
      List<String> policies, int count, BiFunction<String, Integer, BenchResult> turn) {
    Map<String, List<BenchResult>> rounds = new LinkedHashMap<>();
    policies.forEach(policy -> rounds.put(policy, new ArrayList<>()));
    for (int round = 0; round < count; round++) {
      for (int i = 0; i < policies.size(); i++) {
        String policy = policies.get((round + i) % policies.size());
        Objects.requireNonNull(rounds.get(policy)).add(turn.apply(policy, round));
      }
    }
    return new Comparison(rounds);
  }

  /** Returns the policies, best first. */
  public List<String> ranking() {
    return rounds.keySet().stream()
        .sorted(Comparator.comparingDouble((String policy) -> -hitRatio(policy)))
        .toList();
  }

  /** Returns the hit ratio of GETs, in the mean of the rounds: 0 to 1; NaN without GETs. */
  public double hitRatio(String policy) {
    return mean(policy, BenchResult::hitRatio);
  }

  /** Returns the throughput, in the mean of the rounds: answers a second. */
  public double requestsPerSecond(String policy) {
    return mean(policy, BenchResult::requestsPerSecond);
  }

  /** Returns the 99th percentile of the latency, in the mean of the rounds: milliseconds. */
  public double p99Millis(String policy) {
    return mean(policy, result -> result.latencyMillis(99));
  }

  /**
   * Returns the difference in hit ratio between the best and the next, with its confidence interval
   * from the rounds.
   */
  public Difference lead() {
    List<BenchResult> best = of(ranking().get(0));
    List<BenchResult> next = of(ranking().get(1));
    double[] gains = new double[best.size()];
    double[] sizes = new double[best.size()];
    for (int i = 0; i < gains.length; i++) {
      gains[i] = best.get(i).hitRatio() - next.get(i).hitRatio();
      sizes[i] = 1;
    }
    return Difference.of(gains, sizes);
  }

  private double mean(String policy, ToDoubleFunction<BenchResult> measure) {
    return of(policy).stream().mapToDouble(measure).average().orElse(Double.NaN);
  }

  private List<BenchResult> of(String policy) {
    return Objects.requireNonNull(rounds.get(policy), policy);
  }

  /** Returns whether every answer was correct. */
  public boolean good() {
    return rounds.values().stream().flatMap(List::stream).allMatch(BenchResult::good);
  }
}
