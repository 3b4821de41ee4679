package dev.ebb.plugin.snapkv;

import dev.ebb.spi.Settings;
import java.util.BitSet;

/**
 * The two ends of a sequence, which stay. The first tokens stay because surplus attention falls on
 * them (attention sinks), the newest because language is local. The two numbers add up.
 *
 * @param prefix tokens at the start, 0 or more
 * @param window newest tokens, 0 or more
 */
record Ends(int prefix, int window) {

  private static final int DEFAULT_PREFIX = 4;
  private static final int DEFAULT_WINDOW = 32;

  /** Returns the ends of {@code protected-prefix} and {@code window}. */
  static Ends of(Settings settings) {
    return of(settings, DEFAULT_WINDOW, 0);
  }

  static Ends of(Settings settings, int defaultWindow, int leastWindow) {
    return new Ends(
        (int) settings.integer("protected-prefix", DEFAULT_PREFIX, 0, Integer.MAX_VALUE),
        (int) settings.integer("window", defaultWindow, leastWindow, Integer.MAX_VALUE));
  }

  void protect(int length, BitSet mask) {
    mask.set(0, Math.min(prefix, length));
    mask.set(Math.max(0, length - window), length);
  }
}
