package dev.ebb.spi;

/**
 * A lifetime predictor's answer. Owned by the caller and reused.
 *
 * @since 0.1.0
 */
public final class Prediction {

  private double remainingSeconds;
  private double confidence;

  /** An answer that says nothing: 0 seconds with confidence 0. */
  public Prediction() {}

  /**
   * Sets the answer.
   *
   * @param remainingSeconds expected remaining useful life, 0 or more
   * @param confidence how far to trust it, 0 (a guess) to 1 (certain)
   */
  public void set(double remainingSeconds, double confidence) {
    this.remainingSeconds = remainingSeconds;
    this.confidence = confidence;
  }

  /**
   * The expected remaining useful life.
   *
   * @return seconds from now, 0 or more
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
