package dev.ebb.plugin.snapkv;

import dev.ebb.spi.Rotation;

/** The mean of a model's rotations at the next positions. */
final class MeanRotation {

  /** Sines below this are those of a pair that does not turn. */
  private static final double STILL = 1e-9;

  private Rotation rotation = Rotation.NONE;
  private double[] cos = {};
  private double[] sin = {};

  /** Computes the mean over {@code count} positions from one on. */
  void show(Rotation turned, long from, int count) {
    rotation = turned;
    if (cos.length != turned.pairs()) {
      cos = new double[turned.pairs()];
      sin = new double[turned.pairs()];
    }
    for (int pair = 0; pair < cos.length; pair++) {
      // A geometric series: the sum of exp(ipf) lies at its middle, with a length that sines
      // give.
      double half = turned.frequency(pair) / 2;
      boolean still = Math.abs(Math.sin(half)) < STILL;
      double length = still ? 1 : Math.sin(count * half) / Math.sin(half) / count;
      double angle = still ? 2 * half * from : half * (2.0 * from + count - 1);
      cos[pair] = length * Math.cos(angle);
      sin[pair] = length * Math.sin(angle);
    }
  }

  /**
   * Turns vectors that lie in {@code stride} columns: a vector in 1, a matrix's columns in many.
   */
  void turn(double[] values, int stride) {
    for (int pair = 0; pair < cos.length; pair++) {
      int x = rotation.first(pair) * stride;
      int y = rotation.second(pair) * stride;
      for (int i = 0; i < stride; i++) {
        turn(values, x + i, y + i, pair);
      }
    }
  }

  void turnRows(double[] matrix, int size) {
    for (int pair = 0; pair < cos.length; pair++) {
      int x = rotation.first(pair);
      int y = rotation.second(pair);
      for (int row = 0; row < size; row++) {
        turn(matrix, row * size + x, row * size + y, pair);
      }
    }
  }

  private void turn(double[] values, int x, int y, int pair) {
    double was = values[x];
    values[x] = was * cos[pair] - values[y] * sin[pair];
    values[y] = values[y] * cos[pair] + was * sin[pair];
  }
}
