package dev.ebb.host.tokens.rows;

/** The kept tokens of a sequence, for each set of lanes. */
public interface KeptSets {

  /**
   * Returns the number of sets.
   *
   * @return 1 for all lanes, or one for each layer, or one for each lane
   */
  int sets();

  /**
   * Returns the number of kept tokens.
   *
   * @param set 0 to {@code sets() - 1}
   */
  int count(int set);

  /**
   * Returns a kept token.
   *
   * @param set 0 to {@code sets() - 1}
   * @param i 0 to {@code count(set) - 1}
   * @return its index among the stored tokens, oldest first; rising with i
   */
  int index(int set, int i);

  /**
   * Returns sets given as arrays.
   *
   * @param indices one array for each set
   * @return a view of the arrays
   */
  static KeptSets of(int[]... indices) {
    return new KeptSets() {
      @Override
      public int sets() {
        return indices.length;
      }

      @Override
      public int count(int set) {
        return indices[set].length;
      }

      @Override
      public int index(int set, int i) {
        return indices[set][i];
      }
    };
  }
}
