package dev.ebb.host.tokens;

import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;

/** The kept tokens of one layer, for each of its sets. Reused: a selection overwrites it. */
public final class KeptTokens {

  private int[] tokens = new int[0];
  private int[] starts = new int[2];
  private int sets;

  /** Creates an empty selection. */
  public KeptTokens() {}

  /**
   * Returns how many kept sets the layer has.
   *
   * @return 1 if all heads keep the same tokens, otherwise the KV heads
   */
  public int sets() {
    return sets;
  }

  /**
   * Returns the number of kept tokens.
   *
   * @param set 0 to {@code sets() - 1}
   */
  public int count(int set) {
    Objects.checkIndex(set, sets);
    return starts[set + 1] - starts[set];
  }

  /**
   * Returns a kept token.
   *
   * @param set 0 to {@code sets() - 1}
   * @param i 0 to {@code count(set) - 1}
   * @return its index before the selection; ascending with i
   */
  public int token(int set, int i) {
    Objects.checkIndex(i, count(set));
    return tokens[starts[set] + i];
  }

  /**
   * Returns the kept tokens of one set.
   *
   * @param set 0 to {@code sets() - 1}
   * @return a copy, ascending
   */
  public int[] tokens(int set) {
    Objects.checkIndex(set, sets);
    return Arrays.copyOfRange(tokens, starts[set], starts[set + 1]);
  }

  void take(BitSet kept, int newSets, int length) {
    sets = newSets;
    int total = kept.cardinality();
    if (tokens.length < total) {
      tokens = new int[Math.max(total, newSets * length)];
    }
    if (starts.length <= newSets) {
      starts = new int[newSets + 1];
    }
    int next = 0;
    for (int set = 0; set < newSets; set++) {
      starts[set] = next;
      int start = set * length;
      int end = start + length;
      for (int i = kept.nextSetBit(start); i >= 0 && i < end; i = kept.nextSetBit(i + 1)) {
        tokens[next++] = i - start;
      }
    }
    starts[newSets] = next;
  }
}
