package dev.ebb.host.tokens.rows;

import java.util.Arrays;

/** The kept tokens of a sequence, for each set of lanes. */
public interface KeptSets {

  /** Returns the number of sets: 1 for all lanes, or one for each layer or each lane. */
  int sets();

  /** Returns the kept tokens of a set: indices among the stored tokens, oldest first. */
  TokenRuns kept(int set);

  /** Returns sets of ascending indices. */
  static KeptSets of(int[]... indices) {
    TokenRuns[] all = new TokenRuns[indices.length];
    Arrays.setAll(
        all,
        set -> {
          TokenRuns runs = new TokenRuns();
          for (int index : indices[set]) {
            runs.add(index, index + 1);
          }
          return runs;
        });
    return new KeptSets() {
      @Override
      public int sets() {
        return all.length;
      }

      @Override
      public TokenRuns kept(int set) {
        return all[set];
      }
    };
  }
}
