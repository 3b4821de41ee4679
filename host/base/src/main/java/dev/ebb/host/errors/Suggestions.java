package dev.ebb.host.errors;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Suggests the existing names closest to a mistyped one. */
public final class Suggestions {

  /** More suggestions than these do not help. */
  private static final int MOST_NAMED = 3;

  private Suggestions() {}

  /** Returns {@code " (did you mean 'lru'?)"} with up to three equally near names, or nothing. */
  public static String hint(String wrong, Collection<String> right) {
    return hint(nearest(wrong, right));
  }

  /** Returns the hint with these names; empty if there are none, or too many. */
  public static String hint(List<String> near) {
    return near.isEmpty() || near.size() > MOST_NAMED
        ? ""
        : " (did you mean '" + String.join("' or '", near) + "'?)";
  }

  /** Returns the nearest of some names, if it is within a third of its length. */
  public static Optional<String> to(String wrong, Collection<String> right) {
    return nearest(wrong, right).stream().findFirst();
  }

  /** Returns all nearest names, sorted. Case, dashes and underscores are ignored. */
  private static List<String> nearest(String wrong, Collection<String> right) {
    SortedMap<Integer, List<String>> byDistance = new TreeMap<>();
    for (String name : right.stream().distinct().sorted().toList()) {
      int distance = distance(plain(wrong), plain(name));
      if (distance <= Math.max(1, name.length() / 3)) {
        byDistance.computeIfAbsent(distance, _ -> new ArrayList<>()).add(name);
      }
    }
    return byDistance.isEmpty() ? List.of() : byDistance.firstEntry().getValue();
  }

  static String plain(String name) {
    return name.toLowerCase(Locale.ROOT).replace("-", "").replace("_", "");
  }

  /**
   * Returns the number of insertions, deletions, substitutions and swaps of neighbours that turn a
   * into b.
   */
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
