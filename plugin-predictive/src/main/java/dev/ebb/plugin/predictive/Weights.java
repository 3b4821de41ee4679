package dev.ebb.plugin.predictive;

import java.io.DataInputStream;
import java.io.IOException;

/** Weights of observations in a saved state. */
final class Weights {

  private Weights() {}

  /**
   * Reads a weight.
   *
   * @throws IOException if it is not finite, or negative
   */
  static double read(DataInputStream in) throws IOException {
    double weight = in.readDouble();
    if (!(weight >= 0 && weight < Double.POSITIVE_INFINITY)) {
      throw new IOException("'%s' is not a weight".formatted(weight));
    }
    return weight;
  }
}
