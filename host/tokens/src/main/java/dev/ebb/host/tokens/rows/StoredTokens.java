package dev.ebb.host.tokens.rows;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Which tokens of a sequence are stored. Two numbers are kept apart: the <em>position</em>, at
 * which the next token stands in the text, never falls; the <em>length</em>, the rows in use, falls
 * when tokens are dropped.
 *
 * <p>Lanes that keep the same tokens form a set: one set for all until tokens are dropped by layer
 * or by KV head. In a set the stored tokens have an <em>index</em>, oldest first, and a
 * <em>row</em>. Rows 0 to length - 1 are in use, without gaps, but not always in the order of the
 * text: a token that takes the row of a dropped one need not push all others.
 *
 * <p>Not safe for use by many threads.
 */
public final class StoredTokens {

  private final int layers;
  private final int kvHeads;
  private int position;
  private boolean pruned;
  private Set[] sets = {new Set()};

  /**
   * Nothing stored yet.
   *
   * @param layers attention layers, at least 1
   * @param kvHeads KV heads in a layer, at least 1
   */
  public StoredTokens(int layers, int kvHeads) {
    this.layers = layers;
    this.kvHeads = kvHeads;
  }

  /**
   * The same tokens, to go their own way.
   *
   * @return a copy
   */
  public StoredTokens copy() {
    StoredTokens copy = new StoredTokens(layers, kvHeads);
    copy.position = position;
    copy.pruned = pruned;
    copy.sets = Arrays.stream(sets).map(Set::copy).toArray(Set[]::new);
    return copy;
  }

  /**
   * Where the next token stands in the text: the position id that is rotated into its key.
   *
   * @return tokens so far, dropped ones too
   */
  public int position() {
    return position;
  }

  /**
   * Whether tokens have been dropped.
   *
   * @return whether any length is less than the position
   */
  public boolean pruned() {
    return pruned;
  }

  /**
   * How many sets of lanes may differ in what they store.
   *
   * @return 1, the layers, or the layers times the KV heads
   */
  public int sets() {
    return sets.length;
  }

  /**
   * Lanes in each set.
   *
   * @return lanes that follow each other
   */
  public int lanesPerSet() {
    return layers * kvHeads / sets.length;
  }

  /**
   * The set of a lane.
   *
   * @param lane KV head h of layer l is lane {@code l * kvHeads + h}
   * @return 0 to {@code sets() - 1}
   */
  public int setOf(int lane) {
    return lane / lanesPerSet();
  }

  /**
   * Tokens that a set stores.
   *
   * @param set the set
   * @return rows in use
   */
  public int length(int set) {
    return sets[set].length;
  }

  /**
   * The most tokens that any set stores.
   *
   * @return rows in use
   */
  public int longest() {
    int longest = 0;
    for (Set set : sets) {
      longest = Math.max(longest, set.length);
    }
    return longest;
  }

  /**
   * Where a stored token stands in the text.
   *
   * @param set the set
   * @param index 0 for the oldest stored token
   * @return its position, rising with the index
   */
  public int position(int set, int index) {
    int[] positions = sets[set].positions;
    return positions == null ? index : positions[index];
  }

  /**
   * Where a stored token lies.
   *
   * @param set the set
   * @param index 0 for the oldest stored token
   * @return its row
   */
  public int row(int set, int index) {
    return sets[set].row(index);
  }

  /**
   * Whether a set's rows follow the text.
   *
   * @param set the set
   * @return whether each index is its row
   */
  public boolean ordered(int set) {
    return sets[set].ordered;
  }

  /**
   * Which token lies in which row of a set.
   *
   * @param set the set
   * @return positions by row
   */
  public int[] positionsByRow(int set) {
    int[] positions = new int[length(set)];
    for (int index = 0; index < positions.length; index++) {
      positions[row(set, index)] = position(set, index);
    }
    return positions;
  }

  /**
   * Adds tokens behind the last row of every set.
   *
   * @param tokens how many
   */
  public void append(int tokens) {
    int to = Math.addExact(position, tokens);
    for (Set set : sets) {
      set.append(position, tokens);
    }
    position = to;
  }

  /** Refines the sets: each new one starts as the old one that it was a part of. */
  void split(int into) {
    if (into > sets.length) {
      Set[] finer = new Set[into];
      for (int i = 0; i < into; i++) {
        finer[i] = sets[i * sets.length / into].copy();
      }
      sets = finer;
    }
  }

  /** Replaces what a set stores: kept indices in their order, and what row each has then. */
  void replace(int set, int[] kept, int count, int[] rowOf) {
    pruned |= count < sets[set].length;
    sets[set].keep(kept, count, rowOf);
  }

  int layers() {
    return layers;
  }

  int kvHeads() {
    return kvHeads;
  }

  /** What one set stores. Missing positions stand for those that are the indices. */
  private static final class Set {
    private int length;
    private int @Nullable [] positions;

    /** Whether each index is its row; what {@link #rows} has is of no meaning then. */
    private boolean ordered = true;

    private int[] rows = {};

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

    void keep(int[] kept, int count, int[] rowOf) {
      boolean inOrder = true;
      for (int i = 0; i < count; i++) {
        inOrder &= rowOf[row(kept[i])] == i;
      }
      if (!inOrder) {
        if (rows.length < length) {
          rows = new int[length + length / 4];
        }
        for (int i = 0; i < count; i++) {
          rows[i] = rowOf[ordered ? kept[i] : rows[kept[i]]];
        }
      }
      ordered = inOrder;
      int[] stay = positions == null ? new int[count + count / 4] : positions;
      for (int i = 0; i < count; i++) {
        stay[i] = positions == null ? kept[i] : stay[kept[i]];
      }
      positions = stay;
      length = count;
    }
  }
}
