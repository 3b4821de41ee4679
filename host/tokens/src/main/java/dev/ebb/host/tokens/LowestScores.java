package dev.ebb.host.tokens;

/**
 * Finds a few lowest scores in one pass; of equal ones those of higher index. {@link BestScores}
 * would mark all others. A heap holds the lowest scores so far, with the highest of them on top.
 * Allocates nothing.
 */
final class LowestScores {

  /** How many it finds at most: for more, {@link BestScores} is faster. */
  static final int MOST = 64;

  private final float[] scores = new float[MOST];
  private final int[] indices = new int[MOST];
  private int wanted;
  private int found;

  /** Begins a search for some scores, 0 to {@link #MOST}. */
  void begin(int count) {
    wanted = count;
    found = 0;
  }

  /** Adds scores behind those added before; refuses NaN with {@link InvalidScore}. */
  void add(float[] added, int from, int to) {
    int next = from;
    while (next < to && found < wanted) {
      float score = valid(added[next], next);
      up(found++, score, next);
      next++;
    }
    float limit = wanted == 0 ? Float.NEGATIVE_INFINITY : scores[0];
    for (int i = next; i < to; i++) {
      // Also true for NaN.
      if (!(added[i] > limit)) {
        float score = valid(added[i], i);
        if (wanted > 0) {
          down(score, i);
          limit = scores[0];
        }
      }
    }
  }

  private static float valid(float score, int index) {
    if (Float.isNaN(score)) {
      throw new InvalidScore("the score of index '%d' is not a number".formatted(index));
    }
    return score;
  }

  /** Returns how many were found: fewer than wanted if there are no more. */
  int found() {
    return found;
  }

  /** Returns the index of a low score. */
  int index(int i) {
    return indices[i];
  }

  private void up(int from, float score, int index) {
    int at = from;
    while (at > 0 && above(score, index, (at - 1) / 2)) {
      set(at, scores[(at - 1) / 2], indices[(at - 1) / 2]);
      at = (at - 1) / 2;
    }
    set(at, score, index);
  }

  /** Replaces the highest. */
  private void down(float score, int index) {
    int at = 0;
    while (2 * at + 1 < found) {
      int child = 2 * at + 1;
      if (child + 1 < found && above(scores[child + 1], indices[child + 1], child)) {
        child++;
      }
      if (above(score, index, child)) {
        break;
      }
      set(at, scores[child], indices[child]);
      at = child;
    }
    set(at, score, index);
  }

  private boolean above(float score, int index, int other) {
    return score > scores[other] || (score == scores[other] && index < indices[other]);
  }

  private void set(int at, float score, int index) {
    scores[at] = score;
    indices[at] = index;
  }
}
