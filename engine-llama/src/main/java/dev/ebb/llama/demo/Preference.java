package dev.ebb.llama.demo;

/** How likely a random model makes each token, before its other weights. */
final class Preference {

  /** The tokens before those of bytes. */
  private static final int SPECIAL = 3;

  private static final float UNLIKELY = -60;

  private Preference() {}

  /** Returns what is added to the logit of a token, about. */
  static float of(int token) {
    int value = token - SPECIAL;
    if (value >= 256) {
      return 4;
    }
    return value < 0 ? UNLIKELY : ofByte((char) value);
  }

  private static float ofByte(char value) {
    return switch (value) {
      // They end a text, a list or an object in JSON.
      case '"' -> 3;
      case '}', ']', '.' -> -3;
      case ',' -> -5;
      case '{', '[', '-', '\\' -> -20;
      case '\n', '\t', '\r' -> -20;
      default -> value >= 'a' && value <= 'z' ? 2 : value >= '0' && value <= '9' ? -4 : UNLIKELY;
    };
  }
}
