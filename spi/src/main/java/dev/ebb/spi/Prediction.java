package dev.ebb.spi;

/**
 * A lifetime predictor's answer. Owned by the caller and reused.
 *
 * @since 1.0.0
 */
public final class Prediction {

  private double remainingSeconds;
  private double confidence;

  /** An answer that says nothing: 0 seconds with confidence 0. */
  public Prediction() {}

  /**
   * Sets the answer. What cannot be one is refused, so that a mistake shows where it is made; it
   * leaves {@link LifetimePredictor#predict} as any exception does, and is a fault of the policy
   * that asked. A predictor that knows nothing says so with a confidence of 0.
   *
   * @param remainingSeconds expected remaining useful life, finite and 0 or more
   * @param confidence how far to trust it, 0 (a guess) to 1 (certain)
   * @throws IllegalArgumentException if a value lies outside its range or is not a number; the
   *     answer before stays
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
   * The expected remaining useful life.
   *
   * @return seconds from now, finite and 0 or more
   */
  public double remainingSeconds() {
    return remainingSeconds;
  }

  /**
   * How far to trust it.
   *
   * @return 0 (a guess) to 1 (certain)
   */
  public double confidence() {
    return confidence;
  }
}
