package dev.ebb.host.tokens.rows;

import java.util.Arrays;

/**
 * The plan by which the rows of kept tokens move together when others are dropped. The token in row
 * {@link #source} moves to a row at or before it. Executed front to back, no row is overwritten
 * before it has moved, whatever the number of sets.
 *
 * <p>When many tokens are dropped, rows keep their order. When few are dropped, the last rows fill
 * the gaps, so that as many rows move as tokens were dropped.
 *
 * <p>Reusable: once warm it allocates nothing, except where sets are split. Not thread-safe.
 */
public final class Packing {

  /** Below this share of dropped tokens to kept ones gaps are filled. */
  private static final int FEW = 16;

  private final StoredTokens tokens;
  private int sets;
  private int[][] kept = {{}};
  private int[] counts = {0};

  private int[][] sources = {{}};

  private int[] firstMoved = {0};
  private int[] moved = {0};
  private int[] rowOf = {};
  private boolean filling;
  private long dropped;

  /** Creates an empty plan. */
  public Packing(StoredTokens tokens) {
    this.tokens = tokens;
  }

  /**
   * Plans to keep some tokens and drop all others. Nothing changes yet.
   *
   * @param mayFill whether the last rows may fill the gaps when few tokens are dropped
   * @param keep the kept tokens: one set for all lanes, one for each layer, or one for each lane;
   *     read during the call only
   * @throws IllegalArgumentException if the number of sets is wrong, or an index is not in order or
   *     not stored
   */
  public void plan(boolean mayFill, KeptSets keep) {
    int given = keep.sets();
    if (given != 1 && given != tokens.layers() && given != tokens.layers() * tokens.kvHeads()) {
      throw new IllegalArgumentException(
          "'%d' kept sets must be 1, one for each of %d layers or one for each of %d lanes"
              .formatted(given, tokens.layers(), tokens.layers() * tokens.kvHeads()));
    }
    prepare(Math.max(given, tokens.sets()));
    dropped = 0;
    long staying = 0;
    for (int set = 0; set < sets; set++) {
      int stored = tokens.length(stored(set));
      take(set, keep, set * given / sets, stored);
      staying += counts[set];
      dropped += stored - counts[set];
    }
    filling = mayFill && dropped * FEW <= staying;
    for (int set = 0; set < sets; set++) {
      arrange(set);
    }
  }

  private void prepare(int wanted) {
    sets = wanted;
    if (kept.length < wanted) {
      kept = grown(kept, wanted);
      sources = grown(sources, wanted);
      counts = new int[wanted];
      firstMoved = new int[wanted];
      moved = new int[wanted];
    }
    int longest = tokens.longest();
    if (rowOf.length < longest) {
      rowOf = new int[longest + longest / 2];
    }
  }

  private static int[][] grown(int[][] arrays, int count) {
    int[][] more = Arrays.copyOf(arrays, count);
    Arrays.fill(more, arrays.length, count, new int[0]);
    return more;
  }

  private void take(int set, KeptSets keep, int given, int stored) {
    int count = keep.count(given);
    if (kept[set].length < count) {
      kept[set] = new int[count + count / 2];
    }
    int least = 0;
    for (int i = 0; i < count; i++) {
      int index = keep.index(given, i);
      if (index < least || index >= stored) {
        throw new IllegalArgumentException(
            "kept index '%d' of set '%d' must be from %d to %d"
                .formatted(index, set, least, stored - 1));
      }
      kept[set][i] = index;
      least = index + 1;
    }
    counts[set] = count;
  }

  /** Returns the stored set that contains a set of this plan. */
  private int stored(int set) {
    return set * tokens.sets() / sets;
  }

  private void arrange(int set) {
    int count = counts[set];
    if (sources[set].length < count) {
      sources[set] = new int[count + count / 2];
    }
    int from = stored(set);
    if (!filling && tokens.ordered(from)) {
      // Each index is its row.
      System.arraycopy(kept[set], 0, sources[set], 0, count);
      note(set, count);
      return;
    }
    int[] source = sources[set];
    int length = tokens.length(from);
    Arrays.fill(rowOf, 0, length, -1);
    for (int i = 0; i < count; i++) {
      rowOf[tokens.row(from, kept[set][i])] = 0;
    }
    if (filling) {
      fill(source, count, length);
    } else {
      int next = 0;
      for (int row = 0; row < length; row++) {
        if (rowOf[row] == 0) {
          source[next++] = row;
        }
      }
    }
    note(set, count);
  }

  private void note(int set, int count) {
    int[] source = sources[set];
    int first = 0;
    while (first < count && source[first] == first) {
      first++;
    }
    int staying = 0;
    for (int row = first; row < count; row++) {
      staying += source[row] == row ? 1 : 0;
    }
    firstMoved[set] = first;
    moved[set] = count - first - staying;
  }

  /** Moves the kept rows behind the future last one into the rows of dropped tokens. */
  private void fill(int[] source, int count, int length) {
    int last = count;
    for (int row = 0; row < count; row++) {
      source[row] = row;
      if (rowOf[row] < 0) {
        while (last < length && rowOf[last] < 0) {
          last++;
        }
        source[row] = last++;
      }
    }
  }

  /**
   * Returns how many tokens are dropped, over all sets.
   *
   * @return 0 if the plan changes nothing
   */
  public long dropped() {
    return dropped;
  }

  /**
   * Returns the number of sets of the plan.
   *
   * @return as many as were given, or as are stored
   */
  public int sets() {
    return sets;
  }

  /** Returns the number of kept tokens of a set, which are its rows afterwards. */
  public int kept(int set) {
    return counts[set];
  }

  /**
   * Returns a kept token.
   *
   * @param i 0 to {@code kept(set) - 1}
   * @return its index before, at least {@code i}
   */
  public int index(int set, int i) {
    return kept[set][i];
  }

  /**
   * Returns the current row of the token that moves to a row.
   *
   * @param row 0 to {@code kept(set) - 1}
   * @return a row, at least {@code row}
   */
  public int source(int set, int row) {
    return sources[set][row];
  }

  /**
   * Returns the current rows of all kept tokens of a set.
   *
   * @return rows, not a copy: of the first {@code kept(set)} new rows; the next plan changes it
   */
  public int[] sources(int set) {
    return sources[set];
  }

  /**
   * Returns the first row that changes.
   *
   * @return a row; {@code kept(set)} if none changes
   */
  public int firstMoved(int set) {
    return firstMoved[set];
  }

  /**
   * Returns how many rows change.
   *
   * @return 0 to {@code kept(set)}
   */
  public int moved(int set) {
    return moved[set];
  }

  /**
   * Returns whether the last rows fill the gaps, so that every row moves from behind the future
   * last one.
   *
   * @return false if rows keep their order
   */
  public boolean filling() {
    return filling;
  }

  /** Writes the plan to the stored tokens, once the rows have moved. */
  public void commit() {
    tokens.split(sets);
    for (int set = 0; set < sets; set++) {
      int[] source = sources[set];
      for (int row = 0; row < counts[set]; row++) {
        rowOf[source[row]] = row;
      }
      tokens.replace(set, kept[set], counts[set], rowOf);
    }
  }
}
