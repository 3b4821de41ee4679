package dev.ebb.host.trace.synthetic;

import java.util.Arrays;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;

/** The random quantities of synthetic traces. */
final class Rng {

  private static final double NANOS = 1e9;

  private final RandomGenerator random;

  Rng(long seed) {
    random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  }

  /** Returns a number from 0 to 1, exclusive. */
  double uniform() {
    return random.nextDouble();
  }

  boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  long bits() {
    return random.nextLong();
  }

  /**
   * Returns a length in tokens: lognormal, with the given median, from 1 to 32 times the median.
   */
  long tokens(double median, double spread) {
    double drawn = median * Math.exp(spread * random.nextGaussian());
    return Math.round(Math.clamp(drawn, 1, 32 * median));
  }

  /** Returns the number of trials until the first success: 1 or more, with the given mean. */
  int times(double mean) {
    return mean <= 1 ? 1 : 1 + (int) (random.nextExponential() / -Math.log1p(-1 / mean));
  }

  /** Returns the nanoseconds between two arrivals of a Poisson process. */
  long gap(double perSecond) {
    return (long) (random.nextExponential() * NANOS / perSecond);
  }

  /** Returns a wait with a heavy tail (Pareto), in nanoseconds. */
  long wait(double leastSeconds, double mostSeconds, double tail) {
    double seconds = leastSeconds * Math.pow(1 - random.nextDouble(), -1 / tail);
    return (long) (Math.min(seconds, mostSeconds) * NANOS);
  }

  /** Zipf's law over a fixed number of items: the k-th is drawn in proportion to 1 / k^skew. */
  static final class Popularity {

    private final double[] cumulative;

    Popularity(int things, double skew) {
      cumulative = new double[things];
      double sum = 0;
      for (int i = 0; i < things; i++) {
        sum += Math.pow(i + 1.0, -skew);
        cumulative[i] = sum;
      }
    }

    /** Draws one of the items, 0 being the most popular. */
    int draw(Rng dice) {
      double at = dice.uniform() * cumulative[cumulative.length - 1];
      int found = Arrays.binarySearch(cumulative, at);
      return Math.min(found < 0 ? -found - 1 : found + 1, cumulative.length - 1);
    }
  }
}
