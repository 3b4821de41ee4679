package dev.ebb.host.gpuverify;

import java.util.List;

/**
 * The command line.
 *
 * @param quick whether only a little memory and time is spent
 */
record Arguments(boolean quick, int device, boolean help) {

  static final String HELP =
      """
      Usage: verify [--quick] [--device N]
      Checks every CUDA kernel of Ebb against the CPU, then measures each. Prints Markdown.
        --quick      takes seconds and 64 MiB instead of minutes and up to 8 GiB
        --device N   checks the card with this number, from 0 on; 0 unless said otherwise
        --help       shows this
      Exit codes: 0 all is right, 1 something is wrong, 2 wrong usage, 3 there is no GPU
      """;

  private static final long QUICK_BYTES = 64L << 20;
  private static final long FULL_BYTES = 8L << 30;

  static Arguments of(List<String> words) {
    boolean quick = false;
    boolean help = false;
    int device = 0;
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      if (word.equals("--quick")) {
        quick = true;
      } else if (word.equals("--help") || word.equals("-h")) {
        help = true;
      } else if (word.equals("--device") && i + 1 < words.size()) {
        device = number(words.get(++i));
      } else {
        throw new IllegalArgumentException(
            "'%s' is not understood; allowed are --quick, --device N and --help".formatted(word));
      }
    }
    return new Arguments(quick, device, help);
  }

  private static int number(String word) {
    if (!word.matches("[0-9]{1,4}")) {
      throw new IllegalArgumentException(
          "--device '%s' must be a number from 0 on".formatted(word));
    }
    return Integer.parseInt(word);
  }

  /** Returns the memory to measure in: enough to be out of every cache, not all there is. */
  long slabBytes(long available) {
    long most = quick ? QUICK_BYTES : FULL_BYTES;
    // Blocks of 2 MiB, and an even number of them.
    return Math.max(QUICK_BYTES / 4, Math.min(most, available / 2)) >> 22 << 22;
  }
}
