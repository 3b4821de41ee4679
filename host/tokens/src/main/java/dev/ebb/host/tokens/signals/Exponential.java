package dev.ebb.host.tokens.signals;

/** The exponential function of many numbers, in single precision. */
final class Exponential {

  /** Below this the result is subnormal; it counts as zero. */
  private static final float LEAST = -87;

  private static final float LOG2_E = (float) (1 / Math.log(2));

  // The natural logarithm of 2 in two parts, the first with few enough bits to be multiplied
  // exactly.
  private static final float LN2_HIGH = (float) 0.693359375;
  private static final float LN2_LOW = (float) -2.12194440e-4;

  /** Adding and subtracting this rounds to a whole number. */
  private static final float ROUNDING = 12_582_912f;

  private Exponential() {}

  /**
   * Replaces numbers with the exponential of their difference to the largest: 1 for that, less for
   * the others. The error is a few units in the last place.
   */
  static void of(float[] values, int from, int count, float largest) {
    for (int i = from; i < from + count; i++) {
      float x = Math.max(values[i] - largest, LEAST);
      float twos = (x * LOG2_E + ROUNDING) - ROUNDING;
      float rest = (x - twos * LN2_HIGH) - twos * LN2_LOW;
      float power =
          1
              + rest
                  * (1
                      + rest
                          * (0.5f
                              + rest
                                  * (0.16666667f
                                      + rest
                                          * (0.041666668f
                                              + rest * (0.008333334f + rest * 0.0013888889f)))));
      values[i] = power * Float.intBitsToFloat(((int) twos + 127) << 23);
    }
  }
}
