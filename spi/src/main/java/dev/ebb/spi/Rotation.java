package dev.ebb.spi;

/**
 * The rotation of queries and keys by their position: rotary embedding, of Su et al., <a
 * href="https://arxiv.org/abs/2104.09864">RoFormer</a> (2021), section 3.4. Dimensions turn in
 * pairs: at position p the pair (x, y) becomes {@code (x cos pf - y sin pf, y cos pf + x sin pf)},
 * f being the pair's frequency. Dimensions in no pair stay as they are.
 *
 * @since 1.0.0
 */
public interface Rotation {

  /** The rotation of a model without rotary embedding: nothing turns. */
  Rotation NONE =
      new Rotation() {
        @Override
        public int pairs() {
          return 0;
        }

        @Override
        public double frequency(int pair) {
          throw new IndexOutOfBoundsException(pair);
        }

        @Override
        public int first(int pair) {
          throw new IndexOutOfBoundsException(pair);
        }

        @Override
        public int second(int pair) {
          throw new IndexOutOfBoundsException(pair);
        }
      };

  /**
   * Returns how many pairs of dimensions turn.
   *
   * @return 0 to half of a head's dimensions
   */
  int pairs();

  /**
   * Returns the frequency of a pair: the model's {@code inv_freq}.
   *
   * @param pair 0 to {@code pairs() - 1}
   * @return radians a position
   */
  double frequency(int pair);

  /**
   * Returns the pair's x.
   *
   * @param pair 0 to {@code pairs() - 1}
   * @return a dimension
   */
  int first(int pair);

  /**
   * Returns the pair's y.
   *
   * @param pair 0 to {@code pairs() - 1}
   * @return a dimension
   */
  int second(int pair);
}
