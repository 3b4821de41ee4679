package dev.ebb.host.tokens;

import java.util.BitSet;

/**
 * Selects the kept tokens, deterministically: first the protected ones, then by score, the lower
 * index first among equals. Allocates nothing once it has seen the largest layer. For one thread.
 */
public final class TokenSelection {

  private final BestScores best = new BestScores();
  private final BitSet kept = new BitSet();

  /** Creates a selection without scratch memory. */
  public TokenSelection() {}

  /**
   * Selects tokens of one layer.
   *
   * @param scores {@code [sets][length]}, higher stays; scores of protected tokens are ignored
   * @param sets kept sets of the layer, at least 1
   * @param length tokens now, 0 or more
   * @param mask the protected tokens, which stay in every set; if fewer are kept than are
   *     protected, the newest of them
   * @param keep how many to keep in each set on average; all if there are fewer
   * @param floor how many to keep in each set at least; if less than {@code keep}, sets compete for
   *     the rest by score
   * @param out receives the tokens
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

  private void protect(BitSet mask, int start, int count) {
    int token = mask.length();
    for (int left = count; left > 0; left--) {
      token = mask.previousSetBit(token - 1);
      kept.set(start + token);
    }
  }
}
