package dev.ebb.host.tokens;

import dev.ebb.host.pool.DType;
import dev.ebb.spi.Rotation;
import java.lang.foreign.MemorySegment;

/**
 * Moves a stored key to another position, as rotary embedding (Su et al., <a
 * href="https://arxiv.org/abs/2104.09864">RoFormer</a>, 2021, section 3.4) would have placed it:
 * one more rotation, by the difference. Only endless streaming needs it, where positions would
 * exceed the model's range. Otherwise tokens keep their positions, which is exact. Values are not
 * rotated, and a scale that a model's embedding applies beside the rotation is already in the key.
 */
public final class KeyRotation implements Rotation {

  private final double[] frequencies;
  private final Pairing pairing;

  /**
   * Creates a model's rotation.
   *
   * @param frequencies radians a position for each pair of dimensions, the model's {@code
   *     inv_freq}; the dimensions beyond these pairs are not rotated
   */
  public KeyRotation(double[] frequencies, Pairing pairing) {
    this.frequencies = frequencies.clone();
    this.pairing = pairing;
  }

  /**
   * Returns a rotation with frequencies {@code base^(-2i/n)}.
   *
   * @param dimensions how many are rotated, even and at least 2
   * @param base the model's {@code rope_theta}, for example 10000
   */
  public static KeyRotation ofBase(int dimensions, double base, Pairing pairing) {
    if (dimensions < 2 || dimensions % 2 != 0 || !(base > 0)) {
      throw new IllegalArgumentException(
          "'%d' rotated dimensions must be even and at least 2, and the base '%s' above 0"
              .formatted(dimensions, base));
    }
    double[] frequencies = new double[dimensions / 2];
    for (int pair = 0; pair < frequencies.length; pair++) {
      frequencies[pair] = Math.pow(base, -2.0 * pair / dimensions);
    }
    return new KeyRotation(frequencies, pairing);
  }

  @Override
  public int pairs() {
    return frequencies.length;
  }

  @Override
  public double frequency(int pair) {
    return frequencies[pair];
  }

  @Override
  public int first(int pair) {
    return pairing == Pairing.HALF_SPLIT ? pair : 2 * pair;
  }

  @Override
  public int second(int pair) {
    return pairing == Pairing.HALF_SPLIT ? pair + frequencies.length : 2 * pair + 1;
  }

  /**
   * Rotates one key in place.
   *
   * @param type the type of its elements, one that Ebb can compute with
   * @param positions its new position less its old one
   */
  public void turn(DType type, MemorySegment memory, long offset, long positions) {
    for (int pair = 0; pair < frequencies.length; pair++) {
      turn(type, memory, offset, first(pair), second(pair), positions * frequencies[pair]);
    }
  }

  private static void turn(
      DType type, MemorySegment memory, long offset, int one, int other, double angle) {
    long x = offset + (long) one * type.bytes();
    long y = offset + (long) other * type.bytes();
    double cos = Math.cos(angle);
    double sin = Math.sin(angle);
    double oldX = type.read(memory, x);
    double oldY = type.read(memory, y);
    type.write(memory, x, (float) (oldX * cos - oldY * sin));
    type.write(memory, y, (float) (oldY * cos + oldX * sin));
  }

  /** The dimensions that form a pair; n is how many are rotated. */
  public enum Pairing {
    /** i and i + n/2, as in Llama and GPT-NeoX. */
    HALF_SPLIT,
    /** 2i and 2i + 1, as in the paper and GPT-J. */
    INTERLEAVED
  }
}
