package dev.ebb.spi;

/**
 * A lifetime predictor's answer. Owned by the caller and reused.
 *
 * @since 1.0.0
 */
public final class Prediction {

  private double remainingSeconds;
  private double confidence;

  /** Creates an answer with no information: 0 seconds with confidence 0. */
  public Prediction() {}

  /**
   * Sets the answer. Invalid values are refused, so that a mistake shows where it is made. The
   * exception leaves {@link LifetimePredictor#predict} like any other, and counts as a failure of
   * the policy that asked. A predictor that knows nothing sets a confidence of 0.
   *
   * @param remainingSeconds expected remaining useful life, finite and 0 or more
   * @param confidence how far to trust it, 0 (a guess) to 1 (certain)
   * @throws IllegalArgumentException if a value lies outside its range or is not a number; the
   *     previous answer is kept
   */
  public void set(double remainingSeconds, double confidence) {
    if (!(remainingSeconds >= 0 && remainingSeconds <= Double.MAX_VALUE)) {
      throw new IllegalArgumentException(
          "remainingSeconds is '" + remainingSeconds + "', and must be finite and at least 0");
    }
    if (!(confidence >= 0 && confidence <= 1)) {
      throw new IllegalArgumentException(
          "confidence is '" + confidence + "', and must be from 0 to 1");
    }
    this.remainingSeconds = remainingSeconds;
    this.confidence = confidence;
  }

  /**
   * Returns the expected remaining useful life.
   *
   * @return seconds from now, finite and 0 or more
   */
  public double remainingSeconds() {
    return remainingSeconds;
  }

  /**
   * Returns the confidence in that estimate.
   *
   * @return 0 (a guess) to 1 (certain)
   */
  public double confidence() {
    return confidence;
  }
}
