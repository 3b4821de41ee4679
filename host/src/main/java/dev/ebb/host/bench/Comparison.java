package dev.ebb.host.bench;

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

  /** Student's t for 1 to 30 degrees of freedom, both tails together 5 %. */
  private static final double[] T = {
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160,
    2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056,
    2.052, 2.048, 2.045, 2.042
  };

  /** The most rounds. */
  public static final int MOST_ROUNDS = T.length + 1;

  /** Takes a copy. */
  public Comparison {
    rounds = new LinkedHashMap<>(rounds);
  }

  /**
   * Runs all turns.
   *
   * @param policies which, at least two
   * @param count how many rounds, 2 to {@link #MOST_ROUNDS}
   * @param turn puts a policy in force and measures it, given the round
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
   * How much better the best is than the next, and how much of that may be chance.
   *
   * @param points hit ratio of the best less that of the next
   * @param margin half of the band in which the true difference lies 19 times in 20, from how the
   *     rounds differ
   */
  public record Lead(double points, double margin) {

    /**
     * Whether it is more than chance.
     *
     * @return true if the band does not hold 0
     */
    public boolean moreThanNoise() {
      return points > margin;
    }
  }

  /**
   * The best against the next, round by round.
   *
   * @return the lead
   */
  public Lead lead() {
    List<BenchResult> best = of(ranking().get(0));
    List<BenchResult> next = of(ranking().get(1));
    int count = best.size();
    double mean = 0;
    for (int i = 0; i < count; i++) {
      mean += (best.get(i).hitRatio() - next.get(i).hitRatio()) / count;
    }
    double squares = 0;
    for (int i = 0; i < count; i++) {
      double off = best.get(i).hitRatio() - next.get(i).hitRatio() - mean;
      squares += off * off;
    }
    return new Lead(mean, T[count - 2] * Math.sqrt(squares / (count - 1) / count));
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
