package dev.ebb.host.tokens.rows;

import java.util.Arrays;

/**
 * Tokens in ascending order, as runs of consecutive ones. If few of many tokens are dropped, there
 * are few runs. Reusable: once warm it allocates nothing. Not thread-safe.
 */
public final class TokenRuns {

  /** For fewer values a loop is faster than a call. */
  private static final int SHORT = 8;

  /** The first token of each run and the one behind its last, in turn. */
  private int[] bounds = new int[4];

  private int runs;
  private int tokens;

  public void clear() {
    runs = 0;
    tokens = 0;
  }

  /** Adds tokens behind all others, up to an exclusive end; none if it is the start. */
  public void add(int start, int end) {
    if (start == end) {
      return;
    }
    tokens += end - start;
    if (runs > 0 && bounds[2 * runs - 1] == start) {
      bounds[2 * runs - 1] = end;
      return;
    }
    if (bounds.length < 2 * runs + 2) {
      bounds = Arrays.copyOf(bounds, 3 * bounds.length);
    }
    bounds[2 * runs] = start;
    bounds[2 * runs + 1] = end;
    runs++;
  }

  void copy(TokenRuns other) {
    if (bounds.length < 2 * other.runs) {
      bounds = new int[3 * other.runs];
    }
    System.arraycopy(other.bounds, 0, bounds, 0, 2 * other.runs);
    runs = other.runs;
    tokens = other.tokens;
  }

  public int count() {
    return runs;
  }

  public int tokens() {
    return tokens;
  }

  public int start(int run) {
    return bounds[2 * run];
  }

  /** Returns the token behind the last of a run. */
  public int end(int run) {
    return bounds[2 * run + 1];
  }

  /** Returns the tokens. */
  public int[] toArray() {
    int[] all = new int[tokens];
    copyTo(all);
    return all;
  }

  void copyTo(int[] out) {
    int next = 0;
    for (int run = 0; run < runs; run++) {
      for (int token = start(run); token < end(run); token++) {
        out[next++] = token;
      }
    }
  }

  /** Moves the tokens' values together: that of token t from index {@code from + t}. */
  void compact(float[] values, int from, int to) {
    int next = to;
    for (int run = 0; run < runs; run++) {
      int first = from + start(run);
      int count = end(run) - start(run);
      if (first != next && count < SHORT) {
        for (int i = 0; i < count; i++) {
          values[next + i] = values[first + i];
        }
      } else if (first != next) {
        System.arraycopy(values, first, values, next, count);
      }
      next += count;
    }
  }

  void compact(int[] values) {
    int next = 0;
    for (int run = 0; run < runs; run++) {
      int first = start(run);
      int count = end(run) - first;
      if (first != next && count < SHORT) {
        for (int i = 0; i < count; i++) {
          values[next + i] = values[first + i];
        }
      } else if (first != next) {
        System.arraycopy(values, first, values, next, count);
      }
      next += count;
    }
  }
}
