package dev.ebb.host.store;

/** Redis' patterns: {@code * ? [a-z] [^a] \x}, over bytes. */
public final class Glob {

  private final byte[] pattern;
  private final boolean foldCase;

  /**
   * Creates a pattern.
   *
   * @param pattern kept, not to be changed
   * @param foldCase whether ASCII letters match in both cases
   */
  public Glob(byte[] pattern, boolean foldCase) {
    this.pattern = pattern;
    this.foldCase = foldCase;
  }

  /** Returns whether all of a text matches, in a time of at most length times length. */
  public boolean matches(byte[] text) {
    int p = 0;
    int t = 0;
    int star = -1;
    int mark = 0;
    while (t < text.length) {
      if (p < pattern.length && pattern[p] == '*') {
        star = p++;
        mark = t;
      } else if (p < pattern.length && one(p, text[t])) {
        p = after(p);
        t++;
      } else if (star >= 0) {
        // It goes back to the last star only.
        p = star + 1;
        t = ++mark;
      } else {
        return false;
      }
    }
    while (p < pattern.length && pattern[p] == '*') {
      p++;
    }
    return p == pattern.length;
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
