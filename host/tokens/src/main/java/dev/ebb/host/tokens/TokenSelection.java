package dev.ebb.host.tokens;

import java.util.BitSet;

/**
 * Selects the kept tokens, deterministically: first the protected ones, then by score, the lower
 * index first among equals. Allocates nothing once it has seen the largest layer. For one thread.
 */
public final class TokenSelection {

  private final BestScores best = new BestScores();
  private final LowestScores lowest = new LowestScores();
  private final BitSet kept = new BitSet();

  /**
   * Selects tokens of one layer.
   *
   * @param scores {@code [sets][length]}, higher stays; scores of protected tokens are ignored
   * @param mask the protected tokens, which stay in every set; if fewer are kept than are
   *     protected, the newest of them
   * @param keep how many to keep in each set on average; all if there are fewer
   * @param floor how many to keep in each set at least; if less than {@code keep}, sets compete for
   *     the rest by score
   * @throws InvalidScore if a score is NaN, or a protected token does not exist
   */
  public void select(
      float[] scores, int sets, int length, BitSet mask, int keep, int floor, KeptTokens out) {
    if (mask.length() > length) {
      throw new InvalidScore(
          "protected token '%d' is outside a sequence of %d tokens"
              .formatted(mask.length() - 1, length));
    }
    if (keep < 0 || sets < 1 || (long) sets * length > scores.length) {
      throw new IllegalArgumentException(
          "keep '%d' must be at least 0, and '%d' sets of '%d' tokens within %d scores"
              .formatted(keep, sets, length, scores.length));
    }
    kept.clear();
    int guarded = mask.cardinality();
    if (keep > guarded && dropFew(scores, sets, length, mask, keep, floor)) {
      out.take(kept, sets, length);
      return;
    }
    for (int set = 0; set < sets; set++) {
      int start = set * length;
      protect(mask, start, Math.min(keep, guarded));
      if (keep > guarded) {
        best.mark(scores, start, start + length, kept, Math.min(floor, keep) - guarded);
      }
    }
    if (floor < keep && guarded < keep) {
      long wanted = Math.min((long) sets * keep, (long) sets * length);
      best.mark(scores, 0, sets * length, kept, (int) wanted - kept.cardinality());
    }
    out.take(kept, sets, length);
  }

  /** Drops the lowest scores, unless too many are to be dropped or a set falls below the floor. */
  private boolean dropFew(float[] scores, int sets, int length, BitSet mask, int keep, int floor) {
    boolean together = floor < keep;
    long drop = (long) Math.max(0, length - keep) * (together ? sets : 1);
    if (drop > LowestScores.MOST) {
      return false;
    }
    kept.set(0, sets * length);
    for (int set = 0; set < sets; set++) {
      if (set == 0 || !together) {
        lowest.begin((int) drop);
      }
      addOpen(scores, set * length, length, mask);
      if (set == sets - 1 || !together) {
        for (int i = 0; i < lowest.found(); i++) {
          kept.clear(lowest.index(i));
        }
      }
    }
    if (together && !reaches(floor, sets, length)) {
      kept.clear();
      return false;
    }
    return true;
  }

  /** Adds the scores of the tokens that are not protected. */
  private void addOpen(float[] scores, int start, int length, BitSet mask) {
    int from = mask.nextClearBit(0);
    while (from < length) {
      int guard = mask.nextSetBit(from);
      int to = guard < 0 ? length : guard;
      lowest.add(scores, start + from, start + to);
      from = mask.nextClearBit(to);
    }
  }

  private boolean reaches(int floor, int sets, int length) {
    for (int set = 0; set < sets; set++) {
      int stays = length;
      for (int i = 0; i < lowest.found(); i++) {
        stays -= lowest.index(i) / length == set ? 1 : 0;
      }
      if (stays < Math.min(floor, length)) {
        return false;
      }
    }
    return true;
  }

  private void protect(BitSet mask, int start, int count) {
    int token = mask.length();
    for (int left = count; left > 0; left--) {
      token = mask.previousSetBit(token - 1);
      kept.set(start + token);
    }
  }
}
