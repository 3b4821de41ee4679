package dev.ebb.host.errors;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the name that a mistyped one was probably meant to be. */
public final class Nearest {

  private Nearest() {}

  /**
   * The hint that ends a message about an unknown name.
   *
   * @param wrong the name as given
   * @param right the names that exist
   * @return {@code "; did you mean 'lru'?"}, or nothing if no name is near
   */
  public static String hint(String wrong, Collection<String> right) {
    return to(wrong, right).map(name -> "; did you mean '" + name + "'?").orElse("");
  }

  /**
   * The nearest name, if it is near enough to be what was meant.
   *
   * @param wrong the name as given
   * @param right the names that exist
   * @return the nearest one within a third of its length
   */
  public static Optional<String> to(String wrong, Collection<String> right) {
    return right.stream()
        .filter(name -> distance(wrong, name) <= Math.max(1, name.length() / 3))
        .min(
            Comparator.comparingInt((String name) -> distance(wrong, name))
                .thenComparing(name -> name));
  }

  /** Insertions, deletions, substitutions and swaps of neighbours that turn a into b. */
  static int distance(String a, String b) {
    int[] beforeLast = new int[b.length() + 1];
    int[] last = new int[b.length() + 1];
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] spare = beforeLast;
      beforeLast = last;
      last = row;
      row = spare;
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        boolean same = a.charAt(i - 1) == b.charAt(j - 1);
        row[j] = Math.min(Math.min(last[j], row[j - 1]) + 1, last[j - 1] + (same ? 0 : 1));
        boolean swapped =
            i > 1
                && j > 1
                && a.charAt(i - 1) == b.charAt(j - 2)
                && a.charAt(i - 2) == b.charAt(j - 1);
        if (swapped) {
          row[j] = Math.min(row[j], beforeLast[j - 2] + 1);
        }
      }
    }
    return row[b.length()];
  }
}
