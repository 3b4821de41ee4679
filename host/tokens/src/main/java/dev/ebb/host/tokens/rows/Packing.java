package dev.ebb.host.tokens.rows;

import java.util.Arrays;
import java.util.BitSet;

/**
 * The plan by which the rows of kept tokens move together when others are dropped. A row moves only
 * to a lower one. Executed front to back, no row is overwritten before it has moved, whatever the
 * number of sets.
 *
 * <p>When many tokens are dropped, rows keep their order. When few are dropped, the last rows fill
 * the gaps, so that as many rows move as tokens were dropped. Planning then takes time for the
 * dropped tokens only.
 *
 * <p>Reusable: once warm it allocates nothing, except where sets are split. Not thread-safe.
 */
public final class Packing {

  /** Below this share of dropped tokens to kept ones gaps are filled. */
  private static final int FEW = 16;

  private final StoredTokens tokens;
  private final BitSet freed = new BitSet();
  private int sets;
  private TokenRuns[] kept = {};

  /** By set: the current row of each new one; while gaps are filled, from and to of each move. */
  private int[][] sources = {};

  private int[] firstMoved = {};
  private int[] moved = {};
  private int[] rowOf = {};
  private boolean filling;
  private long dropped;

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
      TokenRuns runs = keep.kept(set * given / sets);
      check(runs, set, stored);
      kept[set].copy(runs);
      staying += runs.tokens();
      dropped += stored - runs.tokens();
    }
    filling = mayFill && dropped * FEW <= staying;
    for (int set = 0; set < sets; set++) {
      if (filling) {
        fill(set);
      } else {
        order(set);
      }
    }
  }

  private void prepare(int wanted) {
    sets = wanted;
    if (kept.length < wanted) {
      int known = kept.length;
      kept = Arrays.copyOf(kept, wanted);
      Arrays.setAll(kept, set -> set < known ? kept[set] : new TokenRuns());
      sources = Arrays.copyOf(sources, wanted);
      Arrays.fill(sources, known, wanted, new int[0]);
      firstMoved = new int[wanted];
      moved = new int[wanted];
    }
  }

  private static void check(TokenRuns runs, int set, int stored) {
    int least = 0;
    for (int run = 0; run < runs.count(); run++) {
      int start = runs.start(run);
      if (start < 0 || runs.end(run) > stored) {
        throw new IllegalArgumentException(
            "kept index '%d' of set '%d' must be from 0 to %d"
                .formatted(start < 0 ? start : Math.max(start, stored), set, stored - 1));
      }
      if (start < least) {
        throw new IllegalArgumentException(
            "kept index '%d' of set '%d' comes after '%d'; name each index once, oldest first"
                .formatted(start, set, least - 1));
      }
      least = runs.end(run);
    }
  }

  /** Returns the stored set that contains a set of this plan. */
  private int stored(int set) {
    return set * tokens.sets() / sets;
  }

  private int[] sources(int set, int count) {
    if (sources[set].length < count) {
      sources[set] = new int[count + count / 2];
    }
    return sources[set];
  }

  /** Moves all kept rows together, in their order. */
  private void order(int set) {
    int from = stored(set);
    int count = kept(set);
    int[] source = sources(set, count);
    if (tokens.ordered(from)) {
      // Each index is its row.
      kept[set].copyTo(source);
    } else {
      free(set);
      int row = freed.nextClearBit(0);
      for (int i = 0; i < count; i++) {
        source[i] = row;
        row = freed.nextClearBit(row + 1);
      }
    }
    int first = 0;
    while (first < count && source[first] == first) {
      first++;
    }
    firstMoved[set] = first;
    moved[set] = count - first;
  }

  /** Moves the kept rows behind the future last one into the rows of dropped tokens. */
  private void fill(int set) {
    free(set);
    int count = kept(set);
    int moves = 0;
    int to = freed.nextSetBit(0);
    int from = freed.nextClearBit(count);
    firstMoved[set] = to < 0 ? count : Math.min(to, count);
    int[] move = sources(set, 2 * freed.cardinality());
    while (to >= 0 && to < count) {
      move[2 * moves] = from;
      move[2 * moves + 1] = to;
      moves++;
      to = freed.nextSetBit(to + 1);
      from = freed.nextClearBit(from + 1);
    }
    moved[set] = moves;
  }

  /** Marks the rows of dropped tokens. */
  private void free(int set) {
    freed.clear();
    int from = stored(set);
    TokenRuns runs = kept[set];
    int next = 0;
    for (int run = 0; run <= runs.count(); run++) {
      int start = run < runs.count() ? runs.start(run) : tokens.length(from);
      for (int index = next; index < start; index++) {
        freed.set(tokens.row(from, index));
      }
      next = run < runs.count() ? runs.end(run) : start;
    }
  }

  public long dropped() {
    return dropped;
  }

  public int sets() {
    return sets;
  }

  /** Returns the number of kept tokens of a set, which are its rows afterwards. */
  public int kept(int set) {
    return kept[set].tokens();
  }

  /**
   * Returns the current rows of all kept tokens of a set, if rows keep their order.
   *
   * @return rows, not a copy: of the first {@code kept(set)} new rows; the next plan changes it
   */
  public int[] sources(int set) {
    return sources[set];
  }

  /** Returns the first row that changes; {@code kept(set)} if none does. */
  public int firstMoved(int set) {
    return firstMoved[set];
  }

  public int moved(int set) {
    return moved[set];
  }

  /**
   * Returns whether the last rows fill the gaps: then only single rows move, from behind the future
   * last one.
   */
  public boolean filling() {
    return filling;
  }

  /** Returns the row that fills a gap. */
  public int from(int set, int move) {
    return sources[set][2 * move];
  }

  /** Returns the gap that a row fills. */
  public int to(int set, int move) {
    return sources[set][2 * move + 1];
  }

  /**
   * Moves values of a set's tokens together.
   *
   * @param values one for each stored token, by index, oldest first
   * @param from where they begin
   * @param to where those of kept tokens are to begin, at or before {@code from}
   */
  public void moveByIndex(int set, float[] values, int from, int to) {
    kept[set].compact(values, from, to);
  }

  /** Moves values, one for each row, as the rows of a set move. */
  public void moveByRow(int set, float[] values) {
    int[] source = sources[set];
    if (filling) {
      for (int move = 0; move < moved[set]; move++) {
        values[source[2 * move + 1]] = values[source[2 * move]];
      }
    } else {
      for (int row = firstMoved[set]; row < kept(set); row++) {
        values[row] = values[source[row]];
      }
    }
  }

  /** Writes the plan to the stored tokens, once the rows have moved. */
  public void commit() {
    tokens.split(sets);
    int longest = tokens.longest();
    if (rowOf.length < longest) {
      rowOf = new int[longest + longest / 2];
    }
    for (int set = 0; set < sets; set++) {
      if (kept(set) < tokens.length(set)) {
        tokens.drop(set, kept[set], rowOf(set), filling);
      }
    }
  }

  /** Returns the new row by the current one, of those that the plan moves. */
  private int[] rowOf(int set) {
    int[] source = sources[set];
    int moves = filling ? moved[set] : tokens.ordered(set) ? 0 : kept(set);
    for (int move = 0; move < moves; move++) {
      if (filling) {
        rowOf[source[2 * move]] = source[2 * move + 1];
      } else {
        rowOf[source[move]] = move;
      }
    }
    return rowOf;
  }
}
