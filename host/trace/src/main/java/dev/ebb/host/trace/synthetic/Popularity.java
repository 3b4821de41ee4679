package dev.ebb.host.trace.synthetic;

import java.util.Arrays;

/** Zipf's law over a fixed number of items: the k-th is drawn in proportion to 1 / k^skew. */
final class Popularity {

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
