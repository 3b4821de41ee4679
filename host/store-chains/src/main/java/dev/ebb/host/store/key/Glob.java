package dev.ebb.host.store.key;

/**
 * Redis' patterns: {@code * ? [a-z] [^a] \x}, over bytes. All ways to match are followed at the
 * same time, so that the time of a match is linear in the text's length, whatever the pattern.
 */
public final class Glob {

  private static final int BYTES = 1 << Byte.SIZE;

  private final byte[] pattern;
  private final boolean foldCase;

  /** The number of elements that each match one byte. */
  private final int elements;

  private final int words;

  /** For each byte, the bits of the elements that match it. */
  private final long[] matching;

  /** A bit for each number of elements behind which there is a star. */
  private final long[] stars;

  /** Creates a pattern, kept and not to be changed. Folding matches ASCII letters in both cases. */
  public Glob(byte[] pattern, boolean foldCase) {
    this.pattern = pattern;
    this.foldCase = foldCase;
    words = pattern.length / Long.SIZE + 1;
    matching = new long[BYTES * words];
    stars = new long[words];
    int element = 0;
    for (int p = 0; p < pattern.length; p = after(p)) {
      if (pattern[p] == '*') {
        stars[element >> 6] |= 1L << element;
        continue;
      }
      element++;
      for (int c = 0; c < BYTES; c++) {
        if (one(p, (byte) c)) {
          matching[c * words + (element >> 6)] |= 1L << element;
        }
      }
    }
    elements = element;
  }

  public boolean matches(byte[] text) {
    // A bit for each number of elements that match the text so far.
    long[] matched = new long[words];
    matched[0] = 1;
    for (byte c : text) {
      int row = (c & 0xFF) * words;
      long carry = 0;
      long any = 0;
      for (int word = 0; word < words; word++) {
        long before = matched[word];
        long after = ((before << 1 | carry) & matching[row + word]) | (before & stars[word]);
        carry = before >>> (Long.SIZE - 1);
        matched[word] = after;
        any |= after;
      }
      if (any == 0) {
        return false;
      }
    }
    return (matched[elements >> 6] & 1L << elements) != 0;
  }

  private boolean one(int p, byte c) {
    return switch (pattern[p]) {
      case '?' -> true;
      case '[' -> inSet(p, fold(c));
      case '\\' -> fold(pattern[Math.min(p + 1, pattern.length - 1)]) == fold(c);
      default -> fold(pattern[p]) == fold(c);
    };
  }

  private boolean inSet(int p, int c) {
    int at = p + 1;
    boolean not = at < pattern.length && pattern[at] == '^';
    if (not) {
      at++;
    }
    boolean found = false;
    while (at < pattern.length && pattern[at] != ']') {
      if (pattern[at] == '\\' && at + 1 < pattern.length) {
        found |= fold(pattern[at + 1]) == c;
        at += 2;
      } else if (at + 2 < pattern.length && pattern[at + 1] == '-') {
        int low = fold(pattern[at]);
        int high = fold(pattern[at + 2]);
        found |= c >= Math.min(low, high) && c <= Math.max(low, high);
        at += 3;
      } else {
        found |= fold(pattern[at]) == c;
        at++;
      }
    }
    return found != not;
  }

  private int after(int p) {
    if (pattern[p] == '\\') {
      return Math.min(p + 2, pattern.length);
    }
    if (pattern[p] != '[') {
      return p + 1;
    }
    int at = p + 1;
    while (at < pattern.length && pattern[at] != ']') {
      at += pattern[at] == '\\' ? 2 : pattern.length > at + 2 && pattern[at + 1] == '-' ? 3 : 1;
    }
    return Math.min(at + 1, pattern.length);
  }

  private int fold(byte c) {
    int code = c & 0xFF;
    return foldCase && code >= 'A' && code <= 'Z' ? code + 32 : code;
  }
}
