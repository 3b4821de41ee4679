package dev.ebb.plugin.predictive;

import java.util.Arrays;

/**
 * A bounded cache of survival indices of the classes used last. A class may replace another, whose
 * indices are then computed again when needed.
 */
final class IndexCache {

  private static final int ROW_BITS = 11;
  private static final int ROW = Ages.BINS + 1;
  private static final int EMPTY = -1;

  private final SurvivalModel model;
  private final int[] classes = new int[1 << ROW_BITS];
  private final byte[] from = new byte[classes.length];
  private final float[] rows = new float[ROW << ROW_BITS];

  IndexCache(SurvivalModel model) {
    this.model = model;
    clear();
  }

  void clear() {
    Arrays.fill(classes, EMPTY);
  }

  /**
   * Returns the survival index, in expected hits per block-second.
   *
   * @param bin the bin the age is in; an age past its end counts as its end
   */
  float index(int blockClass, int bin, long ageNanos) {
    int slot = (blockClass * 0x9E3779B1) >>> (Integer.SIZE - ROW_BITS);
    int row = slot * ROW;
    if (classes[slot] != blockClass || bin < from[slot]) {
      model.fillIndex(blockClass, bin, rows, row);
      classes[slot] = blockClass;
      from[slot] = (byte) bin;
    }
    float here = rows[row + bin];
    if (bin == Ages.BINS) {
      return here;
    }
    return here + Ages.within(bin, ageNanos) * (rows[row + bin + 1] - here);
  }
}
