package dev.ebb.host.tokens.rows;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The stored tokens of a sequence. The <em>position</em>, that of the next token in the text, never
 * falls. The <em>length</em>, the number of rows in use, falls when tokens are dropped.
 *
 * <p>Lanes that keep the same tokens form a set: one set for all until tokens are dropped by layer
 * or by KV head. In a set the stored tokens have an <em>index</em>, oldest first, and a
 * <em>row</em>. Rows 0 to length - 1 are in use, without gaps. They are not always in text order,
 * because a new token may take the row of a dropped one.
 *
 * <p>Not thread-safe.
 */
public final class StoredTokens {

  private final int layers;
  private final int kvHeads;
  private int position;
  private boolean pruned;
  private Set[] sets = {new Set()};

  /** Creates an empty sequence. */
  public StoredTokens(int layers, int kvHeads) {
    this.layers = layers;
    this.kvHeads = kvHeads;
  }

  public StoredTokens copy() {
    StoredTokens copy = new StoredTokens(layers, kvHeads);
    copy.position = position;
    copy.pruned = pruned;
    copy.sets = Arrays.stream(sets).map(Set::copy).toArray(Set[]::new);
    return copy;
  }

  /** Returns the position of the next token: the position id that is rotated into its key. */
  public int position() {
    return position;
  }

  public boolean pruned() {
    return pruned;
  }

  /** Returns the number of sets of lanes: 1, the layers, or the layers times the KV heads. */
  public int sets() {
    return sets.length;
  }

  /** Returns the number of adjacent lanes in each set. */
  public int lanesPerSet() {
    return layers * kvHeads / sets.length;
  }

  /**
   * Returns the set of a lane.
   *
   * @param lane KV head h of layer l is lane {@code l * kvHeads + h}
   * @return 0 to {@code sets() - 1}
   */
  public int setOf(int lane) {
    return lane / lanesPerSet();
  }

  public int length(int set) {
    return sets[set].length;
  }

  /** Returns the number of tokens of the longest set. */
  public int longest() {
    int longest = 0;
    for (Set set : sets) {
      longest = Math.max(longest, set.length);
    }
    return longest;
  }

  /**
   * Returns the position of a stored token in the text.
   *
   * @param index 0 for the oldest stored token
   * @return its position, rising with the index
   */
  public int position(int set, int index) {
    int[] positions = sets[set].positions;
    return positions == null ? index : positions[index];
  }

  /** Returns the row of a stored token by its index, 0 for the oldest. */
  public int row(int set, int index) {
    return sets[set].row(index);
  }

  /** Returns whether a set's rows are in the order of the text. */
  public boolean ordered(int set) {
    return sets[set].ordered;
  }

  /**
   * Copies values of a set's tokens into the order of their indices.
   *
   * @param byRow one for each row
   * @param byIndex receives one for each token
   */
  public void copyByIndex(int set, float[] byRow, float[] byIndex, int at) {
    Set from = sets[set];
    if (from.ordered) {
      System.arraycopy(byRow, 0, byIndex, at, from.length);
    } else {
      int[] rows = from.rows;
      int length = from.length;
      for (int index = 0; index < length; index++) {
        byIndex[at + index] = byRow[rows[index]];
      }
    }
  }

  /** Returns the positions of the tokens in each row of a set. */
  public int[] positionsByRow(int set) {
    int[] positions = new int[length(set)];
    for (int index = 0; index < positions.length; index++) {
      positions[row(set, index)] = position(set, index);
    }
    return positions;
  }

  /** Adds tokens behind the last row of every set. */
  public void append(int tokens) {
    int to = Math.addExact(position, tokens);
    for (Set set : sets) {
      set.append(position, tokens);
    }
    position = to;
  }

  /** Refines the sets: each new one starts as a copy of the old one that contained it. */
  void split(int into) {
    if (into > sets.length) {
      Set[] finer = new Set[into];
      for (int i = 0; i < into; i++) {
        finer[i] = sets[i * sets.length / into].copy();
      }
      sets = finer;
    }
  }

  /**
   * Drops the other tokens of a set.
   *
   * @param rowOf by row: the new one, if it changes
   * @param filling whether only rows behind the new last one change
   */
  void drop(int set, TokenRuns kept, int[] rowOf, boolean filling) {
    pruned = true;
    sets[set].drop(kept, rowOf, filling);
  }

  int layers() {
    return layers;
  }

  int kvHeads() {
    return kvHeads;
  }

  /** The tokens of one set. If positions are missing, they equal the indices. */
  private static final class Set {
    private int length;
    private int @Nullable [] positions;

    /** Whether each index is its row; {@link #rows} has no meaning then. */
    private boolean ordered = true;

    private int[] rows = {};

    /** An index that is not its row, or none. */
    private int misplaced;

    Set copy() {
      Set copy = new Set();
      copy.length = length;
      copy.positions = positions == null ? null : positions.clone();
      copy.ordered = ordered;
      copy.rows = ordered ? copy.rows : rows.clone();
      return copy;
    }

    int row(int index) {
      return ordered ? index : rows[index];
    }

    void append(int position, int tokens) {
      if (positions != null) {
        positions = followedBy(positions, position, tokens);
      }
      if (!ordered) {
        rows = followedBy(rows, length, tokens);
      }
      length += tokens;
    }

    private int[] followedBy(int[] values, int first, int tokens) {
      int[] longer = values;
      if (length + tokens > values.length) {
        longer = Arrays.copyOf(values, Math.max(length + tokens, 16 + length + length / 2));
      }
      for (int i = 0; i < tokens; i++) {
        longer[length + i] = first + i;
      }
      return longer;
    }

    void drop(TokenRuns kept, int[] rowOf, boolean filling) {
      int[] places = positions == null ? upTo(new int[length + length / 4]) : positions;
      kept.compact(places);
      positions = places;
      if (filling) {
        fill(kept, rowOf);
      } else if (!ordered) {
        kept.compact(rows);
        for (int i = 0; i < kept.tokens(); i++) {
          rows[i] = rowOf[rows[i]];
        }
      }
      length = kept.tokens();
      ordered = (ordered && !filling) || inOrder();
    }

    /** Changes the rows behind the new last one: mostly those of the newest tokens. */
    private void fill(TokenRuns kept, int[] rowOf) {
      if (ordered) {
        rows = upTo(rows.length < length ? new int[length + length / 4] : rows);
      }
      int behind = length - kept.tokens();
      for (int index = length - 1; behind > 0; index--) {
        if (rows[index] >= kept.tokens()) {
          rows[index] = rowOf[rows[index]];
          behind--;
        }
      }
      kept.compact(rows);
    }

    private int[] upTo(int[] values) {
      for (int i = 0; i < length; i++) {
        values[i] = i;
      }
      return values;
    }

    private boolean inOrder() {
      if (misplaced < length && rows[misplaced] != misplaced) {
        return false;
      }
      misplaced = 0;
      while (misplaced < length && rows[misplaced] == misplaced) {
        misplaced++;
      }
      return misplaced == length;
    }
  }
}
