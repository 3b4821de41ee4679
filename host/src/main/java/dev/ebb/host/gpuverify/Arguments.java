package dev.ebb.host.gpuverify;

import java.util.List;

/**
 * The command line.
 *
 * @param quick whether only a little memory and time is spent
 * @param device the card's ordinal
 */
record Arguments(boolean quick, int device) {

  private static final long QUICK_BYTES = 64L << 20;
  private static final long FULL_BYTES = 8L << 30;

  static Arguments of(List<String> words) {
    boolean quick = false;
    int device = 0;
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (word.equals("--quick")) {
        quick = true;
      } else if (word.equals("--device") && i + 1 < words.size()) {
        device = number(words.get(++i));
      } else {
        throw new IllegalArgumentException(
            "'%s' is not understood; allowed are --quick and --device N".formatted(word));
      }
    }
    return new Arguments(quick, device);
  }

  private static int number(String word) {
    if (!word.matches("[0-9]{1,4}")) {
      throw new IllegalArgumentException(
          "--device '%s' must be a number from 0 on".formatted(word));
    }
    return Integer.parseInt(word);
  }

  /** The memory to measure in: enough to be out of every cache, not all there is. */
  long slabBytes(long available) {
    long most = quick ? QUICK_BYTES : FULL_BYTES;
    // Blocks of 2 MiB, and an even number of them.
    return Math.max(QUICK_BYTES / 4, Math.min(most, available / 2)) >> 22 << 22;
  }
}
