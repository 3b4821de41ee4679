package dev.ebb.host.tokens;

import dev.ebb.host.tokens.rows.TokenRuns;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;

/** The kept tokens of one layer, for each of its sets. Reused: a selection overwrites it. */
public final class KeptTokens {

  private TokenRuns[] tokens = {};
  private int sets;

  /** Returns the number of sets: 1 if all heads keep the same tokens, otherwise the KV heads. */
  public int sets() {
    return sets;
  }

  /** Returns the indices of a set's kept tokens before the selection; the next one changes them. */
  public TokenRuns kept(int set) {
    return tokens[Objects.checkIndex(set, sets)];
  }

  public int[] tokens(int set) {
    return kept(set).toArray();
  }

  void take(BitSet kept, int newSets, int length) {
    if (tokens.length < newSets) {
      int known = tokens.length;
      tokens = Arrays.copyOf(tokens, newSets);
      Arrays.setAll(tokens, set -> set < known ? tokens[set] : new TokenRuns());
    }
    sets = newSets;
    for (int set = 0; set < newSets; set++) {
      TokenRuns runs = tokens[set];
      runs.clear();
      int first = set * length;
      int behind = first + length;
      int start = kept.nextSetBit(first);
      while (start >= 0 && start < behind) {
        int end = Math.min(behind, kept.nextClearBit(start));
        runs.add(start - first, end - first);
        start = kept.nextSetBit(end);
      }
    }
  }
}
