package dev.ebb.host.loadgen;

import dev.ebb.host.statistics.Difference;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;

/**
 * Several policies under the same load, by turns: each round has a turn of each, and begins with
 * another one, so that what drifts meanwhile favours nobody.
 *
 * @param rounds by policy, in the order of the rounds
 */
public record Comparison(Map<String, List<BenchResult>> rounds) {

  /** The most rounds. */
  public static final int MOST_ROUNDS = Difference.MOST_PARTS;

  /** Takes a copy. */
  public Comparison {
    rounds = new LinkedHashMap<>(rounds);
  }

  /**
   * Runs all turns.
   *
   * @param policies which, at least two
   * @param count how many rounds, 2 to {@link #MOST_ROUNDS}
   * @param turn activates a policy and measures it, given the round
   * @return what was measured
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

  /**
   * The policies, best first.
   *
   * @return names by mean hit ratio
   */
  public List<String> ranking() {
    return rounds.keySet().stream()
        .sorted(Comparator.comparingDouble((String policy) -> -hitRatio(policy)))
        .toList();
  }

  /**
   * How often a GET found a value, in the mean of the rounds.
   *
   * @param policy one of them
   * @return 0 to 1; NaN without GETs
   */
  public double hitRatio(String policy) {
    return mean(policy).average(BenchResult::hitRatio);
  }

  /**
   * Throughput in the mean of the rounds.
   *
   * @param policy one of them
   * @return answers a second
   */
  public double requestsPerSecond(String policy) {
    return mean(policy).average(BenchResult::requestsPerSecond);
  }

  /**
   * The latency that 99 of 100 answers did not exceed, in the mean of the rounds.
   *
   * @param policy one of them
   * @return milliseconds
   */
  public double p99Millis(String policy) {
    return mean(policy).average(result -> result.latencyMillis(99));
  }

  /**
   * How much better the best is than the next, in hit ratio, and how much of that may be chance,
   * from how the rounds differ.
   *
   * @return the lead
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

  private interface Measure {
    double of(BenchResult result);
  }

  private record Mean(List<BenchResult> results) {
    double average(Measure measure) {
      return results.stream().mapToDouble(measure::of).average().orElse(Double.NaN);
    }
  }

  private Mean mean(String policy) {
    return new Mean(of(policy));
  }

  private List<BenchResult> of(String policy) {
    return Objects.requireNonNull(rounds.get(policy), policy);
  }

  /**
   * Whether every answer was what it should be.
   *
   * @return true if there were neither errors nor wrong values
   */
  public boolean good() {
    return rounds.values().stream().flatMap(List::stream).allMatch(BenchResult::good);
  }
}
