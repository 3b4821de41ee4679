package dev.ebb.host.gpuverify;

import java.util.List;

/**
 * The command line.
 *
 * @param quick whether to use little memory and time
 */
record Arguments(boolean quick, int device, boolean help) {

  static final String HELP =
      """
      Usage: verify [--quick] [--device N]
      Checks every CUDA kernel of Ebb against the CPU, then measures each. Prints Markdown.
        --quick      use 64 MiB and take seconds, instead of up to 8 GiB and minutes
        --device N   check the GPU with this number, from 0; default 0
        --help       show this help
      Exit codes: 0 all checks passed, 1 a check failed, 2 wrong usage, 3 no GPU
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
            "unknown argument '%s'; allowed are --quick, --device N and --help".formatted(word));
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

  /** Returns the memory to measure in: enough to exceed every cache, but not all of it. */
  long slabBytes(long available) {
    long most = quick ? QUICK_BYTES : FULL_BYTES;
    // Blocks of 2 MiB, and an even number of them.
    return Math.max(QUICK_BYTES / 4, Math.min(most, available / 2)) >> 22 << 22;
  }
}
