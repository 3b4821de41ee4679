package dev.ebb.host.tokens;

import java.util.Arrays;
import java.util.BitSet;

/**
 * Marks the highest scores; of equal ones those of lower index. It counts the scores' leading bits
 * rather than comparing scores. Its time is proportional to their number, whatever they are, and it
 * allocates nothing.
 */
final class BestScores {

  private static final int DIGIT_BITS = 11;
  private static final int[] SHIFTS = {21, 10, 0};

  private final int[] histogram = new int[1 << DIGIT_BITS];

  /**
   * Marks the best of those not marked yet.
   *
   * @param scores any finite or infinite numbers; scores of marked indices are ignored
   * @param marked read, and set at the chosen indices
   * @param count how many to mark; all if there are fewer
   * @throws InvalidScore if an unmarked score is NaN
   */
  void mark(float[] scores, int from, int to, BitSet marked, int count) {
    int open = open(scores, from, to, marked);
    if (count >= open) {
      marked.set(from, to);
      return;
    }
    if (count <= 0) {
      return;
    }
    int known = 0;
    int cut = 0;
    int wanted = count;
    for (int shift : SHIFTS) {
      int digit = digitOfCut(scores, from, to, marked, cut, known, shift, wanted);
      for (int higher = digit + 1; higher < histogram.length; higher++) {
        wanted -= histogram[higher];
      }
      int width = shift == 0 ? SHIFTS[1] : DIGIT_BITS;
      cut |= digit << shift;
      known |= ((1 << width) - 1) << shift;
    }
    markAbove(scores, from, to, marked, cut, wanted);
  }

  private static int open(float[] scores, int from, int to, BitSet marked) {
    int open = 0;
    for (int i = marked.nextClearBit(from); i < to; i = marked.nextClearBit(i + 1)) {
      if (Float.isNaN(scores[i])) {
        throw new InvalidScore("the score of index '%d' is not a number".formatted(i));
      }
      open++;
    }
    return open;
  }

  /** Returns one digit of the lowest score that is kept. */
  private int digitOfCut(
      float[] scores, int from, int to, BitSet marked, int cut, int known, int shift, int wanted) {
    Arrays.fill(histogram, 0);
    int digitMask = shift == 0 ? (1 << SHIFTS[1]) - 1 : (1 << DIGIT_BITS) - 1;
    for (int i = marked.nextClearBit(from); i < to; i = marked.nextClearBit(i + 1)) {
      int key = key(scores[i]);
      if ((key & known) == cut) {
        histogram[(key >>> shift) & digitMask]++;
      }
    }
    int digit = digitMask;
    int seen = histogram[digit];
    while (seen < wanted) {
      seen += histogram[--digit];
    }
    return digit;
  }

  private static void markAbove(
      float[] scores, int from, int to, BitSet marked, int cut, int equalOnes) {
    int left = equalOnes;
    for (int i = marked.nextClearBit(from); i < to; i = marked.nextClearBit(i + 1)) {
      int order = Integer.compareUnsigned(key(scores[i]), cut);
      if (order > 0 || (order == 0 && left-- > 0)) {
        marked.set(i);
      }
    }
  }

  /** Returns an unsigned integer with the order of the score; minus zero is zero. */
  private static int key(float score) {
    int bits = Float.floatToRawIntBits(score + 0f);
    return bits ^ ((bits >> 31) | Integer.MIN_VALUE);
  }
}
